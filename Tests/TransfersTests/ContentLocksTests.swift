import ChatModel
import Execution
import Testing

@testable import Transfers

struct ContentLocksTests {
    static func hash(_ byte: UInt8) throws -> ContentHash {
        try #require(ContentHash([UInt8](repeating: byte, count: 32)))
    }

    @Test("one at a time for each content, in the order they came, and others do not wait")
    func turns() throws {
        let locks = ContentLocks()
        let turns = Lock<[Int]>([])
        let (one, other) = (try Self.hash(1), try Self.hash(2))
        let first = locks.takeLock(one, orElse: {})
        #expect(first)
        for number in 0..<3 {
            let isMine = locks.takeLock(one, orElse: { turns.withLock { $0.append(number) } })
            #expect(!isMine)
        }
        let unrelated = locks.takeLock(other, orElse: {})
        #expect(unrelated)
        #expect(turns.withLock { $0 } == [])
        locks.giveBack(one)
        #expect(turns.withLock { $0 } == [0])
        locks.giveBack(one)
        locks.giveBack(one)
        #expect(turns.withLock { $0 } == [0, 1, 2])
        locks.giveBack(one)
        let again = locks.takeLock(one, orElse: {})
        #expect(again)
    }
}
