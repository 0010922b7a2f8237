import ChatModel
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// Conversations that are over, and what is only done to ordinary ones.
struct OverTests {
    private func error(
        _ client: LeanCloudClient, _ op: OpType, _ cid: String, _ people: [String] = []
    ) throws -> String? {
        LeanCloudClient.error(
            try client.conv(op) { body in
                body.cid = cid
                body.m = people
                body.attr = JsonObjectMessage()
                body.attr?.data = #"{"name":"again"}"#
                body.targetClientId = people.first
                body.info = ConvMemberInfo()
                body.info?.role = "Manager"
            })
    }

    /// As the HTTP API and the operator delete one.
    private func delete(_ cid: String, _ server: TestServer) throws {
        let object = try #require(ObjectID(cid))
        try server.write { transaction throws(StoreError) in
            guard let found = try transaction.reading.conversations.one(.object(object), seenBy: .system) else {
                return
            }
            if found.kind == .room {
                try transaction.conversations.setListeners([], of: found.id)
            } else {
                try transaction.conversations.removeAllMembers(from: found.id, by: .application)
            }
            try transaction.conversations.setFlags(found.flags.union(.disbanded), of: found.id)
        }
    }

    @Test("one that was deleted is found by nobody, in no way, and takes nothing", arguments: [false, true])
    func deleted(isRoom: Bool) throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let cid = try tom.start(["Jerry"]) { $0.transient = isRoom }
        let other = try tom.start(["Jerry"]) { $0.transient = isRoom }
        try self.delete(cid, server)
        for client in [tom, jerry] {
            for condition in [#"{"objectId":"\#(cid)"}"#, #"{"objectId":{"$in":["\#(cid)"]}}"#] {
                #expect(try client.rows(condition).isEmpty)
            }
            let all = try client.rows(#"{"tr":\#(isRoom)}"#).compactMap { $0["objectId"]?.string }
            #expect(all == [other])
            for op in [OpType.count, .members, .mute, .maxRead, .queryShutup] {
                #expect(try self.error(client, op, cid) == "4303 CONVERSATION_NOT_FOUND", "\(op)")
            }
            for op in [OpType.add, .remove, .update, .addShutup, .memberInfoUpdate] {
                #expect(try self.error(client, op, cid, ["Jerry"]) == "4303 CONVERSATION_NOT_FOUND", "\(op)")
            }
            let history = try client.request(.logs) { command in
                var logs = LogsCommand()
                logs.cid = cid
                command.logsMessage = logs
            }
            #expect(LeanCloudClient.error(history) == "4401 INVALID_MESSAGING_TARGET")
            #expect(try client.say("anybody?", in: cid).code == 4401)
        }
        let answer = try tom.conv(.isMember) { $0.cids = [cid, other] }
        #expect(answer.convMessage?.results?.data == #"{"\#(cid)":false,"\#(other)":true}"#)
    }

    @Test("one that was disbanded is there for those who were in it, and for nobody else")
    func disbanded() throws {
        let server = try TestServer()
        let cid = try server.groupID("tea", ["Tom", "Jerry"])
        let (tom, spike) = (try server.client("Tom"), try server.client("Spike"))
        try tom.say("before", in: cid)
        let object = try #require(ObjectID(cid))
        try server.write { transaction throws(StoreError) in
            guard let found = try transaction.reading.conversations.one(.object(object), seenBy: .system) else {
                return
            }
            try transaction.conversations.disband(found.id, by: .operator)
        }
        #expect(try tom.rows(#"{"objectId":"\#(cid)"}"#).count == 1)
        #expect(try tom.rows(nil).count == 1)
        #expect(try tom.history(cid).map(\.data) == ["before"])
        #expect(try tom.say("after", in: cid).code == 4401)
        for condition in [#"{"objectId":"\#(cid)"}"#, #"{"m":"Tom"}"#, #"{"c":"Tom"}"#] {
            #expect(try spike.rows(condition).isEmpty)
        }
        #expect(try self.error(spike, .count, cid) == "4303 CONVERSATION_NOT_FOUND")
        #expect(try self.error(spike, .add, cid, ["Spike"]) == "4303 CONVERSATION_NOT_FOUND")
    }

    @Test("marks, roles, silence and blocking are for ordinary conversations", arguments: [false, true])
    func ordinary(isRoom: Bool) throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry"]) { body in
            body.transient = isRoom
            body.tempConv = !isRoom
        }
        let needed = "4314 NORMAL_CONVERSATION_REQUIRED"
        #expect(try self.error(tom, .mute, cid) == needed)
        #expect(try self.error(tom, .addShutup, cid, ["Jerry"]) == needed)
        let blocked = try tom.request(.blacklist, .block) { command in
            var body = BlacklistCommand()
            body.srcCid = cid
            body.toPids = ["Jerry"]
            command.blacklistMessage = body
        }
        #expect(LeanCloudClient.error(blocked) == needed)
    }
}
