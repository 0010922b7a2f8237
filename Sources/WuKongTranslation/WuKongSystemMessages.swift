import ByteCodec
package import ChatModel
import Localization
import Profiles
package import Store
import WuKongWire

/// Words the lines that groups show about changes, as messages that apps show. The store asks in the transaction of the
/// change.
package enum WuKongSystemMessages {
    /// The lines about the events of one change of one group. Changes by WuKongIM's apps have the words that those apps
    /// expect; those by the operator and by our own API have ours, which name the event too. Business servers say what
    /// they want to have said themselves, and LeanCloud's clients show what they are told of the change.
    ///
    /// - Throws: `notFound` for somebody who is not known.
    @Sendable package static func messages(
        about events: [ChangeEvent], _ context: SystemMessageContext
    ) throws(StoreError) -> [MessageContent] {
        guard let gateway = events.first?.origin.gateway else { return [] }
        switch gateway {
        case .app: return try self.appMessages(about: events, context)
        case .operator, .native: return try self.teamMessages(about: events, context)
        case .server, .business, .leanCloud: return []
        }
    }

    /// A message with a text, in which `{0}`, `{1}` … stand for the people in `extra`, whom apps show by the names they
    /// know; it counts as unread, as in the open server.
    ///
    /// - Parameter further: members of the payload behind the text, the people and the type.
    static func content(
        _ text: String, _ people: [SystemMessagePerson], type: Int64, _ further: [(String, JSONValue)]
    ) -> MessageContent {
        let extra = people.map { person in
            JSONValue.object([
                JSONValue.Member("uid", .string(person.user.text)), JSONValue.Member("name", .string(person.name)),
            ])
        }
        let members =
            [("content", JSONValue.string(text)), ("extra", .array(extra)), ("type", .integer(type))] + further
        var content = Translation.content(
            payload: JSONValue.object(members.map { JSONValue.Member($0.0, $0.1) }).serialized(),
            header: WuKongHeader(noPersist: false, redDot: true, syncOnce: false), setting: [], topic: nil, expire: 0)
        content.namesFiles = false
        return content
    }

    /// The title that a change of the card has given; `nil` when it is none of the title.
    static func title(_ modified: [UInt8]) -> String? {
        (try? JSONValue(parsing: modified))?["name"]?.string
    }

    /// In the order in which they are told.
    static func sorted(_ settings: Set<ConversationSetting>) -> [ConversationSetting] {
        settings.sorted { Self.place($0) < Self.place($1) }
    }

    private static func place(_ setting: ConversationSetting) -> Int {
        switch setting {
        case .introduction: 0
        case .notice: 1
        case .joinMode: 2
        case .muteMode: 3
        case .inviteMode: 4
        case .inviteeMode: 5
        case .updateMode: 6
        case .attributesMode: 7
        case .ownerLeaving: 8
        case .disbanded: 9
        case .picture: 10
        case .banned: 11
        case .memberLimit: 12
        case .other: 13
        }
    }
}

/// An event of a team, for the line about it.
private struct TeamLine {
    let event: TeamEvent
    /// `nil` for the operator.
    let actor: UserID?
    var targets: [UserID]

    init(_ event: TeamEvent, by actor: UserID, _ targets: [UserID] = []) {
        self.event = event
        self.actor = actor == .system ? nil : actor
        self.targets = targets
    }
}

extension WuKongSystemMessages {
    fileprivate static func teamMessages(
        about events: [ChangeEvent], _ context: SystemMessageContext
    ) throws(StoreError) -> [MessageContent] {
        var messages: [MessageContent] = []
        for line in self.lines(about: events) { messages.append(try self.content(of: line, context)) }
        return messages
    }

    /// The line in the language in which the server writes into groups.
    private static func content(
        of line: TeamLine, _ context: SystemMessageContext
    ) throws(StoreError) -> MessageContent {
        let texts = Texts(installed: .chinese)
        let actor = try line.actor.map { id throws(StoreError) in try context.person(id) }
        let targets = try context.people(line.targets)
        // The places of the people, whom apps show by the names they know.
        let people = (actor.map { [$0] } ?? []) + targets
        let places = people.enumerated().map { SystemMessagePerson($1.user, name: "{\($0)}") }
        let leader = actor == nil ? SystemMessagePerson(systemUserName, name: texts("tip.operator")) : places[0]
        let text = TeamSystemMessage(texts, reader: nil).text(
            line.event, actor: leader, targets: Array(places.dropFirst(actor == nil ? 0 : 1)),
            team: context.form == .normal ? .normal : .advanced)
        return Translation.teamSystemMessage(
            line.event, text: text, people: people, actor: actor?.user, targets: targets.map(\.user))
    }

    /// The new owner comes first, also where the one before has gone; several new managers are one line.
    private static func lines(about events: [ChangeEvent]) -> [TeamLine] {
        for event in events {
            guard case .created(_, let asTeam) = event.change else { continue }
            let others = event.subjects.filter { $0 != event.actorID }
            return asTeam && !others.isEmpty ? [TeamLine(.invited, by: event.actorID, others)] : []
        }
        var lines = self.newOwners(events)
        for event in events {
            for line in self.lines(about: event) {
                switch line.event {
                case .managerAdded where lines.last?.event == .managerAdded,
                    .managerRemoved where lines.last?.event == .managerRemoved:
                    lines[lines.count - 1].targets += line.targets
                case .invited, .removed, .left, .dismissed, .joined, .applicationPassed, .invitationAccepted,
                    .ownerChanged, .managerAdded, .managerRemoved, .muted, .unmuted, .updated, .allMuted, .allUnmuted,
                    .unknown:
                    lines.append(line)
                }
            }
        }
        return lines
    }

    /// The owner of before has handed the team over, whoever carried it out.
    private static func newOwners(_ events: [ChangeEvent]) -> [TeamLine] {
        var before: UserID?
        for event in events {
            if case .role(_, _, was: .owner?) = event.change { before = event.subjects.first }
        }
        return events.compactMap { event in
            guard case .role(_, .owner, _) = event.change else { return nil }
            return TeamLine(.ownerChanged, by: before ?? event.actorID, event.subjects)
        }
    }

    private static func lines(about event: ChangeEvent) -> [TeamLine] {
        let (actor, subjects) = (event.actorID, event.subjects)
        switch event.change {
        case .joined(_, as: .invited): return [TeamLine(.invited, by: actor, subjects)]
        case .joined(_, as: .joined): return [TeamLine(.joined, by: actor)]
        case .joined(_, as: .applicationAccepted): return [TeamLine(.applicationPassed, by: actor, subjects)]
        case .joined(_, as: .invitationAccepted(let inviter)):
            return [TeamLine(.invitationAccepted, by: subjects.first ?? actor, inviter.map { [$0] } ?? [])]
        case .left(_, as: .removed): return [TeamLine(.removed, by: actor, subjects)]
        case .left(_, as: .left): return subjects.map { TeamLine(.left, by: $0) }
        // Told before.
        case .role(_, .owner, _), .role(_, _, was: .owner?): return []
        case .role(_, .manager, _): return [TeamLine(.managerAdded, by: actor, subjects)]
        case .role(_, .member, _): return [TeamLine(.managerRemoved, by: actor, subjects)]
        case .muted: return [TeamLine(.muted, by: actor, subjects)]
        case .unmuted: return [TeamLine(.unmuted, by: actor, subjects)]
        case .card(let modified, _):
            return self.title(modified) == nil ? [] : [TeamLine(.updated([.name]), by: actor)]
        case .settings(let settings): return self.lines(about: settings, by: actor)
        case .created, .nickname, .blocked, .unblocked, .edited, .recalled, .annotated, .read, .receipt, .own, .ended,
            .person:
            return []
        }
    }

    /// The texts of a team have a line each, its modes one together, and who may write another one.
    private static func lines(about settings: Set<ConversationSetting>, by actor: UserID) -> [TeamLine] {
        var lines: [TeamLine] = []
        var modes: [TeamField] = []
        var last: [TeamLine] = []
        for setting in self.sorted(settings) {
            switch setting {
            case .introduction: lines.append(TeamLine(.updated([.introduction]), by: actor))
            case .notice: lines.append(TeamLine(.updated([.notice]), by: actor))
            case .joinMode: modes.append(.joinMode)
            case .inviteMode: modes.append(.inviteMode)
            case .inviteeMode: modes.append(.inviteeMode)
            case .updateMode: modes.append(.updateMode)
            case .attributesMode, .ownerLeaving: if !modes.contains(.other) { modes.append(.other) }
            case .muteMode(let mode): last.append(TeamLine(mode == .none ? .allUnmuted : .allMuted, by: actor))
            case .disbanded: last.append(TeamLine(.dismissed, by: actor))
            case .picture, .banned, .memberLimit, .other: break
            }
        }
        if !modes.isEmpty { lines.append(TeamLine(.updated(modes), by: actor)) }
        return lines + last
    }
}
