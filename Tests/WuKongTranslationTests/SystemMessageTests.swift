import ByteCodec
import ChatModel
import Store
import Testing

@testable import WuKongTranslation

@Suite("What a group shows about changes")
struct SystemMessageTests {
    private static let people = ["", "romeo", "juliet", "tybalt", "nurse"].map(UserName.init)
    private static let (romeo, juliet, tybalt, nurse) = (
        UserID(rawValue: 1), UserID(rawValue: 2), UserID(rawValue: 3), UserID(rawValue: 4)
    )

    private static func name(_ user: UserID) -> UserName { Self.people[Int(user.rawValue)] ?? systemUserName }

    private static func event(
        _ change: ChangeEvent.Change, by actor: UserID = romeo, _ subjects: [UserID] = [],
        gateway: EventGateway
    ) -> ChangeEvent {
        ChangeEvent(
            in: EventPlace(
                conversation: ConversationID(rawValue: 7), kind: .group, objectID: ObjectID(atMilliseconds: 0),
                channel: ChannelName("verona")),
            actor: actor == .system ? systemUserName : Self.name(actor), actorID: actor, subjects: subjects,
            atMilliseconds: 0, change: change, receivers: subjects, origin: EventOrigin(gateway))
    }

    private static func payloads(
        _ events: [ChangeEvent], form: TeamForm = .advanced
    ) throws -> [JSONValue] {
        let context = SystemMessageContext(
            form: form,
            person: { id throws(StoreError) in SystemMessagePerson(Self.name(id), name: Self.name(id).text.uppercased())
            },
            managers: { () throws(StoreError) in [Self.name(Self.romeo), Self.name(Self.nurse)] })
        return try WuKongSystemMessages.messages(about: events, context).map { content in
            #expect(content.flags.contains(.countsAsUnread) && !content.namesFiles)
            return try JSONValue(parsing: content.body)
        }
    }

    /// The event of each line, who did it, and to whom.
    private static func lines(_ changes: [(ChangeEvent.Change, UserID, [UserID])]) throws -> [String] {
        let events = changes.map { Self.event($0.0, by: $0.1, $0.2, gateway: .operator) }
        return try Self.payloads(events).map { line in
            let about = line["team_event"]
            let fields = about?["fields"]?.array?.compactMap(\.string).joined(separator: ",")
            let targets = about?["targets"]?.array?.compactMap(\.string).joined(separator: ",") ?? ""
            return [about?["event"]?.string, fields, about?["actor"]?.string ?? "-", targets]
                .compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    @Test("each event of a team has its line, with who did it and to whom")
    func teamLines() throws {
        let tybalt = [Self.name(Self.tybalt)]
        let one: [(ChangeEvent.Change, UserID, [UserID], String?)] = [
            (.joined(tybalt), Self.romeo, [Self.tybalt], "invited romeo tybalt"),
            (.joined(tybalt), .system, [Self.tybalt], "invited - tybalt"),
            (.joined(tybalt, as: .joined), Self.tybalt, [Self.tybalt], "joined tybalt"),
            (
                .joined(tybalt, as: .applicationAccepted), Self.romeo, [Self.tybalt],
                "applicationPassed romeo tybalt"
            ),
            (
                .joined(tybalt, as: .invitationAccepted(by: Self.romeo)), .system, [Self.tybalt],
                "invitationAccepted tybalt romeo"
            ),
            (.left(tybalt), .system, [Self.tybalt], "removed - tybalt"),
            (.left(tybalt, as: .left), .system, [Self.tybalt], "left tybalt"),
            (.role(tybalt[0], .manager, was: .member), .system, [Self.tybalt], "managerAdded - tybalt"),
            (.role(tybalt[0], .member, was: .manager), .system, [Self.tybalt], "managerRemoved - tybalt"),
            (.role(tybalt[0], .owner, was: .member), Self.romeo, [Self.tybalt], "ownerChanged romeo tybalt"),
            (.muted(tybalt), .system, [Self.tybalt], "muted - tybalt"),
            (.unmuted(tybalt), .system, [Self.tybalt], "unmuted - tybalt"),
            (.card(modified: Array(#"{"name":"V"}"#.utf8), asked: nil), .system, [], "updated name -"),
            (.card(modified: Array(#"{"attr":{}}"#.utf8), asked: nil), .system, [], nil),
            (.settings([.notice("x")]), .system, [], "updated notice -"),
            (.settings([.introduction]), .system, [], "updated introduction -"),
            (.settings([.disbanded]), .system, [], "dismissed -"),
            (.settings([.banned, .picture, .memberLimit, .other]), .system, [], nil),
            (.settings([.attributesMode, .ownerLeaving]), .system, [], "updated other -"),
            (.settings([.muteMode(.none)]), .system, [], "allUnmuted -"),
            (.created(tybalt), Self.romeo, [Self.romeo, Self.tybalt], nil),
            (.nickname(tybalt[0]), Self.romeo, [Self.tybalt], nil),
            (.blocked(tybalt), Self.romeo, [Self.tybalt], nil),
        ]
        for (change, actor, subjects, due) in one {
            let lines = try Self.lines([(change, actor, subjects)])
            #expect(lines == (due.map { [$0] } ?? []), "\(change)")
        }
    }

    @Test("the events of one change are put together as they are told")
    func together() throws {
        let (tybalt, nurse, juliet) = (Self.name(Self.tybalt), Self.name(Self.nurse), Self.name(Self.juliet))
        let managers = try Self.lines([
            (.role(tybalt, .manager, was: .member), .system, [Self.tybalt]),
            (.role(nurse, .manager, was: .member), .system, [Self.nurse]),
        ])
        #expect(managers == ["managerAdded - tybalt,nurse"])
        let transferred = try Self.lines([
            (.role(juliet, .member, was: .owner), .system, [Self.juliet]),
            (.role(tybalt, .owner, was: .member), .system, [Self.tybalt]),
            (.left([juliet], as: .left), .system, [Self.juliet]),
        ])
        #expect(transferred == ["ownerChanged juliet tybalt", "left juliet"])
        let deleted = try Self.lines([
            (.left([juliet], as: .left), Self.juliet, [Self.juliet]),
            (.role(tybalt, .owner, was: .manager), Self.juliet, [Self.tybalt]),
        ])
        #expect(deleted == ["ownerChanged juliet tybalt", "left juliet"])
        let modes = try Self.lines([
            (.settings([.updateMode, .joinMode, .muteMode(.everyone), .inviteMode(.managers)]), .system, [])
        ])
        #expect(modes == ["updated joinMode,inviteMode,updateMode -", "allMuted -"])
        let made = try Self.lines([
            (.created([juliet, tybalt], asTeam: true), Self.juliet, [Self.juliet, Self.tybalt]),
            (.settings([.joinMode]), .system, []), (.settings([.introduction]), .system, []),
        ])
        #expect(made == ["invited juliet tybalt"])
    }

    @Test("lines of teams are in the words of before, with places for the people")
    func teamWords() throws {
        let tybalt = Self.name(Self.tybalt)
        let events = [Self.event(.joined([tybalt]), [Self.tybalt], gateway: .native)]
        let line = try #require(try Self.payloads(events).first)
        #expect(line["content"]?.string == "{0}邀请{1}进入了群" && line["type"]?.integer == 1_002)
        #expect(line["extra"]?.array?.map { $0["name"]?.string } == ["ROMEO", "TYBALT"])
        let muted = try Self.payloads([Self.event(.muted([tybalt]), by: .system, [Self.tybalt], gateway: .operator)])
        #expect(muted.first?["content"]?.string == "{0}被系统管理员禁言")
        let all = try Self.payloads([Self.event(.settings([.muteMode(.members)]), by: .system, gateway: .operator)])
        #expect(all.first?["data"]?["forbidden"]?.string == "1" && all.first?["type"]?.integer == 1_005)
    }

    @Test("lines about changes of WuKongIM's apps have the types and words that those apps know")
    func appWords() throws {
        let (tybalt, nurse) = (Self.name(Self.tybalt), Self.name(Self.nurse))
        func words(_ changes: [(ChangeEvent.Change, [UserID])]) throws -> [String] {
            try Self.payloads(changes.map { Self.event($0.0, $0.1, gateway: .app) }).map { line in
                #expect(line["team_event"] == nil)
                return "\(line["type"]?.integer ?? 0) \(line["content"]?.string ?? "")"
            }
        }
        let two = [Self.tybalt, Self.nurse]
        #expect(
            try words([(.created([tybalt, nurse]), [Self.romeo] + two), (.settings([.joinMode]), [])]) == [
                "1001 ROMEO邀请{0},{1}加入群聊"
            ])
        #expect(try words([(.joined([tybalt, nurse]), two)]) == ["1002 ROMEO邀请{0},{1}加入群聊"])
        #expect(try words([(.left([tybalt]), [Self.tybalt])]) == ["1003 ROMEO将{0}移除群聊"])
        #expect(
            try words([(.left([tybalt], as: .left), [Self.tybalt]), (.role(nurse, .owner, was: .member), [Self.nurse])])
                == ["1021 “{0}”退出群聊"])
        #expect(
            try words([
                (.role(tybalt, .member, was: .owner), [Self.tybalt]),
                (.role(nurse, .owner, was: .member), [Self.nurse]),
            ]) == ["1008 “{0}”已成为新群主"])
        let title = Array(#"{"name":"Mantua"}"#.utf8)
        #expect(
            try words([
                (.card(modified: title, asked: nil), []),
                (.settings([.inviteMode(.everyone), .muteMode(.none), .notice("")]), []),
            ]) == [
                "1005 {0}修改群名为\"Mantua\"", "1005 {0}清空了群公告", "1005 {0}关闭了群禁言", "1005 {0}已恢复默认进群方式。",
            ])
        #expect(try words([(.role(tybalt, .manager, was: .member), [Self.tybalt]), (.muted([nurse]), [])]) == [])
        let left = try Self.payloads([Self.event(.left([tybalt], as: .left), [Self.tybalt], gateway: .app)])
        #expect(left.first?["visibles"]?.array?.compactMap(\.string) == ["romeo", "nurse"])
    }

    @Test("other doors leave no lines", arguments: [EventGateway.server, .business, .leanCloud])
    func silent(_ gateway: EventGateway) throws {
        let events = [Self.event(.joined([Self.name(Self.tybalt)]), [Self.tybalt], gateway: gateway)]
        #expect(try Self.payloads(events) == [])
    }
}
