import ChatModel
import Store
import Testing

@testable import Broker

@Suite("Looking at messages before they are stored") struct ScreeningTests {
    /// Adds a letter to the body, and refuses bodies of a length.
    private struct Adding: MessageScreening {
        var letter: Character
        var refusedLength = -1

        func screen(_ content: MessageContent, from authority: Authority) -> Screening? {
            guard authority == .user else { return nil }
            var found = Screening(content: content, flagged: [String(self.letter)])
            found.content.body += Array(String(self.letter).utf8)
            if found.content.body.count == self.refusedLength { found.refusal = .wordNotAllowed }
            return found
        }
    }

    private static func append(_ authority: Authority = .user) -> Append {
        Append(
            sender: UserID(rawValue: 1), authority: authority, address: .direct(UserName("juliet")!), clientToken: nil,
            content: MessageContent(kind: .text, flags: [], wire: .native, body: Array("x".utf8)), ticket: 7)
    }

    @Test("each sees what the one before made, and the store gets what was sent and all that was found")
    func order() throws {
        let chain = try #require(ScreeningChain([Adding(letter: "a"), Adding(letter: "b")]))
        let screened = chain.screened(Self.append())
        #expect(String(decoding: screened.content.body, as: UTF8.self) == "xab")
        let found = try #require(screened.screening)
        #expect(String(decoding: found.sentBody, as: UTF8.self) == "x")
        #expect(found.flagged == ["a", "b"] && found.refusal == nil)
    }

    @Test("the first refusal ends it")
    func refusal() throws {
        let chain = try #require(
            ScreeningChain([Adding(letter: "a", refusedLength: 2), Adding(letter: "b", refusedLength: 3)]))
        let found = try #require(chain.screen(Self.append().content, from: .user))
        #expect(found.refusal == .wordNotAllowed && found.flagged == ["a"])
    }

    @Test("what nothing is found in goes on untouched, and without screenings nothing is asked")
    func untouched() throws {
        let chain = try #require(ScreeningChain([Adding(letter: "a")]))
        let passed = chain.screened(Self.append(.application))
        #expect(passed.screening == nil && passed.content == Self.append().content)
        let none = ScreeningChain([])
        #expect(none == nil)
    }
}
