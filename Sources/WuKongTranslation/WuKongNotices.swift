package import ChatModel

/// A sync command for some of the people whom an event concerns.
package struct WuKongNotice: Hashable, Sendable {
    /// Command for the receivers.
    package var command: SyncCommand
    /// Receivers of the command.
    package var target: CommandTarget
    /// The conversation as the receivers are told it; empty for the direct conversation with the sender.
    package var channel: String
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Sender of the command. A person's changes have a rate; the system's have none.
    package var sender: UserID
}

/// Wording of events for WuKongIM's apps, whichever way the change came.
///
/// Apps fetch what a command names; the command itself says nothing more. Source: TangSengDaoDao's web, iOS and Android
/// apps: `memberUpdate` reads `group_no` and synchronises the members after the largest version, `channelUpdate` reads
/// `channel_id` and `channel_type` and fetches the card, `unreadClear` sets the number, `messageRevoke` reads
/// `message_id`, `syncMessageExtra` and `syncReminders` synchronise by version.
package enum WuKongNotices {
    /// The commands about one transaction: several changes that lead to the same command lead to it once, and those of
    /// a conversation that has just been made to none besides.
    package static func announcements(of events: [ChangeEvent]) -> [WuKongNotice] {
        var made: Set<ConversationID> = []
        for event in events { if case .created = event.change { made.insert(event.conversation) } }
        var told: Set<WuKongNotice> = []
        var announcements: [WuKongNotice] = []
        for event in events where !self.isPartOfMaking(event, made) {
            for notice in self.announcements(of: event) where told.insert(notice).inserted {
                announcements.append(notice)
            }
        }
        return announcements
    }

    private static func isPartOfMaking(_ event: ChangeEvent, _ made: Set<ConversationID>) -> Bool {
        guard made.contains(event.conversation) else { return false }
        switch event.change {
        case .created, .left, .edited, .recalled, .annotated, .read, .receipt, .own: return false
        case .joined, .card, .settings, .role, .nickname, .muted, .unmuted, .blocked, .unblocked: return true
        }
    }

    /// The commands about one event; none in rooms, whose people come and go with their connections.
    package static func announcements(of event: ChangeEvent) -> [WuKongNotice] {
        guard event.kind != .room else { return [] }
        switch event.change {
        // The first message brings a group to devices that are away.
        case .created: return (self.membersChanged(event) + self.cardChanged(event)).map(\.passing)
        case .joined: return self.membersChanged(event) + self.arrivals(event)
        case .left: return self.departures(event)
        case .role, .nickname, .muted, .unmuted, .blocked, .unblocked: return self.membersChanged(event)
        case .card, .settings: return self.cardChanged(event)
        case .edited(let message): return self.messagesChanged(event, of: message.senderID, [.messageExtra])
        case .recalled(let message):
            let commands: [SyncCommand] =
                message.isDeleted
                ? [.messageExtra, .reminders] : [.messageRevoked(message.id), .messageExtra, .reminders]
            return self.messagesChanged(event, of: message.senderID, commands)
        case .annotated(let annotation):
            return self.messagesChanged(event, of: event.actorID, [self.command(annotation)])
        case .read(_, _, let badge): return self.read(event, badge)
        case .own(let change): return self.own(event, change)
        // Apps that ask for receipts synchronise them with the extras.
        case .receipt: return []
        }
    }

    // MARK: People and cards

    private static func notice(
        _ command: SyncCommand, _ event: ChangeEvent, to target: CommandTarget? = nil
    ) -> WuKongNotice {
        WuKongNotice(
            command: command, target: target ?? self.target(of: event), channel: event.channel?.text ?? "",
            kind: event.kind, sender: event.actorID)
    }

    /// Members of the conversation now, as the receivers of one command.
    private static func target(of event: ChangeEvent) -> CommandTarget {
        switch event.reach {
        case .members, .membersAnd: .conversation(event.conversation)
        case .people(let people): .people(people)
        }
    }

    /// Commands about members. In a direct conversation nobody joins or leaves; members of other conversations without
    /// groups are shown on the card.
    private static func membersChanged(_ event: ChangeEvent) -> [WuKongNotice] {
        guard let channel = event.channel?.text else { return [] }
        guard event.kind == .group else { return self.cardChanged(event) }
        return [self.notice(.membersChanged(channel), event)]
    }

    private static func card(of event: ChangeEvent) -> SyncCommand? {
        guard let channel = event.channel?.text else { return nil }
        return .channelChanged(channel, type: Int(Translation.channelType(event.kind).rawValue))
    }

    private static func cardChanged(_ event: ChangeEvent) -> [WuKongNotice] {
        self.card(of: event).map { [self.notice($0, event)] } ?? []
    }

    /// Commands for people who joined; a person who returns has a card that says "out".
    private static func arrivals(_ event: ChangeEvent) -> [WuKongNotice] {
        guard event.kind == .group, let card = self.card(of: event) else { return [] }
        return [self.notice(card.passing, event, to: .people(event.subjects))]
    }

    /// Commands for people who left; they learn it by the card, which is not theirs any more.
    private static func departures(_ event: ChangeEvent) -> [WuKongNotice] {
        guard let card = self.card(of: event) else { return [] }
        let gone = CommandTarget.people(event.subjects)
        var announcements = event.audience.count > event.subjects.count ? self.membersChanged(event) : []
        if event.kind == .group, let channel = event.channel?.text {
            announcements.append(self.notice(.membersChanged(channel), event, to: gone))
        }
        return announcements + [self.notice(card, event, to: gone)]
    }

    // MARK: Messages

    /// Two people who talk know the conversation by each other's name: what the operator does to a message there comes
    /// from its sender.
    private static func messagesChanged(
        _ event: ChangeEvent, of sender: UserID, _ commands: [SyncCommand]
    ) -> [WuKongNotice] {
        commands.map { command in
            guard event.kind == .direct else { return self.notice(command, event) }
            var notice = self.notice(command, event, to: .conversation(event.conversation))
            if event.actorID == .system { notice.sender = sender }
            return notice
        }
    }

    private static func command(_ annotation: MessageAnnotation) -> SyncCommand {
        switch annotation {
        case .reactions: .reaction
        case .pins: .pinned
        case .attributes, .readers: .messageExtra
        }
    }

    // MARK: A person's own

    private static func read(_ event: ChangeEvent, _ badge: Int64) -> [WuKongNotice] {
        self.toOwnDevices(event) { channel, type in [.unreadCleared(channel, type: type, unread: badge)] }
    }

    private static func own(_ event: ChangeEvent, _ change: OwnChange) -> [WuKongNotice] {
        self.toOwnDevices(event) { channel, type in
            switch change {
            case .settings: [.channelChanged(channel, type: type)]
            case .place: [.conversationExtra]
            case .hidden: SyncCommand.conversationDeleted(channel, type: type)
            case .cleared: [.messagesErased(channel, type: type)]
            case .deleted(let messages): [.messagesDeleted(messages, channel, type: type)]
            case .heard(let message): [.voicePlayed(message)]
            }
        }
    }

    /// To the person's own devices, which know a direct conversation by the other one. They see themselves as the
    /// channel: it is a note to them, and no conversation shows it.
    private static func toOwnDevices(
        _ event: ChangeEvent, _ commands: (_ channel: String, _ type: Int) -> [SyncCommand]
    ) -> [WuKongNotice] {
        guard let channel = event.channel?.text ?? event.peer?.text else { return [] }
        return commands(channel, Int(Translation.channelType(event.kind).rawValue)).map { command in
            var notice = self.notice(command, event)
            notice.channel = ""
            notice.kind = .direct
            return notice
        }
    }
}

extension WuKongNotice {
    /// Reaching those who are online only.
    fileprivate var passing: WuKongNotice {
        var notice = self
        notice.command = notice.command.passing
        return notice
    }
}
