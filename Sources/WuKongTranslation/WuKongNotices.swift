package import ChatModel

/// A sync command for some of the people whom an event concerns.
package struct WuKongNotice: Hashable, Sendable {
    /// Receivers of a command.
    package enum Target: Hashable, Sendable {
        /// Members of a conversation now, as the receivers of one command.
        case conversation(ConversationID)
        /// People, each on all their devices.
        case people([UserID])
        /// Whoever was shown this person lately, friends, and the person.
        case watchers(of: UserName)
    }

    /// Command for the receivers.
    package var command: SyncCommand
    /// Receivers of the command.
    package var target: Target
    /// The conversation as the receivers are told it; empty for the direct conversation with the sender.
    package var channel: String
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Sender of the command. A person's changes have a rate; the system's have none.
    package var sender: UserID

    package init(
        command: SyncCommand, target: Target, channel: String, kind: ConversationKind, sender: UserID
    ) {
        self.command = command
        self.target = target
        self.channel = channel
        self.kind = kind
        self.sender = sender
    }
}

/// Wording of events for WuKongIM's apps, whichever way the change came.
///
/// Apps fetch what a command names; the command itself says nothing more. Source: TangSengDaoDao's web, iOS and Android
/// apps: `memberUpdate` reads `group_no` and synchronises the members after the largest version, `channelUpdate` reads
/// `channel_id` and `channel_type` and fetches the card, `unreadClear` sets the number, `messageRevoke` reads
/// `message_id`, `syncMessageExtra` and `syncReminders` synchronise by version, `friendRequest`, `friendAccept` and
/// `friendDeleted` synchronise friends and requests, `userAvatarUpdate` fetches a picture again.
package enum WuKongNotices {
    /// The commands about one transaction: several changes that lead to the same command lead to it once, and those of
    /// a conversation that has just been made to none besides.
    package static func announcements(of events: [ChangeEvent]) -> [WuKongNotice] {
        var made: Set<ConversationID> = []
        for event in events {
            if case .created = event.change, let place = event.place { made.insert(place.conversation) }
        }
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
        guard let place = event.place, made.contains(place.conversation) else { return false }
        switch event.change {
        case .created, .left, .edited, .recalled, .annotated, .read, .receipt, .own, .ended, .person: return false
        case .joined, .card, .settings, .role, .nickname, .muted, .unmuted, .blocked, .unblocked: return true
        }
    }

    /// The commands about one event; none in rooms, whose people come and go with their connections.
    package static func announcements(of event: ChangeEvent) -> [WuKongNotice] {
        if case .person(let change) = event.change { return self.announcements(of: change, event) }
        guard let place = event.place, place.kind != .room else { return [] }
        return ConversationWording(event: event, place: place).announcements
    }

    // MARK: People

    private static func announcements(of change: PersonChange, _ event: ChangeEvent) -> [WuKongNotice] {
        let (actor, people) = (event.actorID, event.receivers)
        let others = people.filter { $0 != actor }
        switch change {
        // That an account has ended apps learn when they ask for it.
        case .profile(let name, let fields):
            return self.announcements(ofPerson: name, showing: fields.subtracting(.existence))
        case .friendRequested(let request, let name):
            return [self.notice(.friendRequested(request, askerName: name), to: people, from: actor)]
        case .befriended(let asker, let other, let name):
            return [self.notice(.friendAccepted(asker: asker, by: other, name: name), to: people, from: actor)]
        case .unfriended(let other):
            return [
                self.notice(.friendDeleted(other), to: [actor], from: actor),
                self.notice(.friendDeleted(event.actor), to: others, from: actor),
                self.notice(.personChanged(other), to: [actor], from: actor),
                self.notice(.personChanged(event.actor), to: others, from: actor),
            ]
        case .remark(let other): return [self.notice(.personChanged(other), to: people, from: actor)]
        // A business server may put any number of people on a list; who is away sees it on the card.
        case .listed(let other, on: .blocked, _):
            let command = SyncCommand.personChanged(other)
            return [self.notice(actor == .system ? command.passing : command, to: people, from: actor)]
        // Apps show nothing of it.
        case .listed(_, on: .allowed, _): return []
        case .reminders: return [self.notice(.reminders, to: people, from: actor)]
        // Apps ask for neither; an announcement comes to them as a message.
        case .teamRequests, .announcement: return []
        }
    }

    /// Commands for whoever is shown a person, when these fields are other ones: by a change here, or in the other user
    /// system that has them. They come from the system and are kept for nobody: very many people are told.
    package static func announcements(ofPerson name: UserName, showing fields: ProfileFields) -> [WuKongNotice] {
        var commands: [SyncCommand] = []
        if fields.contains(.picture) { commands.append(.personPicture(name)) }
        if !fields.isDisjoint(with: [.name, .attributes, .existence]) { commands.append(.personChanged(name).passing) }
        return commands.map { command in
            WuKongNotice(command: command, target: .watchers(of: name), channel: "", kind: .direct, sender: .system)
        }
    }

    /// The command for everyone in a group whose picture is another one.
    package static func announcement(
        ofPictureOf channel: ChannelName, in id: ConversationID, _ kind: ConversationKind
    ) -> WuKongNotice {
        WuKongNotice(
            command: .groupPicture(channel.text), target: .conversation(id), channel: channel.text, kind: kind,
            sender: .system)
    }

    /// To devices of people, who see themselves as the channel: it is a note to them, and no conversation shows it.
    private static func notice(
        _ command: SyncCommand, to people: [UserID], from sender: UserID
    ) -> WuKongNotice {
        WuKongNotice(command: command, target: .people(people), channel: "", kind: .direct, sender: sender)
    }
}

/// Wording of one event of a conversation.
private struct ConversationWording {
    let event: ChangeEvent
    let place: EventPlace

    var announcements: [WuKongNotice] {
        switch self.event.change {
        // The first message brings a group to devices that are away.
        case .created: (self.membersChanged + self.cardChanged).map(\.passing)
        case .joined: self.membersChanged + self.arrivals
        case .left: self.departures
        case .role, .nickname, .muted, .unmuted, .blocked, .unblocked: self.membersChanged
        case .card: self.cardChanged
        case .settings(let settings): self.cardChanged + (settings.contains(.picture) ? self.pictureChanged : [])
        case .edited(let message): self.messagesChanged([.messageExtra], of: message.senderID)
        case .recalled(let message):
            self.messagesChanged(
                message.isDeleted
                    ? [.messageExtra, .reminders] : [.messageRevoked(message.id), .messageExtra, .reminders],
                of: message.senderID)
        case .annotated(let annotation):
            self.messagesChanged([Self.command(annotation)], of: self.event.actorID)
        case .read(_, _, let badge): self.read(badge)
        case .own(let change): self.own(change)
        // Apps that ask for receipts synchronise them with the extras, and have no word for the end. A person is in no
        // conversation.
        case .receipt, .ended, .person: []
        }
    }

    private func notice(_ command: SyncCommand, to target: WuKongNotice.Target? = nil) -> WuKongNotice {
        WuKongNotice(
            command: command, target: target ?? self.target, channel: self.place.channel?.text ?? "",
            kind: self.place.kind, sender: self.event.actorID)
    }

    private var target: WuKongNotice.Target {
        switch self.event.audience {
        case .members, .membersAnd: .conversation(self.place.conversation)
        case .people(let people): .people(people)
        case .watchers(let name): .watchers(of: name)
        }
    }

    private var channelType: Int { Int(Translation.channelType(self.place.kind).rawValue) }

    // MARK: People and cards

    /// Commands about members. In a direct conversation nobody joins or leaves; members of other conversations without
    /// groups are shown on the card.
    private var membersChanged: [WuKongNotice] {
        guard let channel = self.place.channel?.text else { return [] }
        guard self.place.kind == .group else { return self.cardChanged }
        return [self.notice(.membersChanged(channel))]
    }

    private var card: SyncCommand? {
        guard let channel = self.place.channel?.text else { return nil }
        return .channelChanged(channel, type: self.channelType)
    }

    private var cardChanged: [WuKongNotice] { self.card.map { [self.notice($0)] } ?? [] }

    /// A picture is fetched again by a command of its own.
    private var pictureChanged: [WuKongNotice] {
        guard let channel = self.place.channel else { return [] }
        return [WuKongNotices.announcement(ofPictureOf: channel, in: self.place.conversation, self.place.kind)]
    }

    /// Commands for people who joined; a person who returns has a card that says "out".
    private var arrivals: [WuKongNotice] {
        guard self.place.kind == .group, let card = self.card else { return [] }
        return [self.notice(card.passing, to: .people(self.event.subjects))]
    }

    /// Commands for people who left; they learn it by the card, which is not theirs any more.
    private var departures: [WuKongNotice] {
        guard let card = self.card else { return [] }
        let gone = WuKongNotice.Target.people(self.event.subjects)
        var announcements = self.event.receivers.count > self.event.subjects.count ? self.membersChanged : []
        if self.place.kind == .group, let channel = self.place.channel?.text {
            announcements.append(self.notice(.membersChanged(channel), to: gone))
        }
        return announcements + [self.notice(card, to: gone)]
    }

    // MARK: Messages

    /// Two people who talk know the conversation by each other's name: what the operator does to a message there comes
    /// from its sender.
    private func messagesChanged(_ commands: [SyncCommand], of sender: UserID) -> [WuKongNotice] {
        commands.map { command in
            guard self.place.kind == .direct else { return self.notice(command) }
            var notice = self.notice(command, to: .conversation(self.place.conversation))
            if self.event.actorID == .system { notice.sender = sender }
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

    private func read(_ badge: Int64) -> [WuKongNotice] {
        self.toOwnDevices { channel, type in [.unreadCleared(channel, type: type, unread: badge)] }
    }

    private func own(_ change: OwnChange) -> [WuKongNotice] {
        self.toOwnDevices { channel, type in
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
    private func toOwnDevices(_ commands: (_ channel: String, _ type: Int) -> [SyncCommand]) -> [WuKongNotice] {
        guard let channel = self.place.channel?.text ?? self.place.peer?.text else { return [] }
        return commands(channel, self.channelType).map { command in
            var notice = self.notice(command)
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
