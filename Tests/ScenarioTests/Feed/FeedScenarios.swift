import APIGateway
import Broker
import ByteCodec
import ChatModel
import Diagnostics
import Execution
import LeanCloudWire
import Server
import Store
import TeahouseTesting
import Testing

/// The events feed of our own API over real sockets, with clients of other protocols on the other side.
struct FeedScenarios {
    private func verona() throws -> (server: TestServer, id: ConversationID) {
        let server = try TestServer.withFiles()
        let id = try server.group("verona", ["romeo", "juliet", "nurse"])
        return (server, id)
    }

    @Test("a client signs in with its first frame and is told where it begins; a wrong token ends it")
    func signIn() throws {
        let (server, _) = try self.verona()
        let juliet = try FeedClient.ready(server, "juliet")
        #expect(juliet.subprotocol == FeedGateway.subprotocol)
        #expect(FeedCursor(juliet.cursor) != nil)
        try juliet.say(#"{"ping":7}"#)
        #expect(try juliet.next()?["pong"]?.integer == 7)
        for odd in ["{}", #"{"dance":1}"#, #"{"watch":1}"#, #"{"ping":1,"watch":[]}"#] {
            try juliet.say(odd)
            #expect(try juliet.next()?["type"]?.string == "problem", "\(odd)")
        }
        let wrong = try FeedClient(server, token: "wrong")
        #expect(try wrong.next()?["status"]?.integer == 401)
        #expect(try wrong.next() == nil)
        #expect(wrong.closeCode == 1008)
        let manager = try FeedClient(server, token: try server.managerToken())
        #expect(try manager.next()?["status"]?.integer == 403)
    }

    @Test("what a WuKongIM client says and changes arrives with the newest view of the conversation")
    func messages() throws {
        let (server, id) = try self.verona()
        let juliet = try FeedClient.ready(server, "juliet")
        let app = try App(server, "romeo")
        let romeo = try app.connect()
        let sent = try romeo.publish("wherefore", to: "verona", group: true)
        let event = try juliet.event("message")
        #expect(event["message"]?["text"]?.string == "wherefore" && event["message"]?["sender"]?.string == "romeo")
        #expect(event["message"]?["sequence"]?.integer == 1)
        #expect(event["message"]?["conversation"]?.string == "\(id.rawValue)")
        #expect(event["summary"]?["unread"]?.integer == 1 && event["summary"]?["headSequence"]?.integer == 1)
        let place = #""channel_id":"verona","channel_type":2,"message_id":"\#(sent.messageID)""#
        try app.does("POST", "message/edit", #"{\#(place),"content_edit":"{\"type\":1,\"content\":\"therefore\"}"}"#)
        let edited = try juliet.event("message_changed")
        #expect(edited["message"]?["text"]?.string == "therefore" && edited["message"]?["isEdited"]?.boolean == true)
        try app.does("POST", "reactions", #"{\#(place),"emoji":"👍"}"#)
        let reacted = try juliet.event("message_changed")
        #expect(reacted["message"]?["reactions"]?.array?.first?["count"]?.integer == 1)
        try app.does("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(sent.messageID)")
        let recalled = try juliet.wait(for: "message_changed")
        #expect(recalled["message"]?["kind"]?.string == "recalled" && recalled["message"]?["text"] == nil)
    }

    @Test("a person's own reading on another device is told to them alone")
    func reading() throws {
        let (server, _) = try self.verona()
        let romeo = try App(server, "romeo").connect()
        let juliet = try FeedClient.ready(server, "juliet")
        let nurse = try FeedClient.ready(server, "nurse")
        try romeo.publish("wherefore", to: "verona", group: true)
        try juliet.event("message")
        try nurse.event("message")
        try App(server, "juliet").does(
            "PUT", "coversation/clearUnread", #"{"channel_id":"verona","channel_type":2,"unread":0}"#)
        let read = try juliet.event("read")
        #expect(read["user"]?.string == "juliet" && read["sequence"]?.integer == 1)
        #expect(read["summary"]?["unread"]?.integer == 0)
        try server.settle()
        #expect(try nurse.pending().isEmpty)
    }

    @Test("who is taken out is told once that it is gone and then nothing; who comes again gets it anew")
    func membership() throws {
        let (server, id) = try self.verona()
        let romeo = try App(server, "romeo").connect()
        let (juliet, nurse) = (try FeedClient.ready(server, "juliet"), try FeedClient.ready(server, "nurse"))
        let person = try server.id("juliet")
        try server.write { store throws(StoreError) in _ = try store.conversations.removeMembers([person], from: id) }
        let gone = try juliet.event("gone")
        #expect(gone["conversation"]?.string == "\(id.rawValue)")
        let left = try nurse.wait(for: "member")
        #expect(left["user"]?.string == "juliet" && left["change"]?.string == "left")
        try romeo.publish("alone", to: "verona", group: true)
        try nurse.wait(for: "message")
        #expect(try juliet.pending().isEmpty)
        try server.write { store throws(StoreError) in _ = try store.conversations.addMembers([person], to: id) }
        let again = try juliet.wait(for: "conversation")
        #expect(again["conversation"]?["id"]?.string == "\(id.rawValue)" && again["isNew"]?.boolean == true)
        let back = try nurse.wait(for: "member")
        #expect(back["user"]?.string == "juliet" && back["change"]?.string == "changed")
    }

    @Test("who comes back is told what they missed, as it is now, in order and once")
    func comesBack() throws {
        let (server, id) = try self.verona()
        let app = try App(server, "romeo")
        let romeo = try app.connect()
        let first = try FeedClient.ready(server, "juliet")
        let cursor = first.cursor
        first.drop()
        let sent = try romeo.publish("a secret", to: "verona", group: true)
        try romeo.publish("two", to: "verona", group: true)
        try app.does("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(sent.messageID)")
        let montague = try server.id("romeo")
        try server.write { store throws(StoreError) in
            _ = try store.conversations.setNickname(of: montague, "Montague", in: id, by: .operator)
        }
        try server.restart()
        let juliet = try FeedClient.ready(server, "juliet", after: cursor)
        #expect(juliet.cursor == cursor)
        var texts: [String?] = []
        var positions: [Int64] = []
        let events = try juliet.everything(server, "juliet")
        for event in events {
            positions.append(try #require(event["cursor"]?.string.flatMap(FeedCursor.init)).position)
            if event["type"]?.string == "message" { texts.append(event["message"]?["text"]?.string) }
            #expect(!String(decoding: event.serialized(), as: UTF8.self).contains("a secret"))
        }
        #expect(texts.prefix(2) == [nil, "two"])
        #expect(positions == positions.sorted() && Set(positions).count == positions.count)
        #expect(events.contains { $0["type"]?.string == "member" && $0["user"]?.string == "romeo" })
        let newest = try FeedClient.ready(server, "juliet", after: juliet.cursor)
        let rest = try newest.everything(server, "juliet").compactMap { $0["cursor"]?.string.flatMap(FeedCursor.init) }
        #expect(rest.allSatisfy { !positions.contains($0.position) }, "nothing twice to who names the last cursor")
    }

    @Test("people who share a conversation or a friendship are told how somebody is shown, present or away")
    func profiles() throws {
        let (server, _) = try self.verona()
        try server.add(["tybalt"])
        let (romeo, juliet, tybalt) = (try server.id("romeo"), try server.id("juliet"), try server.id("tybalt"))
        let present = try FeedClient.ready(server, "juliet")
        let stranger = try FeedClient.ready(server, "tybalt")
        let nurse = try FeedClient.ready(server, "nurse")
        let cursor = nurse.cursor
        nurse.drop()
        try server.write { store throws(StoreError) in try store.people.setDisplayName(romeo, "Montague") }
        let shown = try present.event("profile")["user"]
        #expect(shown?["name"]?.string == "romeo" && shown?["displayName"]?.string == "Montague")
        try server.write { store throws(StoreError) in _ = try store.friends.make(juliet, romeo) }
        try present.event("profile")
        try server.write { store throws(StoreError) in try store.friends.setRemark(romeo, of: juliet, "the sun") }
        #expect(try present.event("profile")["user"]?["remark"]?.string == "the sun")
        #expect(try stranger.everything(server, "tybalt").isEmpty)
        try server.write { store throws(StoreError) in
            try store.people.setDisplayName(romeo, "Romeo")
            try store.people.setDisplayName(tybalt, "Capulet")
        }
        try server.restart()
        let back = try FeedClient.ready(server, "nurse", after: cursor)
        let missed = try back.everything(server, "nurse")
        #expect(missed.map { $0["type"]?.string } == ["profile"], "the newest state, once, and of nobody else")
        #expect(missed.first?["user"]?["displayName"]?.string == "Romeo")
        #expect(missed.first?["user"]?["remark"] == nil && missed.first?["cursor"] != nil)
    }

    @Test("a cursor that is unknown, too new or of another database is a gap")
    func gap() throws {
        let (server, _) = try self.verona()
        let token = try server.token("juliet", .web)
        let now = try FeedClient.ready(server, "juliet").cursor
        let known = try #require(FeedCursor(now))
        for after in [
            "tea", FeedCursor(epoch: known.epoch == 1 ? 2 : known.epoch - 1, position: known.position).text,
            FeedCursor(epoch: known.epoch, position: .max).text,
        ] {
            let client = try FeedClient(server, token: token, after: after)
            #expect(try client.next()?["hello"] != nil)
            #expect(try client.next()?["scope"]?.string == "all", "\(after)")
            #expect(try server.poll(token, after: after).json["items"]?.array?.first?["type"]?.string == "gap")
        }
    }

    @Test("more than can be told of one conversation is a gap of that conversation")
    func gapOfOne() throws {
        let (server, id) = try self.verona()
        let cursor = try FeedClient.ready(server, "juliet").cursor
        try server.fill(id, by: "romeo", count: 400, bytes: 10)
        let juliet = try FeedClient.ready(server, "juliet", after: cursor)
        let gap = try juliet.wait(for: "gap")
        #expect(gap["scope"]?.string == "conversation" && gap["conversation"]?.string == "\(id.rawValue)")
    }

    @Test("a client that does not read holds nobody up, and knows the end once it reads")
    func slow() throws {
        let (server, id) = try self.verona()
        let slow = try FeedClient.ready(server, "juliet", receiveBufferBytes: 4096)
        let nurse = try FeedClient.ready(server, "nurse")
        try server.fill(id, by: "romeo", count: 600, bytes: 4_000)
        // Everything, or a gap of what is too much, and then the end.
        for client in [nurse, slow] {
            try waitUntil {
                guard let event = try client.next() else { throw TestClientError(description: "closed") }
                if event["type"]?.string == "gap" { return true }
                return event["message"]?["sequence"]?.integer == 600
            }
        }
        try App(server, "romeo").connect().publish("the end", to: "verona", group: true)
        for client in [nurse, slow] {
            try waitUntil { try client.wait(for: "message")["message"]?["text"]?.string == "the end" }
        }
    }

    @Test("a request waits until something happens, and a second one of the device has it answered")
    func polls() throws {
        let unproven = Limit(name: "pre_auth_connections", unit: "connections", maximum: 512)
        let server = try TestServer.withFiles { $0.transportLimits.preAuthConnections = unproven }
        try server.group("verona", ["romeo", "juliet", "nurse"])
        let romeo = try App(server, "romeo").connect()
        let token = try server.token("juliet", .web)
        let begin = try server.poll(token)
        let cursor = try #require(begin.json["cursor"]?.string)
        #expect(begin.status == 200 && begin.json["items"]?.array?.isEmpty == true)
        #expect(try server.poll(token, after: cursor).json["items"]?.array?.isEmpty == true)
        let waiting = FeedClient.pollLater(port: server.port, token, after: cursor, wait: 30)
        try waitUntil { try self.isOnline("juliet", server) }
        // Who waits has signed in: their connection takes no place of those who have not.
        try waitUntil { unproven.current == 0 }
        try romeo.publish("wherefore", to: "verona", group: true)
        let reply = waiting()
        #expect(reply?.json["items"]?.array?.first?["message"]?["text"]?.string == "wherefore")
        let next = try #require(reply?.json["cursor"]?.string)
        #expect(next != cursor)
        try waitUntil { try !self.isOnline("juliet", server) }
        let older = FeedClient.pollLater(port: server.port, token, after: next, wait: 30)
        try waitUntil { try self.isOnline("juliet", server) }
        _ = try server.poll(token, after: next, wait: 1)
        let first = older()
        #expect(first?.status == 200 && first?.json["items"]?.array?.isEmpty == true)
        #expect(try server.http("GET", "\(FeedGateway.path)?wait=31", token: token).status == 400)
        #expect(try server.http("GET", "\(FeedGateway.path)?tea=1", token: token).status == 400)
        for twice in ["wait=0&wait=1", "after=\(cursor)&after=\(next)"] {
            let reply = try server.http("GET", "\(FeedGateway.path)?\(twice)", token: token)
            #expect(reply.status == 400 && reply.json["code"]?.string == "invalid_field", "\(twice)")
        }
        #expect(try server.http("GET", FeedGateway.path).status == 401)
    }

    private func isOnline(_ name: String, _ server: TestServer) throws -> Bool {
        let person = try #require(UserName(name))
        let answer = ConditionLock<Bool?>(nil)
        server.server.broker.online([person]) { online in answer.change { $0 = online.contains(person) } }
        return answer.wait(until: { $0 != nil }, then: { $0 }) ?? false
    }

    @Test("who is online, and who is writing, is told without a cursor")
    func passing() throws {
        let (server, id) = try self.verona()
        let juliet = try FeedClient.ready(server, "juliet")
        try juliet.say(#"{"watch":["romeo"]}"#)
        #expect(try juliet.event("online")["isOnline"]?.boolean == false)
        let romeo = try FeedClient.ready(server, "romeo")
        let online = try juliet.event("online")
        #expect(online["user"]?.string == "romeo" && online["isOnline"]?.boolean == true && online["cursor"] == nil)
        try romeo.say(#"{"typing":"\#(id.rawValue)"}"#)
        let typing = try juliet.event("typing")
        #expect(typing["user"]?.string == "romeo" && typing["conversation"]?.string == "\(id.rawValue)")
        #expect(typing["cursor"] == nil)
        romeo.drop()
        #expect(try juliet.event("online")["isOnline"]?.boolean == false)
    }

    @Test("where people see only whom they know, strangers look offline, until they are known and watched again")
    func strangers() throws {
        let server = try TestServer.withFiles { $0.profiles.service.visibility = .acquainted }
        try server.group("verona", ["romeo", "juliet"])
        try server.add("tybalt")
        let juliet = try FeedClient.ready(server, "juliet")
        let romeo = try FeedClient.ready(server, "romeo")
        let tybalt = try FeedClient.ready(server, "tybalt")
        func watch() throws -> [String: Bool] {
            try juliet.say(#"{"watch":["romeo","tybalt","nobody"]}"#)
            let told = try (0..<3).map { _ in try juliet.wait(for: "online") }
            return Dictionary(
                told.map { ($0["user"]?.string ?? "", $0["isOnline"]?.boolean ?? false) }, uniquingKeysWith: { $1 })
        }
        #expect(try watch() == ["romeo": true, "tybalt": false, "nobody": false])
        tybalt.drop()
        romeo.drop()
        #expect(try juliet.wait(for: "online")["user"]?.string == "romeo", "only who is known is followed")
        let again = try FeedClient.ready(server, "tybalt")
        #expect(try watch() == ["romeo": false, "tybalt": false, "nobody": false])
        let (one, other) = (try server.id("juliet"), try server.id("tybalt"))
        try server.write { store throws(StoreError) in _ = try store.conversations.ensureDirect(one, other) }
        #expect(try watch() == ["romeo": false, "tybalt": true, "nobody": false])
        again.drop()
        let gone = try juliet.wait(for: "online")
        #expect(gone["user"]?.string == "tybalt" && gone["isOnline"]?.boolean == false)
    }

    @Test("a client that only asks shows that somebody writes, to members alone, and not to who has blocked them")
    func typing() throws {
        let (server, id) = try self.verona()
        try server.add("tybalt")
        let (romeo, juliet) = (try server.id("romeo"), try server.id("juliet"))
        let direct = try server.write { store throws(StoreError) in try store.conversations.ensureDirect(romeo, juliet)
        }
        let (listener, client) = (try FeedClient.ready(server, "juliet"), try NativeClient(server, "romeo"))
        let stranger = try NativeClient(server, "tybalt")
        func shown(_ place: ConversationID) throws {
            try client.done("POST", "/conversations/\(place.rawValue)/typing", status: 204)
            let typing = try listener.event("typing")
            #expect(typing["user"]?.string == "romeo" && typing["conversation"]?.string == "\(place.rawValue)")
        }
        try shown(direct)
        try shown(id)
        #expect(
            try stranger.refused("POST", "/conversations/\(id.rawValue)/typing") == "no_such_conversation")
        try server.write { store throws(StoreError) in try store.people.setListed(owner: juliet, .blocked, romeo, true)
        }
        try listener.wait(for: "profile")
        try client.done("POST", "/conversations/\(direct.rawValue)/typing", status: 204)
        // The next one is shown, and nothing came before it.
        try shown(id)
    }

    @Test("who watches many people asks as often, and not again for those who are watched already")
    func manyWatched() throws {
        let server = try TestServer {
            $0.wuKongAPI.perPerson = RateLimit(perSecond: 0.001, burst: 80)
        }
        try server.add("juliet")
        let juliet = try FeedClient.ready(server, "juliet")
        func watch(_ prefix: String) throws {
            try juliet.say(#"{"watch":[\#((0..<500).map { "\"\(prefix)\($0)\"" }.joined(separator: ","))]}"#)
        }
        for _ in 0..<2 {
            try watch("montague")
            for _ in 0..<500 { #expect(try juliet.event("online")["isOnline"]?.boolean == false) }
        }
        try watch("capulet")
        #expect(try juliet.event("problem")["status"]?.integer == 429)
    }

    @Test("an operator who ends a session, and a person who is disabled, end the feed")
    func ends() throws {
        let (server, _) = try self.verona()
        let juliet = try FeedClient.ready(server, "juliet")
        let person = try server.id("juliet")
        server.server.broker.end(allOf: person, deviceClass: nil, reason: .kickedByOperator("tea"))
        #expect(try juliet.next() == nil)
        #expect(juliet.closeCode == 1008)
    }
}
