import ChatModel
import Testing

@Suite("Names of files in a text")
struct FileMentionTests {
    private static let file = "th-fabcdefghijklmnopqrstuvwxyz"
    private static let link = "th-l77777777777777777777777777"

    private func found(_ text: String) -> [String] { FileMention.scan(Array(text.utf8)).map(\.key.text) }

    @Test("are found wherever they stand, each once, in their order")
    func found() {
        #expect(self.found(Self.file) == [Self.file])
        #expect(self.found("\(Self.link)\(Self.file)") == [Self.link, Self.file])
        #expect(self.found(#"{"url":"http://h/f/\#(Self.link)/a.png","f":"\#(Self.file)"}"#) == [Self.link, Self.file])
        #expect(self.found("\(Self.file) \(Self.link) \(Self.file)") == [Self.file, Self.link])
        #expect(self.found("th-th-\(Self.file)") == [Self.file])
        #expect(self.found("é\(Self.file)é") == [Self.file])
    }

    @Test(
        "and nothing else is",
        arguments: [
            "", "th-", "th-f", String(file.dropLast()), "th-tabcdefghijklmnopqrstuvwxyz",
            "th-fabcdefghijklmnopqrstuvwxy1",
            "TH-fabcdefghijklmnopqrstuvwxyz", "---------------------------------------",
            "th f-abcdefghijklmnopqrstuvwxyz",
        ])
    func strangers(_ text: String) { #expect(self.found(text) == []) }

    @Test("of very many the first are looked at")
    func many() {
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
        let names = (0..<70).map { "th-faaaaaaaaaaaaaaaaaaaaaaaa\(digits[$0 / 32])\(digits[$0 % 32])" }
        #expect(self.found(names.joined(separator: " ")) == Array(names.prefix(FileMention.maximumPerMessage)))
    }

    @Test("cut at any byte, a text has no name that it did not have")
    func cut() {
        let text = Array("{\"url\":\"\(Self.link)/x\",\"f\":\"\(Self.file)\"}".utf8)
        let ends = [Self.link, Self.file].map { name in
            text.indices.first { text[$0...].starts(with: name.utf8) }! + RandomKey.length
        }
        for count in 0...text.count {
            #expect(FileMention.scan(Array(text.prefix(count))).count == ends.count { $0 <= count })
        }
    }
}
