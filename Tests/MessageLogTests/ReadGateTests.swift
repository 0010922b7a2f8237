import ChatModel
import Testing

@testable import MessageLog

@Suite("Reads that wait for the log to be applied") struct ReadGateTests {
    private let one = ConversationID(rawValue: 1)
    private let two = ConversationID(rawValue: 2)
    private let romeo = UserID(rawValue: 3)
    private let juliet = UserID(rawValue: 4)

    private func gate() -> ReadGate<Int> {
        let gate = ReadGate<Int>(applied: 10)
        gate.noteSynced([ReadGate.Touch(self.one, members: [self.romeo])], through: 11)
        return gate
    }

    @Test("a read waits only for what it looks at")
    func scopes() {
        let gate = self.gate()
        #expect(gate.pass(.applied, 1) == .open)
        #expect(gate.pass(.conversations([self.two]), 2) == .open)
        #expect(gate.pass(.person(self.juliet), 3) == .open)
        #expect(gate.pass(.conversations([self.two, self.one]), 4) == .kept(isFirst: true))
        #expect(gate.pass(.person(self.romeo), 5) == .kept(isFirst: false))
        #expect(gate.pass(.everything, 6) == .kept(isFirst: false))
        #expect(gate.hasWaiting)
        #expect(gate.noteApplied(through: 11) == [4, 5, 6])
        #expect(!gate.hasWaiting)
        #expect(gate.pass(.everything, 7) == .open)
    }

    @Test("a commit lets only those begin whose records it covers")
    func partly() {
        let gate = self.gate()
        #expect(gate.pass(.everything, 1) == .kept(isFirst: true))
        gate.noteSynced([ReadGate.Touch(self.two, members: [self.juliet])], through: 12)
        #expect(gate.pass(.person(self.juliet), 2) == .kept(isFirst: false))
        #expect(gate.pass(.conversations([self.one]), 3) == .kept(isFirst: false))
        #expect(gate.noteApplied(through: 11) == [1, 3])
        #expect(gate.hasWaiting)
        #expect(gate.pass(.person(self.romeo), 4) == .open)
        #expect(gate.pass(.person(self.juliet), 5) == .kept(isFirst: false))
        #expect(gate.noteApplied(through: 12) == [2, 5])
    }

    @Test("more of the same conversation is waited for too")
    func later() {
        let gate = self.gate()
        gate.noteSynced([ReadGate.Touch(self.one, members: [self.romeo])], through: 15)
        #expect(gate.noteApplied(through: 12).isEmpty)
        #expect(gate.pass(.person(self.romeo), 1) == .kept(isFirst: true))
        #expect(gate.noteApplied(through: 15) == [1])
    }

    @Test("those that are kept can be given up")
    func givenUp() {
        let gate = self.gate()
        _ = gate.pass(.everything, 1)
        #expect(gate.takeWaiting() == [1])
        #expect(gate.noteApplied(through: 11).isEmpty)
    }
}
