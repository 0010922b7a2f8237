import ByteCodec
import ChatModel
import Execution
import Store
import TeahouseTesting
import Testing

/// A conversation whose beginning has gone, as clients meet it.
struct RetentionScenarios {
    private func sequences(_ server: TestServer, _ more: String) throws -> (found: [Int64], more: Int64?) {
        let answer = try server.manage(
            "/channel/messagesync", #"{"login_uid":"juliet","channel_id":"tea","channel_type":2,\#(more)}"#
        ).json
        return (answer["messages"]?.array?.compactMap { $0["message_seq"]?.integer } ?? [], answer["more"]?.integer)
    }

    @Test("pages begin with what was kept and end there, nothing that is gone is unread, and talk goes on")
    func pages() throws {
        let shift = Lock<Int64>(0)
        let server = try TestServer { options in
            options.store.retention[.advancedTeam] = RetentionRule(messages: 2)
            options.store.clock = Clock(
                now: { Instant(nanoseconds: Clock.system.now().nanoseconds + shift.withLock { $0 } * 1_000_000) },
                wallMilliseconds: { Clock.system.wallMilliseconds() + shift.withLock { $0 } })
        }
        try server.group("tea", ["romeo", "juliet"])
        let romeo = try server.connect("romeo")
        for number in 1...5 { try romeo.publish("m\(number)", to: "tea", group: true, number: "n\(number)") }
        #expect(try self.sequences(server, #""limit":10"#).found == [1, 2, 3, 4, 5])
        shift.withLock { $0 += 2 * 3_600_000 }
        server.server.store.runMaintenance()
        let newest = try self.sequences(server, #""limit":10"#)
        #expect(newest.found == [4, 5] && newest.more == 0)
        let below = try self.sequences(server, #""start_message_seq":3,"end_message_seq":0,"limit":10"#)
        #expect(below.found == [] && below.more == 0)
        let up = try self.sequences(server, #""start_message_seq":1,"limit":10,"pull_mode":1"#)
        #expect(up.found == [4, 5] && up.more == 0)
        let unread = try server.server.store.readAndWait { store throws(StoreError) in
            let juliet = try store.people.user(named: UserName("juliet")!)
            return try juliet.map { user throws(StoreError) in try store.inbox.unread(of: user.id) }
        }
        #expect(unread?.values.map { $0 } == [2])
        #expect(try romeo.publish("m6", to: "tea", group: true, number: "n6").sequence == 6)
        server.stop()
        #expect(try server.findings() == [])
    }
}
