package import ByteCodec
package import ChatModel
package import LeanCloudWire
package import Store

/// Something that happened to a conversation, in LeanCloud's words for one person.
package struct LeanCloudNotice: Sendable {
    /// `nil` for a receipt, which has none.
    package var op: OpType?
    /// Command about the conversation; `nil` for none.
    package var conversation: ConvCommand?
    /// Receipt; `nil` for none.
    package var receipt: RcpCommand?
    /// It happened to the person, and they can ask for it later; else it is to a conversation of theirs.
    package var isPermanent: Bool
    /// UTC milliseconds.
    package var atMilliseconds: Int64

    /// Source: LeanCloud realtime, `notificationType`.
    package var notificationType: Int32 { self.isPermanent ? 1 : 2 }

    /// As a push, without its client.
    package var command: GenericCommand {
        var command = GenericCommand()
        command.cmd = self.receipt == nil ? .conv : .rcp
        command.op = self.op
        command.service = 2
        command.serverTs = self.atMilliseconds
        command.notificationType = self.notificationType
        command.convMessage = self.conversation
        command.rcpMessage = self.receipt
        return command
    }
}

/// A page of what a client missed.
package struct MissedNotices: Sendable {
    /// The same as JSON, for clients that ask over HTTP.
    package var json: JSONValue
    /// Nothing in it is for this client.
    package var isEmpty: Bool
    /// True when more are waiting.
    package var hasMore: Bool
}

/// Commands for events, by receiver. Source: LeanCloud realtime; its SDKs' own tests of who is told what, and in which
/// order.
package enum LeanCloudNotices {
    /// Commands for one person about an event, in order. None for rooms and services, and none for messages.
    package static func announcements(
        of change: ChangeEvent.Change, in id: ObjectID, _ kind: ConversationKind, by actor: UserName,
        at moment: Int64, for viewer: UserName
    ) -> [LeanCloudNotice] {
        guard kind != .room && kind != .service else { return [] }
        let wording = Wording(
            cid: LeanCloudNames.conversationID(id, kind), isTemporary: kind == .temporary, actor: actor, moment: moment)
        let others: ([UserName]) -> [UserName] = { people in people.filter { $0 != viewer } }
        switch change {
        case .created(let people, _), .joined(let people, _):
            let all = wording.told(.membersJoined, people)
            return people.contains(viewer) ? [wording.personal(.joined), all] : [all]
        case .left(let people, _):
            return people.contains(viewer) ? [wording.personal(.left)] : [wording.told(.membersLeft, people)]
        case .card(let modified, let asked): return [wording.updated(modified, asked)]
        // Source: LeanCloud realtime, whoever made a conversation owns it; no client is ever told of another owner.
        case .role(_, .owner, _): return []
        case .role(let person, let role, _): return [wording.role(of: person, role)]
        case .muted(let people): return wording.both(.shutuped, .membersShutuped, people, others(people))
        case .unmuted(let people): return wording.both(.unshutuped, .membersUnshutuped, people, others(people))
        case .blocked(let people): return wording.both(.blocked, .membersBlocked, people, others(people))
        case .unblocked(let people): return wording.both(.unblocked, .membersUnblocked, people, others(people))
        case .receipt(let receipt): return [wording.receipt(receipt)]
        // Its SDKs have no word for these.
        case .nickname, .settings, .annotated, .own, .ended, .person: return []
        case .edited, .recalled, .read: return []
        }
    }

    private struct Wording {
        let cid: String
        let isTemporary: Bool
        let actor: UserName
        let moment: Int64

        private var body: ConvCommand {
            var body = ConvCommand()
            body.cid = self.cid
            body.initBy = self.actor.text
            body.udate = LeanCloudDates.text(self.moment)
            // The Java SDK asks it of conversations that it does not know yet.
            if self.isTemporary { body.tempConv = true }
            return body
        }

        private func notice(_ op: OpType, _ body: ConvCommand, isPermanent: Bool) -> LeanCloudNotice {
            LeanCloudNotice(op: op, conversation: body, isPermanent: isPermanent, atMilliseconds: self.moment)
        }

        func personal(_ op: OpType) -> LeanCloudNotice { self.notice(op, self.body, isPermanent: true) }

        func told(_ op: OpType, _ people: [UserName]) -> LeanCloudNotice {
            var body = self.body
            body.m = people.map(\.text)
            return self.notice(op, body, isPermanent: false)
        }

        /// Commands for people whom the change happened to, and for the others.
        func both(
            _ personal: OpType, _ told: OpType, _ people: [UserName], _ others: [UserName]
        ) -> [LeanCloudNotice] {
            let mine = others.count < people.count ? [self.personal(personal)] : []
            return mine + (others.isEmpty ? [] : [self.told(told, others)])
        }

        /// The JavaScript SDK reads `attr`, all others `attrModified`.
        func updated(_ modified: [UInt8], _ asked: [UInt8]?) -> LeanCloudNotice {
            var body = self.body
            body.attr = JsonObjectMessage(asked ?? modified)
            body.attrModified = JsonObjectMessage(modified)
            return self.notice(.updated, body, isPermanent: false)
        }

        func role(of person: UserName, _ role: MemberRole) -> LeanCloudNotice {
            var body = self.body
            var info = ConvMemberInfo()
            info.pid = person.text
            info.role = LeanCloudNotices.word(for: role)
            body.info = info
            return self.notice(.memberInfoChanged, body, isPermanent: false)
        }

        /// `read` is there only when it was: the Java SDK looks no further.
        func receipt(_ receipt: MessageReceipt) -> LeanCloudNotice {
            var body = RcpCommand()
            body.id = LeanCloudNames.messageID(receipt.message)
            body.cid = self.cid
            body.t = receipt.atMilliseconds
            if receipt.isRead { body.read = true }
            body.from = receipt.receiver.text
            return LeanCloudNotice(op: nil, receipt: body, isPermanent: true, atMilliseconds: self.moment)
        }
    }

    // MARK: Roles

    /// Source: LeanCloud realtime guide, member roles.
    package static func word(for role: MemberRole) -> String {
        switch role {
        case .member: "Member"
        case .manager: "Manager"
        case .owner: "Owner"
        }
    }

    /// - Returns: `nil` for what is no role.
    package static func role(_ word: String) -> MemberRole? {
        MemberRole.allCases.first { self.word(for: $0) == word }
    }

    // MARK: What a client missed

    /// The answer to a client that asks over HTTP what it missed.
    ///
    /// The JavaScript SDK names the type and reads `notifications`, with names of operations that have underscores and
    /// a text under `attr`; the others name none and read `permanent` and `droppable`, with hyphens and objects.
    ///
    /// - Parameters:
    ///   - type: `notification_type` of the question; `nil` when there was none.
    ///   - events: as `ReadTransaction.events(for:after:)` gives them.
    package static func missed(_ events: [LoggedEvent], for viewer: UserName, type: String?) -> MissedNotices {
        let announcements = events.flatMap { event in
            self.announcements(
                of: event.change, in: event.objectID, event.kind, by: event.actor, at: event.atMilliseconds, for: viewer
            )
        }
        let isCut = events.count >= EventLogBounds.page
        let hasMore = JSONValue.Member("hasMore", .boolean(isCut))
        if let type {
            let asked = announcements.filter { $0.isPermanent == (type != "droppable") }
            let json = JSONValue.object([
                JSONValue.Member("notifications", .array(asked.map { self.json($0, hyphens: false) })), hasMore,
            ])
            return MissedNotices(json: json, isEmpty: asked.isEmpty, hasMore: isCut)
        }
        let list: (Bool) -> JSONValue.Member = { isPermanent in
            let some = announcements.filter { $0.isPermanent == isPermanent }
            return JSONValue.Member("notifications", .array(some.map { self.json($0, hyphens: true) }))
        }
        let json = JSONValue.object([
            JSONValue.Member("permanent", .object([list(true), hasMore])),
            JSONValue.Member(
                "droppable",
                .object([JSONValue.Member("invalidLocalConvCache", .boolean(false)), list(false), hasMore])),
        ])
        return MissedNotices(json: json, isEmpty: announcements.isEmpty, hasMore: isCut)
    }

    /// How far back is looked for a client that names a time in the future. Source: JavaScript SDK, which begins with
    /// the time of its own clock.
    package static let clockAllowanceMilliseconds: Int64 = 600_000

    /// Where to begin for a client that says up to which moment it knows what happened.
    ///
    /// - Parameter newest: the newest moment that the store has given to something of this kind.
    package static func start(of moment: Int64, newest: Int64, now: Int64) -> Int64 {
        moment <= max(newest, now) ? moment : now - Self.clockAllowanceMilliseconds
    }

    private static func json(_ notice: LeanCloudNotice, hyphens: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(JSONValue.Member(name, value)) }
        }
        let text: (String?) -> JSONValue? = { $0.map { .string($0) } }
        add("cmd", .string(notice.receipt == nil ? "conv" : "rcp"))
        add("op", text(notice.op.flatMap { self.name(of: $0, hyphens: hyphens) }))
        add("serverTs", .integer(notice.atMilliseconds))
        add("notificationType", .integer(Int64(notice.notificationType)))
        if let body = notice.conversation {
            add("cid", text(body.cid))
            add("initBy", text(body.initBy))
            add("udate", text(body.udate))
            if !body.m.isEmpty { add("m", .array(body.m.map { .string($0) })) }
            if body.tempConv == true { add("tempConv", .boolean(true)) }
            add("attr", self.json(body.attr, asText: !hyphens))
            add("attrModified", self.json(body.attrModified, asText: !hyphens))
            if let info = body.info {
                add(
                    "info",
                    .object([
                        JSONValue.Member("pid", .string(info.pid ?? "")),
                        JSONValue.Member("role", .string(info.role ?? "")),
                    ]))
            }
        }
        if let body = notice.receipt {
            add("id", text(body.id))
            add("cid", text(body.cid))
            add("t", body.t.map { .integer($0) })
            add("read", body.read.map { .boolean($0) })
            add("from", text(body.from))
        }
        return .object(members)
    }

    private static func json(_ message: JsonObjectMessage?, asText: Bool) -> JSONValue? {
        guard let message else { return nil }
        if asText { return .object([JSONValue.Member("data", .string(message.data))]) }
        return try? JSONValue(parsing: message.data)
    }

    private static func name(of op: OpType, hyphens: Bool) -> String? {
        guard let words = Self.names[op] else { return nil }
        return words.joined(separator: hyphens ? "-" : "_")
    }

    private static let names: [OpType: [String]] = [
        .joined: ["joined"], .membersJoined: ["members", "joined"], .left: ["left"], .membersLeft: ["members", "left"],
        .updated: ["updated"], .memberInfoChanged: ["member", "info", "changed"], .shutuped: ["shutuped"],
        .unshutuped: ["unshutuped"], .membersShutuped: ["members", "shutuped"],
        .membersUnshutuped: ["members", "unshutuped"], .blocked: ["blocked"], .unblocked: ["unblocked"],
        .membersBlocked: ["members", "blocked"], .membersUnblocked: ["members", "unblocked"],
    ]
}

extension JsonObjectMessage {
    /// JSON text that is UTF-8.
    package init(_ text: [UInt8]) {
        self.init()
        self.data = String(decoding: text, as: UTF8.self)
    }
}
