import LeanCloudWire
import TeahouseTesting
import Testing

struct OpeningTests {
    @Test("a client signs in with a device token", arguments: LeanCloudSubprotocol.Format.allCases)
    func opens(format: LeanCloudSubprotocol.Format) throws {
        let house = try House()
        let subprotocol = LeanCloudSubprotocol(format, .countsMissedMessages)
        let client = try house.leanCloudSocket(subprotocol)
        let answer = try client.open("Tom", token: try house.token("Tom", .app))
        #expect(client.answeredSubprotocol == subprotocol.name)
        #expect(answer.peerId == "Tom")
        #expect(answer.service == 2)
        #expect(answer.serverTs != nil)
        #expect(answer.sessionMessage?.st?.isEmpty == false)
        #expect(answer.sessionMessage?.stTtl == 172_800)
    }
}
