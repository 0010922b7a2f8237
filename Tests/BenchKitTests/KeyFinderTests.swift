import Testing

@testable import BenchKit

@Suite struct KeyFinderTests {
    private func end(_ finder: inout KeyFinder, _ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes { finder.end(in: $0) }
    }

    @Test("finds a key wherever it moves: same place, a few bytes on, far away, back at the start")
    func moves() {
        var finder = KeyFinder(#""seq":"#)
        #expect(self.end(&finder, #"{"a":1,"seq":5}"#) == 13)
        #expect(self.end(&finder, #"{"a":2,"seq":6}"#) == 13)
        #expect(self.end(&finder, #"{"a":100,"seq":6}"#) == 15)
        #expect(self.end(&finder, #"{"a":"\#(String(repeating: "x", count: 90))","seq":6}"#) == 104)
        #expect(self.end(&finder, #"{"seq":6}"#) == 7)
    }

    @Test("does not find what is cut off or not there", arguments: ["", #"{"seq""#, #"{"sea":1}"#, #""seq""#])
    func absent(_ text: String) {
        var finder = KeyFinder(#""seq":"#)
        #expect(self.end(&finder, text) == nil)
        #expect(self.end(&finder, #"{"long":1,"seq":5}"#) == 16)
        #expect(self.end(&finder, text) == nil)
    }

    @Test("reads numbers and quoted text to their end")
    func values() {
        Array(#"{"n":1234,"s":"abc","e":""}"#.utf8).withUnsafeBytes { text in
            #expect(text.number(at: 5)?.value == 1234)
            #expect(text.number(at: 5)?.end == 9)
            #expect(text.number(at: 4) == nil)
            #expect(text.quoted(at: 15).map { String(decoding: $0, as: UTF8.self) } == "abc")
            #expect(text.quoted(at: 25)?.count == 0)
            #expect(text.quoted(at: 26) == nil)
        }
    }
}
