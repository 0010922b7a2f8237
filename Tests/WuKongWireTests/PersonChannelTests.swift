import Testing
import WuKongWire

@Suite("Person channels")
struct PersonChannelTests {
    @Test(
        "have the known ID, whoever of the two asks",
        arguments: [("alice", "bob", "bob@alice"), ("u1", "u2", "u2@u1"), ("1001", "1002", "1001@1002")])
    func known(_ one: String, _ other: String, _ id: String) {
        #expect(PersonChannel.fakeID(of: one, and: other) == id)
        #expect(PersonChannel.fakeID(of: other, and: one) == id)
    }

    /// `plumless` and `buckeroo` are the well-known English words with the same CRC-32.
    @Test("the peer stands first when the checksums are equal")
    func equalChecksums() {
        #expect(PersonChannel.fakeID(of: "plumless", and: "buckeroo") == "buckeroo@plumless")
        #expect(PersonChannel.fakeID(of: "buckeroo", and: "plumless") == "plumless@buckeroo")
    }
}
