import ChatModel
import Execution
import Glibc
import Store
import Testing

@testable import APIKit

/// The answers that calls have had.
private final class Answers: Sendable {
    private let answers = ConditionLock<[APIAnswer]>([])

    func add(_ answer: APIAnswer) { self.answers.change { $0.append(answer) } }

    /// The one answer of a call, once it has come.
    func next() -> APIAnswer { self.answers.wait(until: { !$0.isEmpty }, then: { $0.removeFirst() }) }
}

/// A real store in a temporary folder. No thread of the store may hold it: it closes the store.
private final class Rig: Sendable {
    let folder: String
    let store: Store
    let answers = Answers()

    init() throws {
        var template = Array("/tmp/teahouse-call-XXXXXX".utf8CString)
        self.folder = String(cString: try #require(mkdtemp(&template)))
        var options = StoreOptions(folder: self.folder)
        options.ballastBytes = 0
        options.stopWritingFreeBytes = 0
        self.store = try Store(options)
    }

    deinit {
        self.store.close()
        for name in ["teahouse.db", "teahouse.db-wal", "teahouse.db-shm", "lock", "ballast"] {
            unlink("\(self.folder)/\(name)")
        }
        rmdir(self.folder)
    }

    var call: WordedCall { WordedCall(store: self.store, answers: self.answers) }

    func plain() -> PlainCall { PlainCall(self.store, for: .application, self.answers.add) }

    func answer() -> APIAnswer { self.answers.next() }
}

/// A call in words of its own.
private struct WordedCall: StoreCall {
    let store: Store
    let answers: Answers
    var reply: APIReply { self.answers.add }
    var asker: ReadAsker { .application }
    var origin: EventOrigin { EventOrigin(.leanCloud) }

    func failure(_ error: StoreError) -> APIFailure { APIFailure(418, "in our words: \(error)") }
}

struct StoreCallTests {
    @Test("what is read is answered")
    func read() throws {
        let rig = try Rig()
        rig.call.read({ _ in 7 }, answer: { .json(.integer($0)) })
        #expect(rig.answer().body == Array("7".utf8))
    }

    @Test("an answer that cannot be given is the failure that it says")
    func thrown() throws {
        let rig = try Rig()
        rig.call.read(
            { _ in false },
            answer: { found throws(APIFailure) in
                guard found else { throw APIFailure(404, "not here") }
                return .ok
            })
        let answer = rig.answer()
        #expect(answer.status == 404 && answer.failure == APIFailure(404, "not here"))
    }

    @Test("what the store refuses is worded by the API, and nothing goes on")
    func refused() throws {
        let rig = try Rig()
        let call = rig.call
        call.read(
            { _ throws(StoreError) -> Int in throw .refused(.noSuchConversation) },
            then: { _ in call.reply(.ok) })
        #expect(rig.answer().status == 418)
        call.write(
            { _ throws(StoreError) -> Int in throw .refused(.noSuchConversation) },
            answer: { _ in .ok })
        #expect(rig.answer().status == 418)
        rig.plain().read(
            { _ throws(StoreError) -> Int in throw .refused(.noSuchConversation) },
            answer: { _ in .ok })
        #expect(rig.answer().status == 404)
    }

    @Test("a change is answered once it is there, and says which protocol it came through")
    func write() throws {
        let rig = try Rig()
        let call = rig.call
        let name = UserName("juliet")!
        call.write(
            { transaction throws(StoreError) in
                _ = try transaction.people.ensureUser(name)
                return transaction.origin
            },
            then: { origin in
                call.read(
                    { store throws(StoreError) in try store.people.user(named: name) != nil },
                    answer: { isThere in .json(.boolean(isThere && origin == EventOrigin(.leanCloud))) })
            })
        #expect(rig.answer().body == Array("true".utf8))
        rig.plain().write(
            { transaction in transaction.origin }, answer: { .json(.boolean($0 == .server)) })
        #expect(rig.answer().body == Array("true".utf8))
    }
}
