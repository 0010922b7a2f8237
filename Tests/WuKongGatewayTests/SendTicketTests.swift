import Testing
import WuKongWire

@testable import WuKongGateway

struct SendTicketTests {
    @Test(
        "a ticket carries client sequence and flags through the broker",
        arguments: [0, 1, UInt32.max],
        [
            WuKongHeader(), WuKongHeader(noPersist: true), WuKongHeader(redDot: true), WuKongHeader(syncOnce: true),
            WuKongHeader(dup: true), WuKongHeader(noPersist: true, redDot: true, syncOnce: true, dup: true),
        ])
    func roundTrip(sequence: UInt32, header: WuKongHeader) {
        let ticket = SendTicket(clientSequence: sequence, header: header)
        #expect(SendTicket(rawValue: ticket.rawValue) == ticket)
    }
}
