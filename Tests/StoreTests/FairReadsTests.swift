import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Reads that wait")
struct FairReadsTests {
    private let romeo = ReadAsker.person(UserID(rawValue: 1))
    private let juliet = ReadAsker.person(UserID(rawValue: 2))
    private let nurse = ReadAsker.address("192.168.1.9")

    @Test("who asks for the first time waits for one read of somebody who asked for a hundred")
    func newcomersFirst() {
        var reads = FairReads<Int>()
        for number in 0..<100 {
            let isTaken = reads.add(number, for: self.romeo)
            #expect(isTaken)
        }
        let next1 = reads.next()?.job
        #expect(next1 == 0)
        let isTaken2 = reads.add(1_000, for: self.juliet)
        #expect(isTaken2)
        let second = reads.next()
        #expect(second?.asker == self.juliet)
        #expect(second?.job == 1_000)
    }

    @Test("those who wait take turns by the time that they have used")
    func turns() {
        var reads = FairReads<String>()
        for _ in 0..<40 {
            _ = reads.add("long", for: self.romeo)
            _ = reads.add("short", for: self.juliet)
        }
        var spent: [String: Int64] = [:]
        for _ in 0..<44 {
            guard let (asker, job) = reads.next() else { break }
            // Ten times as long: a turn each, or ten of the others.
            let time = ReadBounds.headStartNanoseconds * (job == "long" ? 10 : 1)
            spent[job, default: 0] += time
            reads.finish(asker, nanoseconds: time)
        }
        #expect(spent["short"] == 40 * ReadBounds.headStartNanoseconds)
        #expect((spent["long"] ?? 0) <= 50 * ReadBounds.headStartNanoseconds)
    }

    @Test("who asks for little comes first each time, among those who ask for much with one question after the other")
    func littleFirst() {
        var reads = FairReads<Int>()
        let others = (10..<20).map { ReadAsker.person(UserID(rawValue: $0)) }
        for other in others { _ = reads.add(0, for: other) }
        for _ in others {
            guard let asker = reads.next()?.asker else { continue }
            reads.finish(asker, nanoseconds: 200_000_000)
            _ = reads.add(0, for: asker)
        }
        for _ in 0..<100 {
            let busy = reads.next()
            _ = reads.add(1, for: self.juliet)
            if let asker = busy?.asker {
                reads.finish(asker, nanoseconds: 200_000_000)
                _ = reads.add(0, for: asker)
            }
            let next = reads.next()
            #expect(next?.asker == self.juliet, "she waits for one read, the one that ran when she came")
            reads.finish(self.juliet, nanoseconds: 1_000_000)
        }
    }

    @Test("a person has so many reads waiting, and is refused one more while others are not")
    func bounded() {
        var reads = FairReads<Int>()
        for number in 0..<ReadBounds.waiting {
            let isTaken = reads.add(number, for: self.romeo)
            #expect(isTaken)
        }
        let isTaken3 = reads.add(0, for: self.romeo)
        #expect(!isTaken3)
        let isTaken4 = reads.add(0, for: self.juliet)
        #expect(isTaken4)
        for number in 0...ReadBounds.waiting {
            let isTaken = reads.add(number, for: .server)
            #expect(isTaken)
        }
        #expect(reads.count == 2 * ReadBounds.waiting + 2)
    }

    @Test("of one person two long reads run at once, the third when one of them ends; of others too meanwhile")
    func atOnce() {
        var reads = FairReads<Int>(atOnce: ReadBounds.longAtOnce)
        for number in 0..<4 { _ = reads.add(number, for: self.romeo) }
        let next5 = reads.next()?.job
        #expect(next5 == 0)
        let next6 = reads.next()?.job
        #expect(next6 == 1)
        let next7 = reads.next()?.job
        #expect(next7 == nil)
        _ = reads.add(7, for: self.nurse)
        let next8 = reads.next()?.job
        #expect(next8 == 7)
        let next9 = reads.next()?.job
        #expect(next9 == nil)
        reads.finish(self.romeo, nanoseconds: 1)
        let next10 = reads.next()?.job
        #expect(next10 == 2)
        let next11 = reads.next()?.job
        #expect(next11 == nil)
    }

    @Test("an application has as many at once as there are threads")
    func applications() {
        var reads = FairReads<Int>(atOnce: 1)
        for number in 0..<3 { _ = reads.add(number, for: .application) }
        let jobs = (0..<3).map { _ in reads.next()?.job }
        #expect(jobs == [0, 1, 2])
    }

    @Test("every read that was taken comes out once, in order for each asker, whatever the times", arguments: 0..<20)
    func everything(seed: Int) {
        var random = SeededRandom(UInt64(seed) + 1)
        var reads = FairReads<Int>(atOnce: 2)
        let askers = [self.romeo, self.juliet, self.nurse, .server]
        var (added, seen): ([ReadAsker: Int], [ReadAsker: Int]) = ([:], [:])
        var running: [ReadAsker] = []
        for _ in 0..<2_000 {
            if random.next(3) == 0, !running.isEmpty {
                let asker = running.remove(at: random.next(running.count))
                reads.finish(asker, nanoseconds: Int64(random.next(600_000_000)))
            } else if random.next(2) == 0 {
                let asker = askers[random.next(askers.count)]
                if reads.add(added[asker, default: 0], for: asker) { added[asker, default: 0] += 1 }
            } else if let (asker, job) = reads.next() {
                #expect(job == seen[asker, default: 0])
                seen[asker, default: 0] += 1
                running.append(asker)
            }
        }
        for asker in running { reads.finish(asker, nanoseconds: 1) }
        while let (asker, job) = reads.next() {
            #expect(job == seen[asker, default: 0])
            seen[asker, default: 0] += 1
            reads.finish(asker, nanoseconds: 1)
        }
        #expect(seen == added)
        #expect(reads.count == 0)
    }
}

/// The same numbers for the same seed.
private struct SeededRandom {
    private var state: UInt64

    init(_ seed: UInt64) { self.state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next(_ bound: Int) -> Int {
        self.state ^= self.state << 13
        self.state ^= self.state >> 7
        self.state ^= self.state << 17
        return Int(self.state % UInt64(bound))
    }
}
