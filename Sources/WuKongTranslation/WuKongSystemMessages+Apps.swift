import ByteCodec
import ChatModel
import Store
import WuKongWire

extension WuKongSystemMessages {
    /// The lines about changes that WuKongIM's apps made, as the server that they expect words them.
    static func appMessages(
        about events: [ChangeEvent], _ context: SystemMessageContext
    ) throws(StoreError) -> [MessageContent] {
        for event in events {
            guard case .created = event.change else { continue }
            let others = try context.people(event.subjects.filter { $0 != event.actorID })
            return [AppMessage.created(by: try context.person(event.actorID), with: others).content]
        }
        // Who leaves is told of, and not who follows as the owner.
        let isLeft = events.contains { if case .left(_, as: .left) = $0.change { true } else { false } }
        var messages: [AppMessage] = []
        for event in events {
            switch event.change {
            case .joined(_, as: .invited):
                messages.append(.added(try context.people(event.subjects), by: try context.person(event.actorID)))
            case .left(_, as: .removed):
                messages.append(.removed(try context.people(event.subjects), by: try context.person(event.actorID)))
            case .left(_, as: .left):
                let managers = try context.managers()
                guard !managers.isEmpty else { continue }
                for person in try context.people(event.subjects) {
                    messages.append(.left(person, visibleTo: managers))
                }
            case .role(_, .owner, _):
                guard !isLeft else { continue }
                for person in try context.people(event.subjects) { messages.append(.ownerChanged(to: person)) }
            case .card(let modified, _):
                guard let title = Self.title(modified) else { continue }
                messages.append(.renamed(title, by: try context.person(event.actorID)))
            case .settings(let settings):
                let person = try context.person(event.actorID)
                messages += Self.sorted(settings).compactMap { AppMessage($0, by: person) }
            case .created, .joined, .role, .nickname, .muted, .unmuted, .blocked, .unblocked, .edited, .recalled,
                .annotated, .read, .receipt, .own, .ended, .person:
                continue
            }
        }
        return messages.map(\.content)
    }
}

/// A line about a change of a group. Source: TangSengDaoDao server library, its group messages, whose words these are.
private struct AppMessage {
    typealias Person = SystemMessagePerson

    private let type: Int64
    private let text: String
    private let people: [Person]
    private let further: [(String, JSONValue)]

    private init(_ type: Int64, _ text: String, _ people: [Person], _ further: [(String, JSONValue)] = []) {
        self.type = type
        self.text = text
        self.people = people
        self.further = further
    }

    private static func places(_ people: [Person]) -> String {
        people.indices.map { "{\($0)}" }.joined(separator: ",")
    }

    static func created(by creator: Person, with people: [Person]) -> AppMessage {
        AppMessage(
            1_001, "\(creator.name)邀请\(Self.places(people))加入群聊", people,
            [("creator", .string(creator.user.text)), ("creator_name", .string(creator.name))])
    }

    static func added(_ people: [Person], by person: Person) -> AppMessage {
        AppMessage(
            1_002, "\(person.name)邀请\(Self.places(people))加入群聊", people,
            [("from_uid", .string(person.user.text)), ("from_name", .string(person.name))])
    }

    static func removed(_ people: [Person], by person: Person) -> AppMessage {
        AppMessage(1_003, "\(person.name)将\(Self.places(people))移除群聊", people)
    }

    static func left(_ person: Person, visibleTo managers: [UserName]) -> AppMessage {
        AppMessage(1_021, "“{0}”退出群聊", [person], [("visibles", .array(managers.map { .string($0.text) }))])
    }

    static func ownerChanged(to person: Person) -> AppMessage { AppMessage(1_008, "“{0}”已成为新群主", [person]) }

    static func renamed(_ title: String, by person: Person) -> AppMessage {
        .changed("name", title, "{0}修改群名为\"\(title)\"", person)
    }

    /// - Returns: `nil` for a setting that apps are told nothing of in the group.
    init?(_ setting: ConversationSetting, by person: Person) {
        switch setting {
        case .notice(let notice):
            let text = notice.isEmpty ? "{0}清空了群公告" : "{0}修改群公告为\"\(notice)\""
            self = .changed("notice", notice, text, person)
        case .muteMode(let mode):
            let isMuted = mode != .none
            self = .changed("forbidden", isMuted ? "1" : "0", isMuted ? "{0}开启了群禁言" : "{0}关闭了群禁言", person)
        case .inviteMode(let mode):
            let isOn = mode == .managers
            let text = isOn ? "{0}已启用“群聊邀请确认”，群成员需群主或管理员确认才能邀请朋友进群。" : "{0}已恢复默认进群方式。"
            self = .changed("invite", isOn ? "1" : "0", text, person)
        case .picture, .introduction, .banned, .disbanded, .joinMode, .inviteeMode, .updateMode, .attributesMode,
            .ownerLeaving, .memberLimit, .other:
            return nil
        }
    }

    private static func changed(_ key: String, _ value: String, _ text: String, _ person: Person) -> AppMessage {
        AppMessage(1_005, text, [person], [("data", .object([JSONValue.Member(key, .string(value))]))])
    }

    var content: MessageContent {
        WuKongSystemMessages.content(self.text, self.people, type: self.type, self.further)
    }
}
