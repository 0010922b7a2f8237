import APIKit
import Broker
import ByteCodec
import ChatModel
import WuKongTranslation
import WuKongWire

/// System message about a change in a group. `{0}`, `{1}` … stand for the people in `extra`, whom apps show by the
/// names they know. Source: TangSengDaoDao server library, its group messages, whose words these are.
struct GroupNotice: Sendable {
    struct Person: Sendable {
        var name: UserName
        var displayName: String

        var row: JSONValue { .fields(("uid", .string(self.name.text)), ("name", .string(self.displayName))) }
    }

    private let type: Int
    private let content: String
    private let people: [Person]
    private let further: [(String, JSONValue)]

    private init(_ type: Int, _ content: String, _ people: [Person], _ further: [(String, JSONValue)] = []) {
        self.type = type
        self.content = content
        self.people = people
        self.further = further
    }

    private static func places(_ people: [Person]) -> String {
        people.indices.map { "{\($0)}" }.joined(separator: ",")
    }

    static func created(by creator: Person, with people: [Person]) -> GroupNotice {
        GroupNotice(
            1_001, "\(creator.displayName)邀请\(Self.places(people))加入群聊", people,
            [("creator", .string(creator.name.text)), ("creator_name", .string(creator.displayName))])
    }

    static func added(_ people: [Person], by person: Person) -> GroupNotice {
        GroupNotice(
            1_002, "\(person.displayName)邀请\(Self.places(people))加入群聊", people,
            [("from_uid", .string(person.name.text)), ("from_name", .string(person.displayName))])
    }

    static func removed(_ people: [Person], by person: Person) -> GroupNotice {
        GroupNotice(1_003, "\(person.displayName)将\(Self.places(people))移除群聊", people)
    }

    static func left(_ person: Person, visibleTo managers: [UserName]) -> GroupNotice {
        GroupNotice(
            1_021, "“{0}”退出群聊", [person], [("visibles", .array(managers.map { .string($0.text) }))])
    }

    static func ownerChanged(to person: Person) -> GroupNotice { GroupNotice(1_008, "“{0}”已成为新群主", [person]) }

    static func renamed(_ title: String, by person: Person) -> GroupNotice {
        .changed("name", title, "{0}修改群名为\"\(title)\"", person)
    }

    static func announced(_ notice: String, by person: Person) -> GroupNotice {
        .changed("notice", notice, notice.isEmpty ? "{0}清空了群公告" : "{0}修改群公告为\"\(notice)\"", person)
    }

    static func muted(_ isMuted: Bool, by person: Person) -> GroupNotice {
        .changed("forbidden", isMuted ? "1" : "0", isMuted ? "{0}开启了群禁言" : "{0}关闭了群禁言", person)
    }

    static func invitationsNeedConsent(_ isOn: Bool, by person: Person) -> GroupNotice {
        let text = isOn ? "{0}已启用“群聊邀请确认”，群成员需群主或管理员确认才能邀请朋友进群。" : "{0}已恢复默认进群方式。"
        return .changed("invite", isOn ? "1" : "0", text, person)
    }

    private static func changed(_ key: String, _ value: String, _ content: String, _ person: Person) -> GroupNotice {
        GroupNotice(
            1_005, content, [person],
            [("data", .object([JSONValue.Member(key, .string(value))]))])
    }

    /// The message itself; it counts as unread, as in the open server.
    var message: MessageContent {
        let members =
            [
                ("content", JSONValue.string(self.content)), ("extra", .array(self.people.map(\.row))),
                ("type", .number(self.type)),
            ] + self.further
        var content = Translation.content(
            payload: JSONValue.object(members.map { JSONValue.Member($0.0, $0.1) }).serialized(),
            header: WuKongHeader(noPersist: false, redDot: true, syncOnce: false), setting: [], topic: nil, expire: 0)
        content.namesFiles = false
        return content
    }
}

extension APIHouse {
    /// Leaves a notice in a group, in the name of the house.
    func leave(_ notice: GroupNotice, in id: ConversationID) {
        let log = self.log
        self.broker.publish(as: .system, authority: .application, to: .id(id), token: nil, content: notice.message) {
            result in
            switch result {
            case .accepted: return
            case .refused(let refusal): log.warning("group_notice_not_left", ["why": .text("\(refusal)")])
            case .failed(let error): log.warning("group_notice_not_left", ["why": .text("\(error)")])
            }
        }
    }
}
