import Testing

@testable import ByteCodec

struct CollectionRunTests {
    @Test(
        "a run is found wherever it begins, and nowhere else",
        arguments: [
            ("keep-alive, upgrade", "keep-alive", true), ("upgrade, keep-alive", "keep-alive", true),
            ("aab", "ab", true), ("aac", "ab", false), ("a", "ab", false), ("", "a", false), ("", "", true),
            ("a", "", true), ("小明", "明", true), ("e\u{301}", "e", false),
        ])
    func runs(text: String, run: String, isFound: Bool) {
        #expect(text.contains(run: run) == isFound)
    }

    @Test("bytes are searched as they are")
    func bytes() {
        #expect("e\u{301}".utf8.contains(run: "e".utf8))
        #expect(![1, 2, 1, 2].contains(run: [2, 2]))
    }
}
