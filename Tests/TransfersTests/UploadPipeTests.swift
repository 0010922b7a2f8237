import ChatModel
import Execution
import Testing

@testable import Transfers

@Suite("The pipe of an upload") struct UploadPipeTests {
    @Test("a flow that is abandoned again while its end is worked on does not end the next one")
    func abandonedTwice() {
        var pipe = UploadPipe(mark: 1024, offset: 0, isHeld: false)
        var effect = UploadPipe.Effect()
        let first = pipe.beginFlow(at: 0, limit: 100, now: Instant(nanoseconds: 0))
        #expect(pipe.end(.broken, flow: first, &effect) == nil)
        guard case .ending(.broken) = pipe.next(most: 100, isCapped: false) else {
            Issue.record("no end")
            return
        }
        _ = pipe.end(.broken, flow: first, &effect)
        pipe.endFlow()
        guard case .nothing = pipe.next(most: 100, isCapped: false) else {
            Issue.record("something to do without a flow")
            return
        }
        let second = pipe.beginFlow(at: 0, limit: 100, now: Instant(nanoseconds: 0))
        #expect(pipe.push([1, 2, 3], flow: second, at: Instant(nanoseconds: 0), &effect))
        guard case .data(_, bytes: 3, isPaid: false) = pipe.next(most: 100, isCapped: false) else {
            Issue.record("the bytes were not taken")
            return
        }
        guard case .nothing = pipe.next(most: 100, isCapped: false) else {
            Issue.record("the flow ended")
            return
        }
    }
}
