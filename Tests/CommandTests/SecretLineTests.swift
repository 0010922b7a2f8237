import Testing

@testable import CommandLineKit

/// What a person types who is asked for a password, byte by byte.
@Suite("Secret lines")
struct SecretLineTests {
    private func typed(_ text: String) -> [SecretLine.Step] {
        var line = SecretLine()
        return text.utf8.map { line.takeByte($0) }
    }

    @Test(
        "the edit keys of a terminal's line work",
        arguments: [
            ("tea\n", "tea"), ("tea\r", "tea"), ("teax\u{7F}\n", "tea"), ("茶x\u{8}叶\n", "茶叶"), ("叶\u{7F}茶\n", "茶"),
            ("coffee\u{15}tea\n", "tea"), ("\u{7F}\u{7F}tea\n", "tea"), ("t\u{4}ea\n", "tea"), ("t\u{1}ea\n", "tea"),
        ])
    func edit(_ keys: String, _ line: String) { #expect(self.typed(keys).last == .done(line)) }

    @Test("Ctrl-C, and Ctrl-D on an empty line, cancel", arguments: ["tea\u{3}", "\u{4}"])
    func cancel(_ keys: String) { #expect(self.typed(keys).last == .cancelled) }

    @Test("what is typed beyond the bound is not taken")
    func bound() {
        let keys = String(repeating: "x", count: SecretInput.maximumBytes + 5)
        #expect(self.typed(keys + "\n").last == .done(String(keys.dropLast(5))))
    }
}
