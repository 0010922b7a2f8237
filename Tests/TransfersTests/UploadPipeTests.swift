import ChatModel
import Execution
import Testing

@testable import Transfers

struct UploadPipeTests {
    static let mark = 64 * 1024

    func opened(limit: Int64 = .max, isHeld: Bool = false) -> (pipe: UploadPipe, flow: Int) {
        var pipe = UploadPipe(mark: Self.mark, offset: 0, isHeld: isHeld)
        let flow = pipe.beginFlow(at: 0, limit: limit)
        return (pipe, flow)
    }

    func block(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    /// Works off everything as a worker does; what it was told to do, as words.
    func work(_ pipe: inout UploadPipe, isCapped: Bool = false, most: Int = 1 << 20) -> [String] {
        var told: [String] = []
        while true {
            switch pipe.next(most: most, isCapped: isCapped) {
            case .nothing: return told
            case .ask(let bytes):
                told.append("ask \(bytes)")
                return told
            case .data(_, let bytes, let isPaid):
                var effect = UploadPipe.Effect()
                pipe.took(bytes, offset: pipe.offset + Int64(bytes), &effect)
                told.append(isPaid ? "paid \(bytes)" : "data \(bytes)")
            case .ending(.whole): told.append("whole")
            case .ending(.broken): told.append("broken")
            case .command: told.append("command")
            }
        }
    }

    /// `work` changes the pipe, which `#expect` does not take.
    func expectWork(_ told: [String], _ expected: [String]) { #expect(told == expected) }

    @Test("at the mark it says stop, and below half of it that there is room, once")
    func mark() {
        var (pipe, flow) = self.opened()
        var effect = UploadPipe.Effect()
        pipe.setWhenRoom({}, flow: flow, &effect)
        #expect(effect.tellsRoom == nil)
        let first = pipe.push(self.block(40_000), flow: flow, &effect)
        #expect(first)
        #expect(effect.schedules)
        let second = pipe.push(self.block(40_000), flow: flow, &effect)
        #expect(!second)
        guard case .data(_, let bytes, _) = pipe.next(most: 40_000, isCapped: false) else {
            Issue.record("nothing to write")
            return
        }
        effect = .init()
        pipe.took(bytes, offset: 40_000, &effect)
        #expect(effect.tellsRoom == nil, "more than half the mark waits")
        guard case .data(_, let rest, _) = pipe.next(most: 40_000, isCapped: false) else {
            Issue.record("nothing to write")
            return
        }
        pipe.took(rest, offset: 80_000, &effect)
        #expect(effect.tellsRoom != nil)
        effect = .init()
        pipe.took(0, offset: 80_000, &effect)
        #expect(effect.tellsRoom == nil)
    }

    @Test("a worker is called once, however often is pushed before it comes")
    func schedule() {
        var (pipe, flow) = self.opened()
        var calls = 0
        for _ in 0..<5 {
            var effect = UploadPipe.Effect()
            _ = pipe.push(self.block(100), flow: flow, &effect)
            if effect.schedules { calls += 1 }
        }
        #expect(calls == 1)
        expectWork(self.work(&pipe), ["data 500"])
        var effect = UploadPipe.Effect()
        _ = pipe.push(self.block(1), flow: flow, &effect)
        #expect(effect.schedules)
    }

    @Test("held: nothing is taken, not even the end, until it is resumed")
    func held() {
        var (pipe, flow) = self.opened()
        var effect = UploadPipe.Effect()
        pipe.setWhenRoom({}, flow: flow, &effect)
        pipe.hold(true, &effect)
        let hasRoom = pipe.push(self.block(100), flow: flow, &effect)
        #expect(!hasRoom)
        #expect(!effect.schedules)
        let refusal = pipe.end(.whole({ _ in }), flow: flow, &effect)
        #expect(refusal == nil)
        #expect(!effect.schedules)
        expectWork(self.work(&pipe), [])
        pipe.hold(false, &effect)
        #expect(effect.schedules)
        expectWork(self.work(&pipe), ["data 100", "whole"])
    }

    @Test("a connection that goes while it is held takes with it what was not taken")
    func brokenWhileHeld() {
        var (pipe, flow) = self.opened()
        var effect = UploadPipe.Effect()
        pipe.hold(true, &effect)
        _ = pipe.push(self.block(100), flow: flow, &effect)
        _ = pipe.end(.broken, flow: flow, &effect)
        #expect(effect.schedules)
        expectWork(self.work(&pipe), ["broken"])
        #expect(pipe.offset == 0)
    }

    @Test("a byte over the limit ends the flow, and nothing that waits is kept")
    func limit() {
        var (pipe, flow) = self.opened(limit: 1_024)
        var effect = UploadPipe.Effect()
        let exact = pipe.push(self.block(1_024), flow: flow, &effect)
        #expect(exact)
        let over = pipe.push(self.block(1), flow: flow, &effect)
        #expect(!over)
        #expect(pipe.failure(of: flow) == .tooLong(limit: 1_024))
        #expect(pipe.pendingBytes == 0)
        expectWork(self.work(&pipe), [])
        let after = pipe.push(self.block(1), flow: flow, &effect)
        #expect(!after)
    }

    @Test("with a cap each piece is asked for, and one that was granted is paid")
    func capped() {
        var (pipe, flow) = self.opened()
        var effect = UploadPipe.Effect()
        _ = pipe.push(self.block(20_000), flow: flow, &effect)
        _ = pipe.push(self.block(20_000), flow: flow, &effect)
        expectWork(self.work(&pipe, isCapped: true, most: 20_000), ["ask 20000"])
        effect = .init()
        _ = pipe.push(self.block(10), flow: flow, &effect)
        #expect(!effect.schedules, "it waits for its bandwidth")
        pipe.grant(&effect)
        #expect(effect.schedules)
        expectWork(self.work(&pipe, isCapped: true, most: 20_000), ["paid 20000", "ask 20000"])
    }

    @Test("what came before a connection went is kept without waiting for bandwidth")
    func brokenWhileCapped() {
        var (pipe, flow) = self.opened()
        var effect = UploadPipe.Effect()
        _ = pipe.push(self.block(20_000), flow: flow, &effect)
        expectWork(self.work(&pipe, isCapped: true), ["ask 20000"])
        effect = .init()
        _ = pipe.end(.broken, flow: flow, &effect)
        #expect(effect.schedules)
        expectWork(self.work(&pipe, isCapped: true), ["data 20000", "broken"])
    }

    @Test("a flow that is over can do nothing to the next one")
    func staleFlow() {
        var (pipe, old) = self.opened()
        var effect = pipe.fail(.cancelled)
        let new = pipe.beginFlow(at: 10, limit: 100)
        let pushed = pipe.push(self.block(5), flow: old, &effect)
        #expect(!pushed)
        #expect(pipe.pendingBytes == 0)
        let refusal = pipe.end(.broken, flow: old, &effect)
        #expect(refusal == .cancelled)
        #expect(pipe.failure(of: old) == .cancelled)
        #expect(pipe.failure(of: new) == nil)
        let fresh = pipe.push(self.block(5), flow: new, &effect)
        #expect(fresh)
    }

    @Test("who waits for the end of a flow that fails is told, and who waits for room is called")
    func failure() {
        var (pipe, flow) = self.opened(isHeld: true)
        var effect = UploadPipe.Effect()
        pipe.setWhenRoom({}, flow: flow, &effect)
        let failed = pipe.fail(.full)
        #expect(failed.tellsRoom != nil)

        (pipe, flow) = self.opened(isHeld: true)
        _ = pipe.end(.whole({ _ in }), flow: flow, &effect)
        let first = pipe.fail(.full)
        let second = pipe.fail(.full)
        #expect(first.refusesEnd != nil)
        #expect(second.refusesEnd == nil)
    }

    @Test("many short pushes cost few pieces of memory")
    func gathered() {
        var (pipe, flow) = self.opened()
        var effect = UploadPipe.Effect()
        for _ in 0..<10_000 { _ = pipe.push([1], flow: flow, &effect) }
        guard case .data(let pieces, let bytes, _) = pipe.next(most: 1 << 20, isCapped: false) else {
            Issue.record("nothing to write")
            return
        }
        #expect(bytes == 10_000)
        #expect(pieces.count == 1)
    }
}
