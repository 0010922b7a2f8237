import ChatModel
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// What clients say of messages that they have got.
struct ArrivalTests {
    @Test("an acknowledgement that names the message alone is one for its conversation")
    func messageAlone() throws {
        let server = try TestServer()
        let direct = try server.directID("romeo", "juliet")
        let group = try server.groupID("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        for cid in [group, direct] { try romeo.say(typed("before"), in: cid) { $0.r = true } }
        let asked = try romeo.say(typed("hello"), in: direct) { $0.r = true }
        // In one write with another one.
        let inGroup = try romeo.say(typed("all of you"), in: group)
        for _ in 0..<4 { _ = try juliet.nextMessage() }
        try juliet.acknowledge { $0.mid = inGroup.uid }
        try juliet.acknowledge { command in
            command.cid = ""
            command.mid = asked.uid
        }
        let told = try (0..<2).map { _ in try #require(try romeo.wait(.rcp).rcpMessage) }
        #expect(told.allSatisfy { $0.cid == direct && $0.read == nil && $0.from == "juliet" })
        #expect(told.last?.id == asked.uid)
        try server.waitForAcknowledged("juliet", in: group, upTo: 2)
        // What leads nowhere changes nothing, and breaks nothing.
        try juliet.acknowledge { $0.mid = "AAAAAAAAAAEAAAAAAAAAAA" }
        try juliet.acknowledge { _ in }
        try juliet.acknowledge { command in
            command.cid = "5f0000000000000000000000"
            command.mid = asked.uid
        }
        try juliet.settle()
        #expect(juliet.waiting.isEmpty)
    }

    @Test("a message that has arrived counts as read only where the operator wants it", arguments: [false, true])
    func arrivingIsReading(isReading: Bool) throws {
        let server = try TestServer { $0.leanCloud.arrivingIsReading = isReading }
        let cid = try server.groupID("verona", ["romeo", "juliet"])
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        try romeo.say(typed("hello"), in: cid) { direct in
            direct.r = true
            direct.mentionPids = ["juliet"]
        }
        let message = try juliet.nextMessage()
        try juliet.acknowledge { command in
            command.cid = cid
            command.fromts = message.timestamp
            command.tots = message.timestamp
        }
        #expect(try romeo.wait(.rcp).rcpMessage?.read == nil)
        if isReading {
            #expect(try romeo.wait(.rcp).rcpMessage?.read == true)
            #expect(try juliet.wait(.unread).unreadMessage?.convs.first?.unread == 0)
        }
        juliet.drop()
        let again = try server.leanCloud("juliet")
        if isReading {
            try again.settle()
            #expect(again.waiting.isEmpty)
        } else {
            let state = try again.wait(.unread).unreadMessage?.convs.first
            #expect(state?.unread == 1 && state?.mentioned == true)
        }
        // What waits while nobody is there is unread in any case.
        again.drop()
        try romeo.say(typed("are you there"), in: cid)
        let later = try server.leanCloud("juliet")
        #expect(try later.wait(.unread).unreadMessage?.convs.first?.unread == (isReading ? 1 : 2))
    }
}
