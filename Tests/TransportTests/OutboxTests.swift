import Glibc
import Testing

@testable import Transport

@Suite("Byte queue and outbox")
struct OutboxTests {
    @Test("a byte queue keeps the order over any appends and consumptions", arguments: 1...8)
    func queue(seed: Int) {
        var generator = Pseudorandom(state: UInt64(seed))
        var queue = ByteQueue()
        var model: [UInt8] = []
        for step in 0..<2000 {
            let added = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: Int(generator.next() % 300))
            queue.append(added)
            model += added
            let dropped = Int(generator.next() % UInt64(model.count + 1))
            queue.consume(dropped)
            model.removeFirst(dropped)
            #expect(queue.count == model.count)
        }
        #expect(Array(queue.bytes) == model)
        queue.consume(model.count)
        #expect(queue.isEmpty && queue.bytes.baseAddress == nil)
    }

    @Test("an outbox sends copied and shared pieces in order, however little the kernel takes", arguments: 1...8)
    func order(seed: Int) {
        var generator = Pseudorandom(state: UInt64(seed))
        var outbox = Outbox()
        var expected: [UInt8] = []
        var sent: [UInt8] = []
        for step in 0..<500 {
            let count = Int(generator.next() % 5000)
            let piece = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ step) }
            if generator.next() % 2 == 0 { outbox.append(piece) } else { outbox.append(shared: SharedBytes(piece)) }
            expected += piece
            self.send(Int(generator.next() % 6000), from: &outbox, to: &sent)
            #expect(outbox.count == expected.count - sent.count)
        }
        while !outbox.isEmpty { self.send(1000, from: &outbox, to: &sent) }
        #expect(sent == expected)
    }

    /// Stands for `sendmsg`, with a kernel that takes `count` bytes.
    private func send(_ count: Int, from outbox: inout Outbox, to sent: inout [UInt8]) {
        let gathered = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { vectors in
            let filled = outbox.gather(into: vectors)
            return vectors[..<filled].flatMap {
                UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len).map { $0 }
            }
        }
        #expect(gathered.starts(with: outbox.first))
        let taken = min(count, gathered.count)
        sent += gathered[..<taken]
        outbox.sent(taken)
    }

    @Test(
        "dates are written as RFC 9110 wants them",
        arguments: [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_164_800_000, "Thu, 29 Feb 2024 00:00:00 GMT"), (4_102_444_799_999, "Thu, 31 Dec 2099 23:59:59 GMT"),
        ] as [(Int64, String)])
    func dates(milliseconds: Int64, expected: String) {
        #expect(HTTPResponseHead.date(wallMilliseconds: milliseconds) == expected)
    }
}

/// The same numbers for the same seed.
struct Pseudorandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state >> 33
    }
}
