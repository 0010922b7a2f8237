import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Events that native clients get about a change in a group, whichever way it came: present, and away when it happened.
struct FeedChangeScenarios {
    /// Events for those in the group, but for the line about the change.
    private func members(_ change: Change) -> [String] {
        switch change {
        case .title, .notice, .muteAll, .ban, .dismiss, .deny: ["conversation"]
        case .muteMember, .unmuteMember, .manager, .nickname: ["member tybalt changed"]
        case .join: ["member paris changed"]
        case .leave: ["member tybalt left"]
        case .block: ["conversation", "member tybalt left"]
        case .edit, .recall, .deletion, .reaction, .pin: ["message_changed"]
        case .read: []
        }
    }

    /// Events for the one to whom it happens. Nobody who stays is told to load the conversation again.
    private func subject(_ change: Change) -> [String] {
        switch change {
        case .join: ["conversation new"]
        case .leave, .block: ["gone"]
        case .read: ["read"]
        case .title, .notice, .muteMember, .unmuteMember, .manager, .nickname, .deny, .muteAll, .ban, .dismiss, .edit,
            .recall, .deletion, .reaction, .pin:
            self.members(change)
        }
    }

    private func expected(_ way: Way, isSubject: Bool) -> [String] {
        let events = isSubject ? self.subject(way.change) : self.members(way.change)
        let isOut = isSubject && (way.change == .leave || way.change == .block)
        return (events + (ChangeScenarios().line(way) == nil || isOut ? [] : ["message"])).sorted()
    }

    @Test("who listens is told once, and so is the one whom it is about", arguments: Way.all)
    func online(_ way: Way) throws {
        let stage = try ChangeStage()
        try stage.make(way)
        let names = ["juliet", ChangeScenarios().name(ofSubject: way.change)]
        let clients = try names.map { try FeedClient.ready(stage.server, $0) }
        try stage.perform(way)
        try stage.settle()
        for (client, name) in zip(clients, names) {
            let events = try client.everything(stage.server, name)
            #expect(events.map(Self.word).sorted() == self.expected(way, isSubject: name != "juliet"), "\(name)")
            try self.check(events, way.change, stage, isSubject: name != "juliet")
        }
    }

    @Test("who comes back with a cursor is told the same", arguments: Way.all)
    func away(_ way: Way) throws {
        let stage = try ChangeStage()
        try stage.make(way)
        let names = ["juliet", ChangeScenarios().name(ofSubject: way.change)]
        var cursors: [String] = []
        for name in names {
            let client = try FeedClient.ready(stage.server, name)
            cursors.append(client.cursor)
            client.drop()
        }
        try stage.perform(way)
        try stage.settle()
        for (cursor, name) in zip(cursors, names) {
            let client = try FeedClient.ready(stage.server, name, after: cursor)
            let events = try client.everything(stage.server, name)
            #expect(events.map(Self.word).sorted() == self.expected(way, isSubject: name != "juliet"), "\(name)")
            try self.check(events, way.change, stage, isSubject: name != "juliet")
        }
    }

    // MARK: What is in them

    private static func word(_ event: JSONValue) -> String {
        let type = event["type"]?.string ?? "none"
        switch type {
        case "conversation": return event["isNew"]?.boolean == true ? "conversation new" : type
        case "member": return "member \(event["user"]?.string ?? "") \(event["change"]?.string ?? "")"
        case "profile": return "profile \(event["user"]?["name"]?.string ?? "")"
        case "gap": return "gap of \(event["scope"]?.string ?? "")"
        default: return type
        }
    }

    /// Looks into the events: they have the newest state, and the last one of a round what the person may do now.
    private func check(_ events: [JSONValue], _ change: Change, _ stage: ChangeStage, isSubject: Bool) throws {
        let id = "\(stage.verona.rawValue)"
        for event in events {
            let named =
                event["conversation"]?["id"]?.string ?? event["conversation"]?.string
                ?? event["message"]?["conversation"]?.string
            #expect(named == id && event["cursor"] != nil, "\(event)")
        }
        func first(_ type: String) -> JSONValue? { events.first { $0["type"]?.string == type } }
        let conversation = first("conversation")?["conversation"]
        let message = first("message_changed")?["message"]
        let member = first("member")
        let view = events.compactMap { $0["summary"] ?? $0["conversation"] }.last { $0.object != nil }
        let refusal = view?["rights"]?["send"]?["no"]?.string
        switch change {
        case .title: #expect(conversation?["title"]?.string == "Mantua")
        case .muteAll: #expect(refusal == "members_muted")
        case .ban: #expect(refusal == "conversation_banned")
        case .dismiss: #expect(refusal == "disbanded")
        case .deny: #expect((refusal != nil) == isSubject)
        case .muteMember:
            #expect((1...9_007_199_254_740_991).contains(member?["mutedUntil"]?.integer ?? 0))
            #expect(refusal == (isSubject ? "muted" : nil))
        case .unmuteMember: #expect(member?["mutedUntil"] == nil && refusal == nil)
        case .manager:
            #expect(member?["role"]?.string == "manager")
            #expect(view?["role"]?.string == (isSubject ? "manager" : "member"))
        case .nickname: #expect(member?["nickname"]?.string == "Cat")
        case .edit: #expect(message?["isEdited"]?.boolean == true)
        case .recall: #expect(message?["kind"]?.string == "recalled" && message?["text"] == nil)
        case .deletion: #expect(message?["kind"]?.string == "withheld" && message?["text"] == nil)
        case .reaction: #expect(message?["reactions"]?.array?.first?["count"]?.integer == 1)
        case .pin: #expect(message?["isPinned"]?.boolean == true)
        case .read where isSubject: #expect(view?["unread"]?.integer == 0)
        case .join where isSubject: #expect(view?["role"]?.string == "member")
        case .notice, .join, .leave, .block, .read: break
        }
    }

    // MARK: Changes of people

    /// People whom one of them is told of. They share a group.
    private func told(_ act: PersonAct, _ name: String) -> [String] {
        switch (act, name) {
        case (.name, _), (.picture, _): ["profile romeo"]
        case (.agree, "romeo"), (.block, "romeo"), (.unblock, "romeo"): ["profile tybalt"]
        case (.agree, "tybalt"), (.unfriend, "juliet"): ["profile romeo"]
        case (.unfriend, "romeo"), (.remark, "romeo"): ["profile juliet"]
        case (.agree, _), (.block, _), (.unblock, _), (.unfriend, _), (.remark, _), (.request, _), (.remind, _): []
        }
    }

    private static let people = ["romeo", "juliet", "nurse", "tybalt"]

    @Test("who listens is told of people once", arguments: PersonWay.all)
    func peopleOnline(_ way: PersonWay) throws {
        let stage = try ChangeStage()
        let scenarios = PersonChangeScenarios()
        let romeo = try scenarios.prepare(stage, way)
        let clients = try Self.people.map { try FeedClient.ready(stage.server, $0) }
        try scenarios.perform(way, stage, romeo)
        try stage.settle()
        for (client, name) in zip(clients, Self.people) {
            try self.check(try client.everything(stage.server, name), way, name)
        }
    }

    @Test("who comes back with a cursor is told the same of people", arguments: PersonWay.all)
    func peopleAway(_ way: PersonWay) throws {
        let stage = try ChangeStage()
        let scenarios = PersonChangeScenarios()
        let romeo = try scenarios.prepare(stage, way)
        var cursors: [String] = []
        for name in Self.people {
            let client = try FeedClient.ready(stage.server, name)
            cursors.append(client.cursor)
            client.drop()
        }
        try scenarios.perform(way, stage, romeo)
        try stage.settle()
        for (cursor, name) in zip(cursors, Self.people) {
            let client = try FeedClient.ready(stage.server, name, after: cursor)
            try self.check(try client.everything(stage.server, name), way, name)
        }
    }

    private func check(_ events: [JSONValue], _ way: PersonWay, _ name: String) throws {
        // The greeting of a friendship is said in the conversation of the two; a picture is uploaded before it is set.
        let words = events.map(Self.word).filter {
            $0 != "message" && $0 != "transfer" && !$0.hasPrefix("conversation")
        }
        #expect(words == self.told(way.act, name), "\(name)")
        let user = events.first { $0["type"]?.string == "profile" }?["user"]
        switch way.act {
        case .name: #expect(user?["displayName"]?.string == "Montague", "\(name)")
        case .picture: #expect(user?["avatar"]?.string != nil, "\(name)")
        case .remark where name == "romeo": #expect(user?["remark"]?.string == "the sun")
        case .request, .agree, .unfriend, .remark, .block, .unblock, .remind: break
        }
    }
}
