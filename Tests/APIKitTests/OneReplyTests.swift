import Execution
import Testing

@testable import APIKit

struct OneReplyTests {
    @Test("only the first answer is sent")
    func once() {
        let sent = Lock<[Int]>([])
        let one = OneReply { answer in sent.withLock { $0.append(answer.status) } }
        one.give(.ok)
        one.give(.failure(500, "again"))
        #expect(sent.withLock { $0 } == [200])
    }

    @Test("a request that everybody has let go of is answered: the server is stopping")
    func forgotten() {
        let sent = Lock<[APIAnswer]>([])
        var one: OneReply? = OneReply { answer in sent.withLock { $0.append(answer) } }
        #expect(one != nil)
        one = nil
        let answers = sent.withLock { $0 }
        #expect(answers.map(\.status) == [503])
        #expect(answers.first?.headers.contains { $0.0 == "Retry-After" } == true)
    }

    @Test("an answered request that is let go of is not answered again")
    func answered() {
        let sent = Lock<[Int]>([])
        do {
            let one = OneReply { answer in sent.withLock { $0.append(answer.status) } }
            one.give(.ok)
        }
        #expect(sent.withLock { $0 } == [200])
    }
}
