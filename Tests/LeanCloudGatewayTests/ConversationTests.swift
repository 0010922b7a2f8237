import ByteCodec
import Execution
import LeanCloudWire
import TeahouseTesting
import Testing

struct ConversationTests {
    // MARK: Who is told what

    @Test(
        "everybody in a new conversation is told, the creator too; the issuing socket of a JavaScript client is not",
        arguments: Dialect.allCases)
    func create(dialect: Dialect) throws {
        let server = try TestServer()
        let tom = try server.client("Tom", dialect)
        let other = try server.client("Tom", .swift)
        let jerry = try server.client("Jerry", dialect)
        let answer = try tom.conv(.start) { $0.m = dialect == .cSharp ? ["Jerry"] : ["Tom", "Jerry"] }
        #expect(answer.op == .started)
        #expect(answer.convMessage?.cid?.count == 24)
        #expect(answer.convMessage?.cdate?.hasSuffix("Z") == true)
        #expect(answer.convMessage?.existing == nil)
        let told = ["joined by Tom", "members_joined by Tom Tom,Jerry"]
        #expect(try tom.pushes() == (dialect == .javaScript ? [] : told))
        #expect(try other.pushes() == told)
        #expect(try jerry.pushes() == told)
    }

    @Test("who is added is told first that they are in, then everybody who came")
    func add() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let spike = try server.client("Spike")
        let cid = try tom.start(["Jerry"])
        for client in [tom, jerry] { _ = try client.pushes() }
        let answer = try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(answer.op == .added)
        #expect(answer.convMessage?.allowedPids == ["Spike"])
        #expect(answer.convMessage?.udate != nil)
        #expect(try tom.pushes() == ["members_joined by Tom Spike"])
        #expect(try jerry.pushes() == ["members_joined by Tom Spike"])
        #expect(try spike.pushes() == ["joined by Tom", "members_joined by Tom Spike"])
    }

    @Test("who joins and who quits is told as by themselves, the others as everybody is", arguments: Dialect.allCases)
    func joinAndQuit(dialect: Dialect) throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let spike = try server.client("Spike", dialect)
        let cid = try tom.start(["Jerry"])
        _ = try tom.pushes()
        try spike.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        let isJavaScript = dialect == .javaScript
        #expect(try spike.pushes() == (isJavaScript ? [] : ["joined by Spike", "members_joined by Spike Spike"]))
        #expect(try tom.pushes() == ["members_joined by Spike Spike"])
        let answer = try spike.conv(.remove) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(answer.op == .removed)
        #expect(try spike.pushes() == (isJavaScript ? [] : ["left by Spike"]))
        #expect(try tom.pushes() == ["members_left by Spike Spike"])
    }

    @Test("when the owner quits, or two people become a group, nobody is told of an owner")
    func silentOwners() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let pair = try tom.start(["Jerry"]) { $0.unique = true }
        for client in [tom, jerry] { _ = try client.pushes() }
        try tom.conv(.add) { body in
            body.cid = pair
            body.m = ["Spike"]
        }
        #expect(try jerry.pushes() == ["members_joined by Tom Spike"])
        try tom.conv(.remove) { body in
            body.cid = pair
            body.m = ["Tom"]
        }
        #expect(try jerry.pushes() == ["members_left by Tom Tom"])
        #expect(try tom.pushes() == ["members_joined by Tom Spike", "left by Tom"])
    }

    @Test("who is removed hears that they are out and nothing more")
    func remove() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let spike = try server.client("Spike")
        let cid = try tom.start(["Jerry", "Spike"])
        for client in [tom, jerry, spike] { _ = try client.pushes() }
        try tom.conv(.remove) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Tyke"]
        }
        #expect(try tom.pushes() == ["members_left by Tom Spike", "members_joined by Tom Tyke"])
        #expect(try jerry.pushes() == ["members_left by Tom Spike", "members_joined by Tom Tyke"])
        #expect(try spike.pushes() == ["left by Tom"])
    }

    @Test("a change of the card answers what is new, and tells the others in both forms")
    func update() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let cid = try tom.start(["Jerry"]) { body in
            body.attr = JsonObjectMessage()
            body.attr?.data = #"{"name":"Cats","attr":{"type":1,"old":true},"color":{"text":"red"}}"#
        }
        for client in [tom, jerry] { _ = try client.pushes() }
        let asked = #"{"name":"Mice","attr.old":{"__op":"Delete"},"attr.count":{"__op":"Increment","amount":2}}"#
        let answer = try tom.conv(.update) { body in
            body.cid = cid
            body.attr = JsonObjectMessage()
            body.attr?.data = asked
        }
        #expect(answer.op == .updated)
        let modified = try JSONValue(parsing: answer.convMessage?.attrModified?.data ?? "")
        #expect(modified["name"]?.string == "Mice")
        #expect(modified["attr"]?["count"]?.integer == 2)
        #expect(modified["attr"]?["old"] == nil)
        #expect(answer.convMessage?.udate != nil)
        let push = try jerry.wait(.conv, .updated)
        #expect(push.convMessage?.attr?.data == asked)
        #expect(push.convMessage?.attrModified?.data == answer.convMessage?.attrModified?.data)
        #expect(push.convMessage?.udate == answer.convMessage?.udate)
        #expect(push.convMessage?.initBy == "Tom")
        #expect(try tom.pushes() == [])
        let row = try #require(tom.rows(#"{"objectId":"\#(cid)"}"#).first)
        #expect(row["name"]?.string == "Mice")
        #expect(row["attr"]?["type"]?.integer == 1)
        #expect(row["color"]?["text"]?.string == "red")
    }

    @Test(
        "what a client may not change is refused",
        arguments: [#"{"m":["Spike"]}"#, #"{"objectId":"x"}"#, #"{"attr":1}"#, "[", #"{"name":{"__op":"Bad"}}"#])
    func updateRefused(asked: String) throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry"])
        let answer = try tom.conv(.update) { body in
            body.cid = cid
            body.attr = JsonObjectMessage()
            body.attr?.data = asked
        }
        #expect(LeanCloudClient.error(answer) == "4306 CONVERSATION_UPDATE_FAILED")
    }

    @Test("a stranger changes no card, and nobody a temporary one's")
    func updateByStranger() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let spike = try server.client("Spike")
        let cid = try tom.start(["Jerry"])
        let temporary = try tom.start(["Jerry"]) { $0.tempConv = true }
        func update(_ client: LeanCloudClient, _ cid: String) throws -> String? {
            LeanCloudClient.error(
                try client.conv(.update) { body in
                    body.cid = cid
                    body.attr = JsonObjectMessage()
                    body.attr?.data = #"{"name":"x"}"#
                })
        }
        #expect(try update(spike, cid) == "4309 CONVERSATION_UPDATE_REJECTED")
        #expect(try update(tom, temporary) == "4314 NORMAL_CONVERSATION_REQUIRED")
        #expect(try update(tom, "5f0e2a3b4c5d6e7f80912345") == "4303 CONVERSATION_NOT_FOUND")
    }

    // MARK: Kinds

    @Test("a unique conversation is given again and says so; nobody is told")
    func unique() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let first = try tom.conv(.start) { body in
            body.m = ["Jerry", "Spike"]
            body.unique = true
        }
        _ = try jerry.pushes()
        let second = try jerry.conv(.start) { body in
            body.m = ["Spike", "Tom"]
            body.unique = true
        }
        #expect(first.convMessage?.cid == second.convMessage?.cid)
        #expect(first.convMessage?.uniqueId?.count == 32)
        #expect(second.convMessage?.uniqueId == first.convMessage?.uniqueId)
        #expect(second.convMessage?.existing == true)
        #expect(try jerry.pushes() == [])
    }

    @Test(
        "of several switches a room counts before a temporary one, and that before a unique one",
        arguments: [
            (true, true, false, 2), (true, false, true, 4), (false, true, true, 2), (true, true, true, 2),
            (true, false, false, 1),
        ])
    func options(unique: Bool, room: Bool, temporary: Bool, type: Int64) throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry"]) { body in
            body.unique = unique
            body.transient = room
            body.tempConv = temporary
            body.tempConvTTL = temporary ? 60 : nil
        }
        #expect(cid.hasPrefix("_tmp:") == (type == 4))
        let found = try tom.conv(.query) { body in
            if type == 4 { body.tempConvIds = [cid] }
            body.where = JsonObjectMessage()
            body.where?.data = #"{"objectId":"\#(cid)"}"#
        }
        let rows = try JSONValue(parsing: found.convMessage?.results?.data ?? "").array ?? []
        #expect(rows.map { $0["conv_type"]?.integer } == [type])
        #expect(rows.first?["unique"]?.boolean == (type == 1))
    }

    @Test("the same people get their temporary one again; when it is over, everything there says so")
    func temporaryAgain() throws {
        let clock = ManualClock()
        let server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
        }
        let (tom, jerry) = (try server.client("Tom"), try server.client("Jerry"))
        func start(_ client: LeanCloudClient, _ other: String, _ unique: Bool? = true) throws -> ConvCommand {
            let answer = try client.conv(.start) { body in
                body.m = [other]
                body.unique = unique
                body.tempConv = true
                body.tempConvTTL = 60
            }
            return try #require(answer.convMessage)
        }
        let (first, second) = (try start(tom, "Jerry"), try start(jerry, "Tom"))
        // The Swift SDK says nothing, the JavaScript SDK 4 that it is not unique.
        #expect(try start(jerry, "Tom", nil).cid == first.cid)
        #expect(try start(jerry, "Tom", false).cid != first.cid)
        let cid = try #require(first.cid)
        #expect(second.cid == cid && first.existing == nil && second.existing == true)
        let said = try tom.say("hello", in: cid)
        clock.advance(milliseconds: 61_000)
        let late = try tom.say("late", in: cid)
        #expect(late.code == 4323 && late.reason == "TEMPORARY_CONVERSATION_EXPIRED")
        let logs = try tom.request(.logs) { command in
            command.logsMessage = LogsCommand()
            command.logsMessage?.cid = cid
        }
        let patch = try tom.change(cid, said.uid, at: said.t) { $0.recall = true }
        let count = try tom.conv(.count) { $0.cid = cid }
        for answer in [logs, patch, count] {
            #expect(LeanCloudClient.error(answer) == "4323 TEMPORARY_CONVERSATION_EXPIRED")
        }
        let next = try start(tom, "Jerry")
        #expect(next.cid != cid && next.existing == nil)
        for client in [tom, jerry] { client.drop() }
        server.stop()
    }

    @Test("a row says whether who asks has muted the conversation")
    func mutedRows() throws {
        let server = try TestServer()
        let (tom, jerry) = (try server.client("Tom"), try server.client("Jerry"))
        let cid = try tom.start(["Jerry"])
        #expect(try tom.conv(.mute) { $0.cid = cid }.op == .updated)
        for flag in [nil, Int32(1), 2] {
            let condition = #"{"objectId":"\#(cid)"}"#
            #expect(try tom.rows(condition) { $0.flag = flag }.first?["muted"]?.boolean == true)
            #expect(try jerry.rows(condition) { $0.flag = flag }.first?["muted"]?.boolean == false)
        }
    }

    @Test("a temporary conversation has its prefix and its life, is found by its id, and its people are told so")
    func temporary() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let answer = try tom.conv(.start) { body in
            body.m = ["Jerry"]
            body.tempConv = true
            body.tempConvTTL = 3_600
        }
        let cid = try #require(answer.convMessage?.cid)
        #expect(cid.hasPrefix("_tmp:"))
        #expect(answer.convMessage?.tempConvTTL == 3_600)
        let push = try jerry.wait(.conv, .joined)
        #expect(push.convMessage?.cid == cid)
        #expect(push.convMessage?.tempConv == true)
        let found = try jerry.conv(.query) { $0.tempConvIds = [cid, "_tmp:5f0e2a3b4c5d6e7f80912345"] }
        let rows = try JSONValue(parsing: found.convMessage?.results?.data ?? "").array ?? []
        #expect(rows.count == 1)
        #expect(rows.first?["objectId"]?.string == cid)
        #expect(rows.first?["temp"]?.boolean == true)
        #expect((3_590...3_600).contains(rows.first?["ttl"]?.integer ?? 0))
        #expect(try jerry.rows(nil).isEmpty)
        let gone = try jerry.conv(.add) { body in
            body.cid = "_tmp:5f0e2a3b4c5d6e7f80912345"
            body.m = ["Jerry"]
        }
        #expect(LeanCloudClient.error(gone) == "4323 TEMPORARY_CONVERSATION_EXPIRED")
    }

    @Test("who makes a room is in it, coming and going is no news, and its count is who is here")
    func room() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let jerry = try server.client("Jerry")
        let cid = try tom.start(["Tom"]) { $0.transient = true }
        func count() throws -> Int32? { try tom.conv(.count) { $0.cid = cid }.convMessage?.count }
        #expect(try count() == 1)
        let answer = try jerry.conv(.add) { body in
            body.cid = cid
            body.m = ["Jerry"]
        }
        #expect(answer.op == .added)
        #expect(try count() == 2)
        #expect(try tom.conv(.members) { $0.cid = cid }.convMessage?.m == ["Jerry", "Tom"])
        try jerry.conv(.remove) { body in
            body.cid = cid
            body.m = ["Jerry"]
        }
        #expect(try count() == 1)
        #expect(try tom.pushes() == [])
        #expect(try jerry.pushes() == [])
        #expect(try jerry.rows(#"{"tr":true}"#).map { $0["objectId"]?.string } == [cid])
        let dragged = try tom.conv(.add) { body in
            body.cid = cid
            body.m = ["Spike"]
        }
        #expect(dragged.cmd == .error)
    }

    // MARK: Marks and questions

    @Test("a person's mute stands in the row, and is answered with an update")
    func mute() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry"])
        let answer = try tom.conv(.mute) { $0.cid = cid }
        #expect(answer.op == .updated)
        #expect(answer.convMessage?.udate != nil)
        #expect(try tom.rows(nil).first?["mu"] == .array([.string("Tom")]))
        try tom.conv(.unmute) { $0.cid = cid }
        #expect(try tom.rows(nil).first?["mu"] == .array([]))
    }

    @Test("the count, the list, and whether one is in it")
    func questions() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let spike = try server.client("Spike")
        let cid = try tom.start(["Jerry"])
        #expect(try spike.conv(.count) { $0.cid = cid }.convMessage?.count == 2)
        #expect(try tom.conv(.members) { $0.cid = cid }.convMessage?.m == ["Tom", "Jerry"])
        let answer = try spike.conv(.isMember) { $0.cids = [cid, "none"] }
        #expect(answer.convMessage?.results?.data == #"{"\#(cid)":false,"none":false}"#)
        #expect(try tom.conv(.maxRead) { $0.cid = cid }.convMessage?.maxReadTimestamp == 0)
    }

    // MARK: Queries

    @Test("a row has what each SDK reads, in the kind it reads")
    func row() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry"]) { $0.unique = true }
        let row = try #require(tom.rows(#"{"objectId":"\#(cid)"}"#) { $0.flag = 2 }.first)
        #expect(row["m"] == .array([.string("Tom"), .string("Jerry")]))
        #expect(row["c"]?.string == "Tom")
        #expect(row["unique"]?.boolean == true)
        #expect(row["uniqueId"]?.string?.count == 32)
        #expect(row["conv_type"]?.integer == 1)
        #expect(row["createdAt"]?.string?.hasSuffix("Z") == true)
        #expect(row["updatedAt"]?.string?.hasSuffix("Z") == true)
        #expect(row["lm"] == nil)
        #expect(row["msg"] == nil && row["bin"] == nil)
        let compact = try #require(tom.rows(#"{"objectId":"\#(cid)"}"#) { $0.flag = 1 }.first)
        #expect(compact["m"] == nil)
    }

    @Test("the newest message stands in a row when it is asked for, its date as an object and its bytes as base64")
    func newest() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        let cid = try tom.start(["Jerry"])
        let first = try tom.say(typed("hello"), in: cid) { $0.mentionPids = ["Jerry"] }
        let condition = #"{"objectId":"\#(cid)"}"#
        #expect(try tom.rows(condition).first?["msg"] == nil, "nobody asked")
        var row = try #require(tom.rows(condition) { $0.flag = 2 }.first)
        #expect(row["lm"]?["__type"]?.string == "Date" && row["lm"]?["iso"]?.string?.hasSuffix("Z") == true)
        #expect(row["msg"]?.string == typed("hello") && row["bin"]?.boolean == false)
        #expect(row["msg_mid"]?.string == first.uid && row["msg_timestamp"]?.integer == first.t)
        #expect(row["msg_from"]?.string == "Tom" && row["patch_timestamp"] == nil)
        #expect(row["mention_all"]?.boolean == false && row["mention_pids"] == .array([.string("Jerry")]))
        #expect(try tom.change(cid, first.uid, at: first.t) { $0.data = typed("hallo") }.op == .modified)
        row = try #require(tom.rows(condition) { $0.flag = 3 }.first)
        #expect(row["msg"]?.string == typed("hallo") && row["patch_timestamp"]?.integer ?? 0 > 0)
        #expect(row["m"] == nil && row["mu"] == nil)
        try tom.say("", in: cid) { direct in
            direct.msg = nil
            direct.binaryMsg = [0xFF, 0x00]
        }
        row = try #require(tom.rows(condition) { $0.flag = 2 }.first)
        #expect(row["msg"]?.string == "/wA=" && row["bin"]?.boolean == true)
        let spike = try server.client("Spike")
        let seen = try #require(spike.rows(condition) { $0.flag = 2 }.first)
        #expect(seen["m"]?.array?.count == 2 && seen["msg"] == nil, "messages are for members")
    }

    @Test("without a condition the ten newest of one's own, and a limit is kept or refused")
    func limits() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        for number in 0..<12 { _ = try tom.start(["cat\(number)"]) }
        #expect(try tom.rows(nil).count == 10)
        #expect(try tom.rows(nil) { $0.limit = 0 }.isEmpty)
        #expect(try tom.rows("{}") { $0.limit = 1_000 }.count == 12)
        let page = try tom.rows(nil) { body in
            body.limit = 5
            body.skip = 10
        }
        #expect(page.count == 2)
        let answer = try tom.conv(.query) { $0.limit = 1_001 }
        #expect(LeanCloudClient.error(answer) == "4310 CONVERSATION_QUERY_FAILED")
    }

    @Test("less than and less or equal are two, and text goes into no statement")
    func conditions() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        for age in [17, 18, 19] {
            _ = try tom.start(["Jerry"]) { body in
                body.attr = JsonObjectMessage()
                body.attr?.data = #"{"name":"age \#(age)","attr":{"age":\#(age)}}"#
            }
        }
        func names(_ condition: String) throws -> [String] {
            try tom.rows(condition) { $0.sort = "attr.age" }.compactMap { $0["name"]?.string }
        }
        #expect(try names(#"{"attr.age":{"$lt":18}}"#) == ["age 17"])
        #expect(try names(#"{"attr.age":{"$lte":18}}"#) == ["age 17", "age 18"])
        #expect(try names(#"{"attr.age":{"$gt":18}}"#) == ["age 19"])
        #expect(try names(#"{"name":{"$regex":"\\Q17\\E"}}"#) == ["age 17"])
        #expect(try names(#"{"m":{"$all":["Tom","Jerry"]},"attr.age":18}"#) == ["age 18"])
        #expect(try names(#"{"m":"'; DROP TABLE conversation; --"}"#) == [])
        #expect(try names(#"{"objectId":"' OR 1=1 --"}"#) == [])
        let answer = try tom.conv(.query) { body in
            body.where = JsonObjectMessage()
            body.where?.data = #"{"a":{"$where":"1"}}"#
        }
        #expect(LeanCloudClient.error(answer) == "4310 CONVERSATION_QUERY_FAILED")
    }

    @Test("what is near comes nearest first, unless the client wants another order")
    func near() throws {
        let server = try TestServer()
        let tom = try server.client("Tom")
        for (name, latitude) in [("far", 31.2), ("near", 39.9), ("middle", 36.6), ("elsewhere", -33.9)] {
            _ = try tom.start(["Jerry"]) { body in
                body.attr = JsonObjectMessage()
                body.attr?.data = """
                    {"name":"\(name)","attr":{"at":{"__type":"GeoPoint","latitude":\(latitude),"longitude":116.4}}}
                    """
            }
        }
        let place = #"{"__type":"GeoPoint","latitude":40.0,"longitude":116.4}"#
        let condition = #"{"attr.at":{"$nearSphere":\#(place),"$maxDistanceInKilometers":2000}}"#
        #expect(try tom.rows(condition).map { $0["name"]?.string } == ["near", "middle", "far"])
        let page = try tom.rows(condition) { body in
            body.limit = 1
            body.skip = 1
        }
        #expect(page.map { $0["name"]?.string } == ["middle"])
        #expect(try tom.rows(condition) { $0.sort = "name" }.map { $0["name"]?.string } == ["far", "middle", "near"])
    }
}
