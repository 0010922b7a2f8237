import Broker
import ByteCodec
import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire
import Server
import Store
import TeahouseTesting
import Testing

/// Something that changes in the group verona. Tybalt is whom it happens to; paris comes.
enum Change: String, CaseIterable, Sendable {
    case title
    case notice
    case muteMember
    case unmuteMember
    case manager
    case nickname
    case join
    case leave
    /// Out, and may not come back.
    case block
    /// May not write.
    case deny
    case muteAll
    case ban
    case dismiss
    case edit
    case recall
    case deletion
    case reaction
    case pin
    /// Tybalt has read.
    case read
}

/// The way by which it is asked for.
enum Origin: String, CaseIterable, Sendable {
    /// `teahouse ctl`; the console sends the same requests.
    case ctl
    /// The API of WuKongIM's apps, below /v1.
    case app
    /// WuKongIM's HTTP API for business servers.
    case manager
    /// /api/v1.
    case native
    case leanCloud
    case leanCloudREST
}

/// A way to make a change.
struct Way: CustomTestStringConvertible, Sendable {
    let change: Change
    let origin: Origin

    var testDescription: String { "\(self.change) by \(self.origin)" }

    /// Every way that there is.
    static let all: [Way] = Change.allCases.flatMap { change in
        Self.origins(of: change).map { Way(change: change, origin: $0) }
    }

    private static func origins(of change: Change) -> [Origin] {
        switch change {
        case .title, .muteMember, .unmuteMember, .manager: [.ctl, .app, .native, .leanCloud, .leanCloudREST]
        case .notice, .nickname, .muteAll: [.ctl, .app, .native]
        case .join: [.ctl, .app, .manager, .native, .leanCloud, .leanCloudREST]
        case .leave: [.ctl, .app, .manager, .native, .leanCloud, .leanCloudREST]
        case .block: [.leanCloud, .leanCloudREST]
        case .deny: [.app, .manager]
        case .ban: [.ctl, .manager]
        case .dismiss: [.ctl, .app, .manager, .native]
        case .edit: [.app, .native, .leanCloud, .leanCloudREST]
        case .recall: [.ctl, .app, .native, .leanCloud, .leanCloudREST]
        case .deletion: [.ctl, .app]
        case .reaction, .pin: [.app, .native]
        case .read: [.app, .manager, .native, .leanCloud]
        }
    }
}

/// The group verona of romeo, in which changes are made, and what its people are told.
final class ChangeStage {
    let server: TestServer
    let verona: ConversationID
    /// As LeanCloud's clients call it.
    let cid: String
    /// Romeo's first and only one.
    private let message: Message
    private let romeo: App

    init() throws {
        self.server = try TestServer.withFiles()
        self.verona = try self.server.group("verona", ["romeo", "juliet", "nurse", "benvolio", "tybalt"])
        try self.server.add("paris")
        self.romeo = try App(self.server, "romeo")
        let id = self.verona
        try self.server.write { store throws(StoreError) in
            var modes = TeamModesPatch()
            modes.join = .open
            _ = try store.teams.setModes(of: id, modes, by: .operator)
        }
        try self.romeo.connect().publish("wherefore", to: "verona", group: true)
        let history = try self.server.history(.channel(.group, ChannelName("verona")!), seenBy: "romeo")
        self.message = try #require(history.last)
        self.cid = try self.server.server.store.readAndWait { store throws(StoreError) in
            try store.conversations.one(id)?.objectID.text ?? ""
        }
    }

    // MARK: Changing

    func make(_ way: Way) throws {
        // What is undone has to be done first.
        if way.change == .unmuteMember {
            let (id, tybalt) = (self.verona, try self.server.id("tybalt"))
            try self.server.write { store throws(StoreError) in
                try store.conversations.setMemberMuted(tybalt, untilMilliseconds: .max, in: id, by: .operator)
            }
        }
        try self.settle()
    }

    func perform(_ way: Way) throws {
        switch way.origin {
        case .ctl: try self.control(way.change)
        case .app: try self.ask(way.change)
        case .manager: try self.manage(way.change)
        case .native: try self.request(way.change)
        case .leanCloud: try self.command(way.change)
        case .leanCloudREST: try self.rest(way.change)
        }
    }

    private func control(_ change: Change) throws {
        let words: [String] =
            switch change {
            case .title: ["team", "set", "verona", "--title", "Mantua"]
            case .notice: ["team", "announce", "verona", "tonight"]
            case .muteMember: ["team", "mute", "verona", "tybalt"]
            case .unmuteMember: ["team", "unmute", "verona", "tybalt"]
            case .manager: ["team", "role", "verona", "manager", "tybalt"]
            case .nickname: ["team", "nickname", "verona", "tybalt", "Cat"]
            case .join: ["team", "invite", "verona", "paris"]
            case .leave: ["team", "remove", "verona", "tybalt"]
            case .muteAll: ["team", "mute", "verona"]
            case .ban: ["group", "ban", "verona"]
            case .dismiss: ["team", "dismiss", "verona"]
            case .recall: ["message", "recall", "verona", "\(self.message.sequence)"]
            case .deletion: ["message", "recall", "verona", "\(self.message.sequence)", "--for-good"]
            case .block, .deny, .edit, .reaction, .pin, .read: []
            }
        let run = self.server.ctl(words)
        #expect(run.code == .done, "\(words): \(run.error)")
    }

    private func ask(_ change: Change) throws {
        let group = "groups/verona"
        let place = #""channel_id":"verona","channel_type":2"#
        let number = self.message.id.rawValue
        switch change {
        case .title: try self.romeo.does("PUT", group, #"{"name":"Mantua"}"#)
        case .notice: try self.romeo.does("PUT", group, #"{"notice":"tonight"}"#)
        case .muteMember:
            let body = #"{"member_uid":"tybalt","action":1,"key":2}"#
            try self.romeo.does("POST", group + "/forbidden_with_member", body)
        case .unmuteMember:
            let body = #"{"member_uid":"tybalt","action":0}"#
            try self.romeo.does("POST", group + "/forbidden_with_member", body)
        case .manager: try self.romeo.does("POST", group + "/managers", #"["tybalt"]"#)
        case .nickname:
            try App(self.server, "tybalt").does("PUT", group + "/members/tybalt", #"{"remark":"Cat"}"#)
        case .join: try self.romeo.does("POST", group + "/members", #"{"members":["paris"]}"#)
        case .leave: try self.romeo.does("DELETE", group + "/members", #"{"members":["tybalt"]}"#)
        case .deny: try self.romeo.does("POST", group + "/blacklist/add", #"{"uids":["tybalt"]}"#)
        case .muteAll: try self.romeo.does("POST", group + "/forbidden/1")
        case .dismiss: try self.romeo.does("DELETE", group + "/disband")
        case .edit:
            let text = #"{\"type\":1,\"content\":\"therefore\"}"#
            try self.romeo.does(
                "POST", "message/edit", #"{\#(place),"message_id":"\#(number)","content_edit":"\#(text)"}"#)
        case .recall:
            let query = "channel_id=verona&channel_type=2&message_id=\(number)"
            try self.romeo.does("POST", "message/revoke?\(query)")
        case .deletion: try self.romeo.does("DELETE", "message/mutual", #"{\#(place),"message_id":"\#(number)"}"#)
        case .reaction:
            try self.romeo.does("POST", "reactions", #"{\#(place),"message_id":"\#(number)","emoji":"👍"}"#)
        case .pin: try self.romeo.does("POST", "message/pinned", #"{\#(place),"message_id":"\#(number)"}"#)
        case .read:
            try App(self.server, "tybalt").does("PUT", "coversation/clearUnread", #"{\#(place),"unread":0}"#)
        case .block, .ban: Issue.record("apps cannot")
        }
    }

    private func manage(_ change: Change) throws {
        let place = #""channel_id":"verona","channel_type":2"#
        let (path, rest): (String, String) =
            switch change {
            case .join: ("/channel/subscriber_add", #""subscribers":["paris"]"#)
            case .leave: ("/channel/subscriber_remove", #""subscribers":["tybalt"]"#)
            case .deny: ("/channel/blacklist_add", #""uids":["tybalt"]"#)
            case .ban: ("/channel/info", #""ban":1"#)
            case .dismiss: ("/channel/info", #""disband":1"#)
            case .read: ("/conversations/clearUnread", #""uid":"tybalt""#)
            case .title, .notice, .muteMember, .unmuteMember, .manager, .nickname, .block, .muteAll, .edit, .recall,
                .deletion, .reaction, .pin:
                ("", "")
            }
        let answer = try self.server.manage(path, "{\(place),\(rest)}")
        #expect(answer.status == 200, "\(path): \(answer)")
    }

    private func request(_ change: Change) throws {
        let group = "/conversations/\(self.verona.rawValue)"
        let tybalt = group + "/members/tybalt"
        let message = "/messages/\(self.verona.rawValue)-\(self.message.sequence)"
        let (name, method, path, body): (String, String, String, String) =
            switch change {
            case .title: ("romeo", "PATCH", group, #"{"title":"Mantua"}"#)
            case .notice: ("romeo", "PATCH", group, #"{"announcement":"tonight"}"#)
            case .muteAll: ("romeo", "PATCH", group, #"{"muteAll":"members"}"#)
            case .muteMember: ("romeo", "PATCH", tybalt, #"{"mutedUntil":9007199254740991}"#)
            case .unmuteMember: ("romeo", "PATCH", tybalt, #"{"mutedUntil":0}"#)
            case .manager: ("romeo", "PATCH", tybalt, #"{"role":"manager"}"#)
            case .nickname: ("tybalt", "PATCH", tybalt, #"{"nickname":"Cat"}"#)
            case .join: ("paris", "POST", group + "/requests", "{}")
            case .leave: ("romeo", "DELETE", tybalt, "")
            case .dismiss: ("romeo", "DELETE", group + "/team", "")
            case .edit: ("romeo", "PATCH", message, #"{"text":"therefore"}"#)
            case .recall: ("romeo", "POST", message + "/recall", "")
            case .reaction: ("romeo", "PUT", message + "/reactions/%F0%9F%91%8D", "")
            case .pin: ("romeo", "PUT", message + "/pin", "")
            case .read: ("tybalt", "PUT", group + "/read", #"{"sequence":\#(self.message.sequence)}"#)
            case .block, .deny, .ban, .deletion: ("", "", "", "")
            }
        var client = try NativeClient(self.server)
        client.token = try self.server.token(name, .app)
        let reply = try client.ask(method, path, body)
        #expect((200...204).contains(reply.status), "\(method) \(path): \(reply.text)")
    }

    private func command(_ change: Change) throws {
        let name = change == .read ? "tybalt" : "romeo"
        let client = try self.server.leanCloud(name)
        switch change {
        case .title: try self.conv(client, .update) { $0.attr = JsonObjectMessage(Array(#"{"name":"Mantua"}"#.utf8)) }
        case .muteMember: try self.conv(client, .addShutup) { $0.m = ["tybalt"] }
        case .unmuteMember: try self.conv(client, .removeShutup) { $0.m = ["tybalt"] }
        case .manager:
            try self.conv(client, .memberInfoUpdate) { body in
                body.targetClientId = "tybalt"
                body.info = ConvMemberInfo()
                body.info?.pid = "tybalt"
                body.info?.role = "Manager"
            }
        case .join: try self.conv(client, .add) { $0.m = ["paris"] }
        case .leave: try self.conv(client, .remove) { $0.m = ["tybalt"] }
        case .block:
            let answer = try client.request(.blacklist, .block) { command in
                var body = BlacklistCommand()
                body.srcCid = self.cid
                body.toPids = ["tybalt"]
                command.blacklistMessage = body
            }
            #expect(answer.cmd != .error, "\(answer)")
        case .edit, .recall:
            let answer = try client.request(.patch, .modify) { command in
                var item = PatchItem()
                item.cid = self.cid
                item.mid = LeanCloudNames.messageID(self.message.id)
                item.timestamp = self.message.sentAtMilliseconds
                if change == .recall { item.recall = true }
                if change == .edit { item.content = Array(TypedMessage(.text, text: "therefore").content.utf8) }
                var patch = PatchCommand()
                patch.patches = [item]
                command.patchMessage = patch
            }
            #expect(answer.cmd != .error, "\(answer)")
        case .read:
            var command = GenericCommand()
            command.cmd = .read
            command.peerId = client.peer
            var tuple = ReadTuple()
            tuple.cid = self.cid
            tuple.mid = LeanCloudNames.messageID(self.message.id)
            tuple.timestamp = self.message.sentAtMilliseconds
            var read = ReadCommand()
            read.convs = [tuple]
            command.readMessage = read
            try client.send(command)
            try client.settle()
        case .notice, .nickname, .deny, .muteAll, .ban, .dismiss, .deletion, .reaction, .pin:
            Issue.record("its clients cannot")
        }
    }

    private func conv(_ client: LeanCloudClient, _ op: OpType, _ fill: (inout ConvCommand) -> Void) throws {
        let answer = try client.request(.conv, op) { command in
            var body = ConvCommand()
            body.cid = self.cid
            fill(&body)
            command.convMessage = body
        }
        #expect(answer.cmd != .error, "\(answer)")
    }

    private func rest(_ change: Change) throws {
        let people = #"{"client_ids":["tybalt"]}"#
        let message = "/messages/\(LeanCloudNames.messageID(self.message.id))"
        let from = #""from_client":"romeo","timestamp":\#(self.message.sentAtMilliseconds)"#
        let (method, path, body): (String, String, String) =
            switch change {
            case .title: ("PUT", "", #"{"name":"Mantua"}"#)
            case .muteMember: ("POST", "/permanent-silenceds", people)
            case .unmuteMember: ("DELETE", "/permanent-silenceds", people)
            case .manager: ("POST", "/member-infos", #"{"clientId":"tybalt","role":"Manager"}"#)
            case .join: ("POST", "/members", #"{"client_ids":["paris"]}"#)
            case .leave: ("DELETE", "/members", people)
            case .block: ("POST", "/blacklists", people)
            case .edit: ("PUT", message, #"{\#(from),"message":"therefore"}"#)
            case .recall: ("PUT", message + "/recall", "{\(from)}")
            case .notice, .nickname, .deny, .muteAll, .ban, .dismiss, .deletion, .reaction, .pin, .read: ("", "", "")
            }
        let app = try #require(self.server.server.accounts.app.application)
        let reply = try HTTPTestClient.ask(
            port: self.server.port, method, "/1.2/rtm/conversations/\(self.cid)\(path)",
            headers: [
                ("X-LC-Id", app.appID), ("X-LC-Key", "\(app.masterKey),master"), ("Content-Type", "application/json"),
            ], body: Array(body.utf8))
        #expect(reply.status == 200, "\(reply.text)")
    }

    // MARK: Waiting

    /// Waits until what was changed before now has been told to everybody, and what of it is kept is on the disk.
    ///
    /// - Parameter people: get a command `settled` after everything else.
    func settle(_ people: String...) throws {
        // The writer has told the broker; the broker has told its observers, whose commands wait for the writer.
        try self.server.write { _ throws(StoreError) in }
        for _ in 0..<2 {
            let turn = ConditionLock(false)
            self.server.server.broker.metrics { _ in turn.change { $0 = true } }
            turn.wait(until: { $0 }, then: { _ in })
        }
        let ids = try (people.isEmpty ? ["romeo"] : people).map { try self.server.id($0) }
        let command = NewCommand(
            target: .people(ids), sender: .system, channel: "", kind: .direct,
            content: MessageContent(
                kind: MessageKind(rawValue: 99), flags: [.bodyIsJSONObject, .syncOnce], wire: .wuKong,
                body: Array(#"{"type":99,"cmd":"settled"}"#.utf8)))
        let written = ConditionLock(false)
        self.server.server.broker.publishCommand(command, isKept: false) { _ in written.change { $0 = true } }
        written.wait(until: { $0 }, then: { _ in })
    }
}

/// The commands that a device got until everything was told, sorted.
func commands(until settled: String = "settled", _ next: () throws -> JSONValue) throws -> [String] {
    var commands: [String] = []
    while true {
        let payload = try next()
        // Lines in the group are no commands.
        guard payload["type"]?.integer == 99, let word = payload["cmd"]?.string else { continue }
        if word == settled { return commands.sorted() }
        let named = payload["param"]?["group_no"]?.string ?? payload["param"]?["channel_id"]?.string
        #expect(named == nil || named == "verona", "\(payload)")
        commands.append(word)
    }
}
