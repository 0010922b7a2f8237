import Testing

@testable import WuKongAPI

struct ConversationVersionTests {
    @Test("a version is its change number back, also after JavaScript has rounded it", arguments: [1, 2, 77, 1 << 40])
    func roundTrip(change: Int64) {
        let version = ConversationVersion.version(ofChange: change)
        #expect(ConversationVersion.change(ofVersion: version) == change)
        #expect(ConversationVersion.change(ofVersion: Int64(Double(version))) == change)
    }

    @Test(
        "what did not come from here asks for everything",
        arguments: [0, -5, 1_790_000_000_000_000_000, 1_790_000_000])
    func foreign(version: Int64) { #expect(ConversationVersion.change(ofVersion: version) == 0) }
}
