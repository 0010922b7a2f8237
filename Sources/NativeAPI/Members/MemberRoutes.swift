import APIKit
import Broker
import ByteCodec
import ChatModel
import Profiles
import Store

/// Members of a conversation.
enum MemberRoutes {
    private static let conversation = "/conversations/{conversation}"
    private static let roles = ["owner", "manager", "member"]

    /// Shape of the value `Member`.
    static let shape = Shape.object([
        .required("user", .reference("User")), .required("role", .choice(Self.roles)),
        .optional("nickname", .anyText, "Name of the member in this conversation."),
        .optional("mutedUntil", .count, "May not send before then, milliseconds UTC."),
    ])

    private static let refusals: [ProblemCode] = [
        .noSuchConversation, .noSuchUser, .notManager, .notOwner, .notMember, .notApplicable, .disbanded, .tooMany,
    ]

    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "\(Self.conversation)/members", "members", "Members: the owner, managers, then the others by name.",
            path: [.conversation], query: [.optional("query", .text(0...64, .plain)), .cursor, .limit],
            answer: .ok(.page(of: .reference("Member"))), problems: [.noSuchConversation], Self.list),
        NativeRoute(
            "POST", "\(Self.conversation)/members", "addMembers",
            "Brings people into a group, or asks them where the group wants that they agree.", path: [.conversation],
            body: [.required("members", .list(NativeID.person, 1...NativeBounds.members))],
            answer: .ok(
                .object([
                    .required("added", .list(.anyText, 0...NativeBounds.members)),
                    .required("asked", .list(.anyText, 0...NativeBounds.members)),
                    .required("refused", .list(.anyText, 0...NativeBounds.members)),
                ])), problems: Self.refusals, Self.add),
        NativeRoute(
            "DELETE", "\(Self.conversation)/members/{person}", "removeMember", "Takes somebody out of a group.",
            path: [.conversation, .person], answer: .done, problems: Self.refusals, Self.remove),
        NativeRoute(
            "PATCH", "\(Self.conversation)/members/{person}", "changeMember",
            "Changes the role, the muting or the nickname of a member; the role of the owner is handed over.",
            path: [.conversation, .person],
            body: [
                .optional("role", .choice(Self.roles)),
                .optional("mutedUntil", .count, "Milliseconds UTC; 0 ends it."),
                .optional("nickname", .text(0...ConversationBounds.nicknameScalars, .plain), "Empty removes it."),
            ], answer: .ok(.reference("Member")), problems: Self.refusals, Self.change),
    ]

    // MARK: Looking

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        let (id, user, limit) = (call.conversation, call.user, call.limit)
        let query = (call.input.text("query") ?? "").lowercased()
        let after = call.input.text("cursor")
        call.read(as: query.isEmpty ? .page : .long) { store throws(StoreError) in
            guard try store.conversations.member(user, in: id) != nil else { throw .refused(.noSuchConversation) }
            var members = try store.conversations.members(of: id)
            if !query.isEmpty {
                let rows = try store.profiles.profileRows(members.map(\.name))
                members = members.filter { member in
                    [member.name.text, member.nickname, rows[member.name]?.displayName].contains { name in
                        name.map { $0.lowercased().contains(run: query) } ?? false
                    }
                }
            }
            let keyed = members.map { (key: self.key($0), member: $0) }.sorted { $0.key < $1.key }
            let page = keyed.filter { entry in after.map { entry.key > $0 } ?? true }.prefix(limit + 1)
            return (
                members: page.prefix(limit).map { $0.member },
                next: page.count > limit ? page[page.endIndex - 2].key : nil
            )
        } then: { found in
            self.show(found.members, call) { online in
                call.answer { writer in
                    writer.page(next: found.next) { writer in
                        for member in found.members { self.write(member, online, to: &writer, call) }
                    }
                }
            }
        }
    }

    /// Orders members by role, then by name; also the cursor after one.
    private static func key(_ member: Member) -> String {
        "\(MemberRole.owner.rawValue - member.role.rawValue)\(member.name)"
    }

    private static func show(
        _ members: [Member], _ call: NativeCall, then: @escaping @Sendable (Set<UserName>) -> Void
    ) {
        let names = members.map(\.name)
        call.meet(names) { call.services.broker.online(Set(names), then: then) }
    }

    private static func write(
        _ member: Member, _ online: Set<UserName>, to writer: inout JSONWriter, _ call: NativeCall
    ) {
        let info = call.native.profiles.info(user: member.name, by: call.user)
        writer.beginObject()
        writer.key("user")
        NativeUser(info, isOnline: online.contains(member.name)).write(to: &writer)
        writer.text("role", NativeConversation.word(member.role))
        writer.text("nickname", member.nickname)
        let until = min(member.mutedUntilMilliseconds, NativeMessage.always)
        writer.number("mutedUntil", until > call.now ? until : nil)
        writer.endObject()
    }

    // MARK: Changing

    @Sendable private static func add(_ call: NativeCall) throws(Problem) {
        let (id, user) = (call.conversation, call.user)
        let names = (call.input.texts("members") ?? []).compactMap(UserName.init)
        call.write { store throws(StoreError) in
            guard try store.reading.conversations.member(user, in: id) != nil else {
                throw .refused(.noSuchConversation)
            }
            var people: [(id: UserID, name: UserName)] = []
            for name in names {
                guard let person = try store.reading.people.user(named: name) else { throw .refused(.noSuchUser) }
                people.append((person.id, name))
            }
            let invitation = try store.teams.invite(people.map(\.id), to: id, by: Actor(user))
            let refused = Set(invitation.refused.map(\.person))
            return (
                added: people.filter { invitation.added.contains($0.id) }.map(\.name),
                asked: people.filter { invitation.asked.contains($0.id) }.map(\.name),
                refused: people.filter { refused.contains($0.id) }.map(\.name)
            )
        } answer: { found in
            .native { writer in
                writer.beginObject()
                writer.names("added", found.added)
                writer.names("asked", found.asked)
                writer.names("refused", found.refused)
                writer.endObject()
            }
        }
    }

    @Sendable private static func remove(_ call: NativeCall) throws(Problem) {
        let (id, user, name) = (call.conversation, call.user, try call.namedPerson())
        call.write { store throws(StoreError) in
            let person = try store.member(name, in: id, for: user)
            try store.conversations.removeMembers([person], from: id, by: Actor(user))
        } answer: { _ in
            .done
        }
    }

    @Sendable private static func change(_ call: NativeCall) throws(Problem) {
        let (id, user, name) = (call.conversation, call.user, try call.namedPerson())
        let (role, muted, nickname) = (
            call.input.text("role"), call.input.integer("mutedUntil"), call.input.text("nickname")
        )
        call.write { store throws(StoreError) in
            let (person, actor) = (try store.member(name, in: id, for: user), Actor(user))
            if let nickname { try store.conversations.setNickname(of: person, nickname, in: id, by: actor) }
            if let muted { try store.conversations.setMemberMuted(person, untilMilliseconds: muted, in: id, by: actor) }
            switch role {
            case "owner": try store.conversations.transferOwner(to: person, in: id, by: actor)
            case "manager": try store.conversations.setRoles([person], .manager, in: id, by: actor)
            case "member": try store.conversations.setRoles([person], .member, in: id, by: actor)
            default: break
            }
            guard let member = try store.reading.conversations.member(person, in: id) else {
                throw .refused(.noSuchUser)
            }
            return member
        } then: { member in
            self.show([member], call) { online in call.answer { self.write(member, online, to: &$0, call) } }
        }
    }
}

extension WriteTransaction {
    /// A member of a conversation that the asker is in.
    ///
    /// - Throws: `refused`: `noSuchConversation` for who is not in it, `noSuchUser` for who is no member.
    fileprivate func member(_ name: UserName, in id: ConversationID, for asker: UserID) throws(StoreError) -> UserID {
        guard try self.reading.conversations.member(asker, in: id) != nil else { throw .refused(.noSuchConversation) }
        guard let person = try self.reading.people.user(named: name),
            try self.reading.conversations.member(person.id, in: id) != nil
        else {
            throw .refused(.noSuchUser)
        }
        return person.id
    }
}

extension JSONWriter {
    /// Writes names of people under a key.
    fileprivate mutating func names(_ name: StaticString, _ people: [UserName]) {
        self.key(name)
        self.beginArray()
        for person in people { self.string(person.text) }
        self.endArray()
    }
}
