import LeanCloudWire
import TeahouseTesting
import Testing

struct ConversationPeopleTests {
    private func blacklist(
        _ client: LeanCloudClient, _ op: OpType, _ cid: String, _ people: [String] = []
    ) throws -> GenericCommand {
        try client.request(.blacklist, op) { command in
            var body = BlacklistCommand()
            body.srcCid = cid
            body.toPids = people
            command.blacklistMessage = body
        }
    }

    @Test("the owner makes managers, nobody makes themselves one")
    func roles() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let cid = try tom.start(["Jerry", "Spike"])
        for client in [tom, jerry] { _ = try client.pushes() }
        func set(_ client: LeanCloudClient, _ name: String, _ role: String) throws -> GenericCommand {
            try client.conv(.memberInfoUpdate) { body in
                body.cid = cid
                body.targetClientId = name
                body.info = ConvMemberInfo()
                body.info?.pid = name
                body.info?.role = role
            }
        }
        let own = LeanCloudClient.error(try set(jerry, "Jerry", "Manager"))
        #expect(own == "4320 CONVERSATION_OPERATION_UNAUTHORIZED")
        #expect(LeanCloudClient.error(try set(tom, "Jerry", "King")) == "4321 UNKNOWN_CONVERSATION_ROLE")
        #expect(
            LeanCloudClient.error(try set(tom, "Jerry", "Owner")) == "4320 CONVERSATION_OPERATION_UNAUTHORIZED")
        #expect(try set(tom, "Jerry", "Manager").op == .memberInfoUpdated)
        let push = try jerry.wait(.conv, .memberInfoChanged)
        #expect(push.convMessage?.info?.pid == "Jerry")
        #expect(push.convMessage?.info?.role == "Manager")
        #expect(push.convMessage?.initBy == "Tom")
        #expect(try tom.pushes() == ["member_info_changed by Tom"])
    }

    @Test("who would speak again by their own word gets one refusal, and undoing what is not done is no news")
    func nothingToUndo() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let cid = try tom.start(["Jerry", "Spike"])
        try tom.conv(.memberInfoUpdate) { body in
            body.cid = cid
            body.info = ConvMemberInfo()
            body.info?.pid = "Jerry"
            body.info?.role = "Manager"
        }
        try tom.conv(.addShutup) { body in
            body.cid = cid
            body.m = ["Jerry"]
        }
        for client in [tom, jerry] { _ = try client.pushes() }
        let own = try jerry.conv(.removeShutup) { body in
            body.cid = cid
            body.m = ["Jerry"]
        }
        #expect(LeanCloudClient.error(own) == "4320 CONVERSATION_OPERATION_UNAUTHORIZED")
        let blocking = try self.blacklist(jerry, .block, cid, ["Jerry"])
        #expect(LeanCloudClient.error(blocking) == "4320 CONVERSATION_OPERATION_UNAUTHORIZED")
        let unmuted = try tom.conv(.removeShutup) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(unmuted.op == .shutupRemoved && unmuted.convMessage?.allowedPids == ["Spike"])
        let unblocked = try self.blacklist(tom, .unblock, cid, ["Spike"])
        #expect(unblocked.op == .unblocked && unblocked.blacklistMessage?.allowedPids == ["Spike"])
        let removed = try tom.conv(.remove) { body in
            body.cid = cid
            body.m = ["Butch"]
        }
        #expect(removed.op == .removed && removed.convMessage?.allowedPids == ["Butch"])
        #expect(try tom.pushes() == [])
        #expect(try jerry.pushes() == [])
    }

    @Test("who is silenced is told so, everybody else and who did it as everybody is")
    func silence() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let spike = try server.client("Spike")
        let cid = try tom.start(["Jerry", "Spike"])
        for client in [tom, jerry, spike] { _ = try client.pushes() }
        let answer = try tom.conv(.addShutup) { body in
            body.cid = cid
            body.m = ["Spike", "Butch"]
        }
        #expect(answer.op == .shutupAdded)
        #expect(answer.convMessage?.allowedPids == ["Spike"])
        #expect(answer.convMessage?.failedPids.map(\.pids) == [["Butch"]])
        #expect(try tom.pushes() == ["members_shutuped by Tom Spike"])
        #expect(try jerry.pushes() == ["members_shutuped by Tom Spike"])
        #expect(try spike.pushes() == ["shutuped by Tom"])
        let list = try jerry.conv(.queryShutup) { $0.cid = cid }
        #expect(list.op == .shutupResult)
        #expect(list.convMessage?.m == ["Spike"])
        #expect(list.convMessage?.next == nil)
        let check = try jerry.conv(.checkShutup) { body in
            body.cid = cid
            body.m = ["Spike", "Tom"]
        }
        #expect(check.convMessage?.m == ["Spike"])
        try tom.conv(.removeShutup) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(try spike.pushes() == ["unshutuped by Tom"])
        #expect(try jerry.pushes() == ["members_unshutuped by Tom Spike"])
    }

    @Test("who is blocked is out and stays out until they are let in again", arguments: Dialect.allCases)
    func block(dialect: Dialect) throws {
        let server = try TestServer()
        let tom = try server.client("Tom", dialect)
        let jerry = try server.client("Jerry")
        let spike = try server.client("Spike")
        let cid = try tom.start(["Jerry", "Spike"])
        for client in [tom, jerry, spike] { _ = try client.pushes() }
        let answer = try self.blacklist(tom, .block, cid, ["Spike"])
        #expect(answer.cmd == .blacklist && answer.op == .blocked)
        #expect(answer.blacklistMessage?.allowedPids == ["Spike"])
        let told = ["members_blocked by Tom Spike", "members_left by Tom Spike"]
        #expect(try tom.pushes() == told)
        #expect(try jerry.pushes() == told)
        #expect(try spike.pushes() == ["blocked by Tom", "left by Tom"])
        let join = try spike.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(LeanCloudClient.error(join) == "4548 BLOCKED_BY_CONV")
        #expect(try self.blacklist(jerry, .query, cid).blacklistMessage?.blockedPids == ["Spike"])
        #expect(
            try self.blacklist(jerry, .checkBlock, cid, ["Spike", "Tom"]).blacklistMessage?.blockedPids == ["Spike"])
        #expect(try self.blacklist(tom, .unblock, cid, ["Spike"]).op == .unblocked)
        #expect(try spike.pushes() == ["unblocked by Tom"])
        #expect(try jerry.pushes() == ["members_unblocked by Tom Spike"])
        let again = try spike.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(again.op == .added)
    }

    @Test("a client that reads no parts gets one error, and nobody was added")
    func whole() throws {
        let server = try TestServer()
        let tom = try server.leanCloud("Tom") { $0.configBitmap = [] }
        let cid = try tom.start(["Jerry"])
        let answer = try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike", String(repeating: "x", count: 65)]
        }
        #expect(LeanCloudClient.error(answer) == "4317 CONVERSATION_MEMBERSHIP_REQUIRED")
        #expect(try tom.conv(.count) { $0.cid = cid }.convMessage?.count == 2)
    }

    @Test("a full conversation takes nobody")
    func full() throws {
        let server = try TestServer { $0.store.groupMembers = 3 }
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry", "Spike"])
        let answer = try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Tyke"]
        }
        #expect(LeanCloudClient.error(answer) == "4304 CONVERSATION_FULL")
        #expect(
            LeanCloudClient.error(try tom.conv(.start) { $0.m = ["a", "b", "c"] }) == "4304 CONVERSATION_FULL")
    }

    @Test("where the operator wants signatures, all but leaving needs one")
    func signatures() throws {
        let server = try TestServer { $0.accounts.app.signsConversations = true }
        let tom = try server.client("Tom")
        #expect(
            LeanCloudClient.error(try tom.conv(.start) { $0.m = ["Jerry"] }) == "4302 CONVERSATION_SIGNATURE_FAILED")
        let cid = try tom.start(["Jerry"]) { $0.tempConv = true }
        let add = try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(LeanCloudClient.error(add) == "4302 CONVERSATION_SIGNATURE_FAILED")
        #expect(
            LeanCloudClient.error(try self.blacklist(tom, .block, cid, ["Jerry"])) == "4546 BLACKLIST_SIGNATURE_FAILED")
        let quit = try tom.conv(.remove) { body in
            body.cid = cid
            body.m = ["Tom"]
        }
        #expect(quit.op == .removed)
    }

    @Test("a direct conversation that a third comes into goes on as a group")
    func directBecomesGroup() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let cid = try tom.start(["Jerry"]) { $0.unique = true }
        for client in [tom, jerry] { _ = try client.pushes() }
        let answer = try jerry.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(answer.op == .added)
        #expect(try tom.pushes().contains("members_joined by Jerry Spike"))
        let row = try #require(tom.rows(#"{"objectId":"\#(cid)"}"#).first)
        #expect(row["m"]?.array?.count == 3)
        #expect(row["unique"]?.boolean == false)
        #expect(try tom.start(["Jerry"]) { $0.unique = true } != cid)
    }
}
