import ChatModel
import Testing

@testable import Broker

@Suite("Ends of sessions") struct SessionEndsTests {
    private func end(_ number: Int, of user: Int64) -> SessionEnd {
        let description = SessionDescription(
            id: SessionID(rawValue: UInt64(number)), user: UserID(rawValue: user), userName: UserName("u\(user)")!,
            deviceClass: .app, deviceLevel: .primary, deviceID: "d", protocolName: "p", address: "a",
            isEncrypted: false, openedAtMilliseconds: 0)
        return SessionEnd(session: description, endedAtMilliseconds: Int64(number), reason: .idle)
    }

    @Test("the newest come first, of one person or of all, and above the bound the oldest go")
    func ring() {
        var ends = SessionEnds()
        #expect(ends.newest(of: nil, limit: 5) == [])
        let count = SessionEnds.capacity + 3
        for number in 1...count { ends.add(self.end(number, of: Int64(number % 2))) }
        let all = ends.newest(of: nil, limit: count)
        #expect(all.map(\.endedAtMilliseconds) == Array((4...Int64(count)).reversed()))
        let odd = ends.newest(of: UserID(rawValue: 1), limit: 2)
        #expect(odd.map(\.endedAtMilliseconds) == [Int64(count), Int64(count) - 2])
    }
}
