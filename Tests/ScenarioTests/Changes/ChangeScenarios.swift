import ByteCodec
import ChatModel
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// Words that everybody gets about a change, whichever way it came.
struct ChangeScenarios {
    /// Words of commands; those of `kept` reach who is away too.
    struct Told {
        var kept: [String] = []
        var passing: [String] = []

        var online: [String] { (self.kept + self.passing).sorted() }
    }

    /// What those in the group are told.
    private func members(_ change: Change) -> Told {
        switch change {
        case .title, .notice, .muteAll, .ban, .dismiss: Told(kept: ["channelUpdate"])
        case .muteMember, .unmuteMember, .manager, .nickname, .join, .leave, .block, .deny:
            Told(kept: ["memberUpdate"])
        case .edit: Told(passing: ["syncMessageExtra"])
        case .recall: Told(kept: ["messageRevoke"], passing: ["syncMessageExtra", "syncReminders"])
        case .deletion: Told(passing: ["syncMessageExtra", "syncReminders"])
        case .reaction: Told(passing: ["syncMessageReaction"])
        case .pin: Told(passing: ["syncPinnedMessage"])
        case .read: Told()
        }
    }

    /// What the one to whom it happens is told.
    private func subject(_ change: Change) -> Told {
        switch change {
        case .leave, .block: Told(kept: ["channelUpdate", "memberUpdate"])
        case .join: Told(kept: ["memberUpdate"], passing: ["channelUpdate"])
        case .read: Told(passing: ["unreadClear"])
        case .title, .notice, .muteMember, .unmuteMember, .manager, .nickname, .deny, .muteAll, .ban, .dismiss, .edit,
            .recall, .deletion, .reaction, .pin:
            self.members(change)
        }
    }

    /// The one to whom it happens.
    func name(ofSubject change: Change) -> String { change == .join ? "paris" : "tybalt" }

    // MARK: WuKongIM

    @Test(
        "devices that are online are told once, in both encodings, and so is the one whom it is about",
        arguments: Way.all)
    func online(_ way: Way) throws {
        let stage = try ChangeStage()
        try stage.make(way)
        let subject = self.name(ofSubject: way.change)
        let juliet = try stage.server.connect("juliet")
        let nurse = try stage.server.connectBinary("nurse")
        let one = try stage.server.connect(subject)
        try stage.perform(way)
        try stage.settle("juliet", "nurse", subject)
        let expected = self.members(way.change).online
        #expect(try commands { try juliet.receive().parameters["payload"] ?? .null } == expected)
        #expect(try commands { (try? JSONValue(parsing: try nurse.receive().payload)) ?? .null } == expected)
        let own = try commands { try one.receive().parameters["payload"] ?? .null }
        #expect(own == self.subject(way.change).online)
    }

    @Test(
        "devices that were away find the commands that matter, and the change itself, when they are back",
        arguments: Way.all)
    func away(_ way: Way) throws {
        let stage = try ChangeStage()
        try stage.make(way)
        let juliet = try App(stage.server, "juliet")
        let one = try App(stage.server, self.name(ofSubject: way.change))
        let before = try self.versions(juliet)
        let known = try stage.server.server.store.readAndWait { store throws(StoreError) in
            try store.commands.newest()
        }
        try stage.perform(way)
        try stage.settle()
        #expect(try self.log(juliet, after: known) == self.members(way.change).kept)
        #expect(try self.log(one, after: known) == self.subject(way.change).kept)
        try self.findChange(way.change, juliet, one, before)
    }

    /// The words of the commands that wait for a person, sorted.
    private func log(_ app: App, after known: Int64) throws -> [String] {
        let rows = try app.does("POST", "message/sync", #"{"max_message_seq":\#(known),"limit":100}"#).array ?? []
        return rows.compactMap { $0["payload"]?["cmd"]?.string }.sorted()
    }

    /// The newest versions of the members and of the messages that a device has.
    private func versions(_ app: App) throws -> (members: Int64, messages: Int64) {
        let rows = try app.does("GET", "groups/verona/membersync?version=0&limit=100").array ?? []
        let extras = try app.extras("verona")
        return (
            rows.compactMap { $0["version"]?.integer }.max() ?? 0,
            extras.compactMap { $0["extra_version"]?.integer }.max() ?? 0
        )
    }

    private func findChange(
        _ change: Change, _ juliet: App, _ one: App, _ before: (members: Int64, messages: Int64)
    ) throws {
        switch change {
        case .title: #expect(try juliet.does("GET", "groups/verona")["name"]?.string == "Mantua")
        case .notice: #expect(try juliet.does("GET", "groups/verona")["notice"]?.string == "tonight")
        case .muteAll: #expect(try juliet.does("GET", "groups/verona")["forbidden"]?.integer == 1)
        case .muteMember, .unmuteMember, .manager, .nickname, .join, .leave, .block:
            let path = "groups/verona/membersync?version=\(before.members)&limit=100"
            let rows = try juliet.does("GET", path).array ?? []
            #expect(rows.contains { $0["uid"]?.string == one.name })
            if change == .leave || change == .block { try one.isRefused("GET", "groups/verona") }
        case .edit, .recall, .deletion: #expect(try juliet.extras("verona", after: before.messages).count == 1)
        case .reaction:
            let rows = try juliet.does(
                "POST", "reaction/sync", #"{"channel_id":"verona","channel_type":2,"seq":0,"limit":100}"#)
            #expect(rows.array?.count == 1)
        case .pin:
            let pins = try juliet.does(
                "POST", "message/pinned/sync", #"{"channel_id":"verona","channel_type":2,"version":0}"#)
            #expect(pins["pinned_messages"]?.array?.count == 1)
        case .read:
            let list = try one.does("POST", "conversation/sync", #"{"version":0,"msg_count":1}"#)
            #expect(list["conversations"]?.array?.first?["unread"]?.integer == 0)
        // Whether they may write they learn by the answer.
        case .deny, .ban, .dismiss: return
        }
    }

    // MARK: LeanCloud

    /// What its clients in the group are told, sorted; `patch` of messages.
    private func pushes(_ change: Change) -> [String] {
        switch change {
        case .title: ["updated"]
        case .muteMember: ["members_shutuped"]
        case .unmuteMember: ["members_unshutuped"]
        case .manager: ["member_info_changed"]
        case .join: ["members_joined"]
        case .leave: ["members_left"]
        case .block: ["members_blocked", "members_left"]
        case .deny: ["members_blocked"]
        case .edit, .recall, .deletion: ["patch"]
        case .notice, .nickname, .muteAll, .ban, .dismiss, .reaction, .pin, .read: []
        }
    }

    /// What the one to whom it happens is told.
    private func ownPushes(_ change: Change) -> [String] {
        switch change {
        case .muteMember: ["shutuped"]
        case .unmuteMember: ["unshutuped"]
        case .join: ["joined", "members_joined"]
        case .leave: ["left"]
        case .block: ["blocked", "left"]
        case .deny: ["blocked"]
        case .read: ["unread"]
        case .title, .notice, .manager, .nickname, .muteAll, .ban, .dismiss, .edit, .recall, .deletion, .reaction, .pin:
            self.pushes(change)
        }
    }

    private static let names: [OpType: String] = [
        .joined: "joined", .membersJoined: "members_joined", .left: "left", .membersLeft: "members_left",
        .updated: "updated", .memberInfoChanged: "member_info_changed", .shutuped: "shutuped",
        .unshutuped: "unshutuped", .membersShutuped: "members_shutuped", .membersUnshutuped: "members_unshutuped",
        .blocked: "blocked", .membersBlocked: "members_blocked",
    ]

    private func arrived(_ client: LeanCloudClient) throws -> [String] {
        try client.settle()
        return client.waiting.compactMap { command -> String? in
            guard command.i == nil else { return nil }
            switch command.cmd {
            case .conv: return command.op.map { Self.names[$0] ?? "op \($0.rawValue)" }
            case .patch: return "patch"
            // How much was unread when it came is told too.
            case .unread: return command.unreadMessage?.convs.contains { $0.unread == 0 } == true ? "unread" : nil
            default: return nil
            }
        }.sorted()
    }

    @Test(
        "LeanCloud's clients are told in their words, of both generations of the protocol",
        arguments: Way.all, [LeanCloudSubprotocol.Version.pushesMissedMessages, .countsMissedMessages])
    func leanCloud(_ way: Way, _ version: LeanCloudSubprotocol.Version) throws {
        let stage = try ChangeStage()
        try stage.make(way)
        let benvolio = try self.caughtUp(stage, "benvolio", version)
        let one = try self.caughtUp(stage, self.name(ofSubject: way.change), version)
        try stage.perform(way)
        try stage.settle()
        #expect(try self.arrived(benvolio) == self.pushes(way.change))
        #expect(try self.arrived(one) == self.ownPushes(way.change))
    }

    /// A client that has been told what it missed: until then the server keeps what happens to messages for later, and
    /// an echo does not wait for that.
    private func caughtUp(
        _ stage: ChangeStage, _ name: String, _ version: LeanCloudSubprotocol.Version
    ) throws -> LeanCloudClient {
        let client = try stage.server.leanCloud(name, .init(.binary, version))
        // Paris is in no conversation yet and has missed nothing.
        if name != "paris" { _ = try client.wait("what was missed") { $0.cmd == .direct || $0.cmd == .unread } }
        try client.settle()
        client.forgetWaiting()
        return client
    }

    @Test("LeanCloud's clients that were away are told what they missed", arguments: Way.all)
    func leanCloudAway(_ way: Way) throws {
        let stage = try ChangeStage()
        try stage.make(way)
        let names = ["benvolio", self.name(ofSubject: way.change)]
        var tokens: [String] = []
        for name in names {
            let client = try stage.server.leanCloud(name)
            tokens.append(try #require(client.sessionToken))
            client.drop()
        }
        let missed = try tokens.indices.map { try self.missed(stage, names[$0], tokens[$0]) }
        try stage.perform(way)
        try stage.settle()
        let logged: (String) -> Bool = { $0 != "patch" && $0 != "unread" }
        // Who comes sees what happened in the group before, too: that it was made.
        let history = way.change == .join ? ["members_joined"] : []
        let expected = [self.pushes(way.change), self.ownPushes(way.change) + history]
        for index in names.indices {
            let now = try self.missed(stage, names[index], tokens[index])
            #expect(now.dropFirst(missed[index].count).sorted() == expected[index].filter(logged))
        }
    }

    /// What a client is told that it missed, in the order of the log, first what happened to itself.
    private func missed(_ stage: ChangeStage, _ name: String, _ token: String) throws -> [String] {
        let app = try #require(stage.server.server.accounts.app.application)
        let reply = try HTTPTestClient.ask(
            port: stage.server.port, "GET", "/1.1/rtm/notifications?client_id=\(name)&start_ts=1",
            headers: [("X-LC-Id", app.appID), ("X-LC-Key", app.appKey), ("X-LC-IM-Session-Token", token)])
        let all = ["permanent", "droppable"].flatMap { reply.json[$0]?["notifications"]?.array ?? [] }
        return all.sorted { ($0["serverTs"]?.integer ?? 0) < ($1["serverTs"]?.integer ?? 0) }
            .compactMap { $0["op"]?.string?.split(separator: "-").joined(separator: "_") }
    }

    // MARK: The line in the group

    /// The line that the group shows, by the gateway through which the change came: the event of the team, or the type
    /// of the message that WuKongIM's apps know; `nil` for none.
    func line(_ way: Way) -> String? {
        switch way.origin {
        case .ctl, .native:
            switch way.change {
            case .title, .notice: "updated"
            case .muteMember: "muted"
            case .unmuteMember: "unmuted"
            case .manager: "managerAdded"
            case .join: way.origin == .native ? "joined" : "invited"
            case .leave: "removed"
            case .muteAll: "allMuted"
            case .dismiss: "dismissed"
            case .nickname, .block, .deny, .ban, .edit, .recall, .deletion, .reaction, .pin, .read: nil
            }
        case .app:
            switch way.change {
            case .title, .notice, .muteAll: "1005"
            case .join: "1002"
            case .leave: "1003"
            case .muteMember, .unmuteMember, .manager, .nickname, .block, .deny, .ban, .dismiss, .edit, .recall,
                .deletion, .reaction, .pin, .read:
                nil
            }
        case .manager, .leanCloud, .leanCloudREST: nil
        }
    }

    private func line(_ payload: JSONValue) -> String? {
        payload["team_event"]?["event"]?.string ?? payload["type"]?.integer.flatMap { $0 > 1_000 ? "\($0)" : nil }
    }

    /// The change is answered once it is on the disk, and the line is there then: both are one commit.
    @Test("the line about a change is in the history when the change is answered, once, and unread", arguments: Way.all)
    func lineInHistory(_ way: Way) throws {
        let stage = try ChangeStage()
        try stage.make(way)
        let (juliet, id) = (try stage.server.id("juliet"), stage.verona)
        let count = {
            try stage.server.server.store.readAndWait { store throws(StoreError) in
                (
                    messages: try store.messages.latest(in: id, limit: 20, as: .unrestricted),
                    unread: try store.inbox.unread(of: juliet)[id] ?? 0
                )
            }
        }
        let before = try count()
        try stage.perform(way)
        let after = try count()
        let new = after.messages.filter { $0.sequence > before.messages.last?.sequence ?? 0 }
        #expect(
            try new.map { self.line(try JSONValue(parsing: $0.content.body)) } == (self.line(way).map { [$0] } ?? []))
        #expect(new.allSatisfy { $0.sender == .system })
        // A recalled message does not count any more.
        let withdrawn: Int64 = way.change == .recall || way.change == .deletion ? 1 : 0
        #expect(after.unread + withdrawn >= before.unread && after.unread <= before.unread + Int64(new.count))
        if withdrawn == 0 { #expect(after.unread == before.unread + Int64(new.count)) }
    }

    @Test("the line about a change is delivered once to devices of both encodings", arguments: Way.all)
    func lineOnline(_ way: Way) throws {
        guard let expected = self.line(way) else { return }
        let stage = try ChangeStage()
        try stage.make(way)
        let juliet = try stage.server.connect("juliet")
        let nurse = try stage.server.connectBinary("nurse")
        try stage.perform(way)
        try stage.settle("juliet", "nurse")
        let seen = try self.lines { try juliet.receive().parameters["payload"] ?? .null }
        #expect(seen == [expected])
        let binary = try self.lines { (try? JSONValue(parsing: try nurse.receive().payload)) ?? .null }
        #expect(binary == [expected])
    }

    /// The lines that a device got until everything was told.
    private func lines(_ next: () throws -> JSONValue) throws -> [String] {
        var lines: [String] = []
        while true {
            let payload = try next()
            if payload["cmd"]?.string == "settled" { return lines }
            if let line = self.line(payload) { lines.append(line) }
        }
    }

    // MARK: Our own events

    /// What who watches the group is told.
    private func event(_ change: Change) -> String? {
        switch change {
        case .title, .notice, .muteAll, .ban, .dismiss: "conversation.changed"
        case .join, .leave, .block: "members.changed"
        case .nickname: "profile.changed"
        case .muteMember, .unmuteMember, .manager, .deny, .edit, .recall, .deletion, .reaction, .pin, .read: nil
        }
    }

    @Test("who watches the group over /api/v1/events hears of what is shown otherwise", arguments: Way.all)
    func events(_ way: Way) throws {
        guard let expected = self.event(way.change) else { return }
        let stage = try ChangeStage()
        try stage.make(way)
        let juliet = try Listener.ready(stage.server, "juliet")
        let watch = #"{"type":"watch","ids":[],"conversations":[{"kind":"group","id":"verona"}]}"#
        #expect(try juliet.ask(watch)?["type"]?.string == "watching")
        try stage.perform(way)
        let news = try #require(try juliet.next())
        #expect(news["type"]?.string == expected, "\(news)")
        #expect(news["conversation"]?["id"]?.string == "verona")
    }
}
