import ByteCodec
import ChatModel
import Testing
import WuKongTranslation

@Suite("What WuKongIM's apps are told of events")
struct WuKongNoticeTests {
    private static let verona = ConversationID(rawValue: 7)
    private static let (romeo, juliet, tybalt) = (UserID(rawValue: 2), UserID(rawValue: 3), UserID(rawValue: 4))
    private static let name = UserName("tybalt")!

    private func event(
        _ change: ChangeEvent.Change, _ kind: ConversationKind = .group, by actor: UserID = romeo,
        subjects: [UserID] = [], audience: EventAudience = .members, receivers: [UserID] = [romeo, juliet],
        peer: UserName? = nil
    ) -> ChangeEvent {
        ChangeEvent(
            in: EventPlace(
                conversation: Self.verona, kind: kind, objectID: ObjectID(atMilliseconds: 0),
                channel: kind == .direct ? nil : ChannelName("verona"), peer: peer),
            actor: UserName("romeo")!, actorID: actor, subjects: subjects, atMilliseconds: 0, change: change,
            audience: audience, receivers: receivers, origin: .server)
    }

    private func lines(_ announcements: [WuKongNotice]) -> [String] {
        announcements.map { notice in
            let target =
                switch notice.target {
                case .conversation: "all"
                case .people(let people): people.map { "\($0.rawValue)" }.joined(separator: ",")
                case .watchers(let name): "watchers of \(name)"
                }
            return "\(notice.command.word)\(notice.command.isKept ? "" : "?") to \(target)"
        }
    }

    @Test("a change of many members is one command for all who stay and one for all who go")
    func departures() {
        let gone = self.event(
            .left([Self.name]), subjects: [Self.tybalt], audience: .membersAnd([Self.tybalt]),
            receivers: [Self.romeo, Self.juliet, Self.tybalt])
        #expect(
            self.lines(WuKongNotices.announcements(of: [gone])) == [
                "memberUpdate to all", "memberUpdate to 4", "channelUpdate to 4",
            ])
        let everybody = self.event(
            .left([Self.name]), subjects: [Self.tybalt], audience: .membersAnd([Self.tybalt]), receivers: [Self.tybalt])
        #expect(
            self.lines(WuKongNotices.announcements(of: [everybody])) == ["memberUpdate to 4", "channelUpdate to 4"])
    }

    @Test("what leads to the same command in one transaction leads to it once, and a new group is announced alone")
    func once() {
        let handedOver = [
            self.event(.role(Self.name, .owner)), self.event(.role(UserName("romeo")!, .member)),
            self.event(.settings([.notice("tonight")])), self.event(.card(modified: Array("{}".utf8), asked: nil)),
        ]
        #expect(
            self.lines(WuKongNotices.announcements(of: handedOver)) == ["memberUpdate to all", "channelUpdate to all"])
        let made = [self.event(.created([Self.name])), self.event(.settings([.joinMode])), self.event(.joined([]))]
        #expect(self.lines(WuKongNotices.announcements(of: made)) == ["memberUpdate? to all", "channelUpdate? to all"])
    }

    @Test(
        "rooms and conversations of two people have no members to look up; other channels have a card",
        arguments: [
            (.room, []), (.direct, []), (.service, ["channelUpdate to all"]),
            (.communityTopic, ["channelUpdate to all"]), (.group, ["memberUpdate to all"]),
        ] as [(ConversationKind, [String])])
    func kinds(_ kind: ConversationKind, _ lines: [String]) {
        #expect(self.lines(WuKongNotices.announcements(of: self.event(.muted([Self.name]), kind))) == lines)
    }

    @Test("of two people, the one who has read knows the conversation by the other's name")
    func read() throws {
        let event = self.event(
            .read(upTo: 9, unread: 1, badge: 3), .direct, subjects: [], audience: .people([Self.romeo]),
            receivers: [Self.romeo], peer: UserName("juliet"))
        let notice = try #require(WuKongNotices.announcements(of: event).first)
        #expect(notice.target == .people([Self.romeo]) && notice.channel == "" && !notice.command.isKept)
        let parameters = try #require(notice.command.parameters)
        #expect(parameters["channel_id"]?.string == "juliet" && parameters["channel_type"]?.integer == 1)
        #expect(parameters["unread"]?.integer == 3)
    }

    @Test("what the operator takes back between two people comes from its sender, who is the channel for the other")
    func operatorBetweenTwo() {
        let message = ChangedMessage(
            sequence: 1, id: MessageID(rawValue: 5), sender: UserName("juliet")!, senderID: Self.juliet,
            sentAtMilliseconds: 0, content: MessageContent(kind: .none, flags: [], wire: .native, body: []),
            changedAtMilliseconds: 1)
        let announcements = WuKongNotices.announcements(of: self.event(.recalled(message), .direct, by: .system))
        #expect(announcements.map(\.command.word) == ["messageRevoke", "syncMessageExtra", "syncReminders"])
        #expect(announcements.allSatisfy { $0.sender == Self.juliet && $0.target == .conversation(Self.verona) })
    }

    @Test(
        "of rows about messages apps are told which to synchronise",
        arguments: [
            (.reactions, "syncMessageReaction? to all"), (.pins, "syncPinnedMessage? to all"),
            (.readers, "syncMessageExtra? to all"),
        ] as [(MessageAnnotation, String)])
    func annotations(_ annotation: MessageAnnotation, _ line: String) {
        let event = self.event(.annotated(annotation))
        #expect(self.lines(WuKongNotices.announcements(of: [event, event])) == [line])
    }

    @Test("an edit of a message that is for some is told to those")
    func restricted() {
        let message = ChangedMessage(
            sequence: 1, id: MessageID(rawValue: 5), sender: UserName("juliet")!, senderID: Self.juliet,
            sentAtMilliseconds: 0, content: MessageContent(kind: .none, flags: [], wire: .native, body: []),
            changedAtMilliseconds: 1)
        let event = self.event(.edited(message), audience: .people([Self.juliet]), receivers: [Self.juliet])
        #expect(self.lines(WuKongNotices.announcements(of: event)) == ["syncMessageExtra? to 3"])
    }

    @Test("what a person changes for themselves goes to their own devices, by the channel as they know it")
    func own() {
        let changes: [(OwnChange, [String])] = [
            (.settings, ["channelUpdate to 2"]), (.place, ["syncConversationExtra? to 2"]),
            (.hidden, ["conversationDelete to 2", "conversationDeleted to 2"]), (.cleared, ["messageEerase? to 2"]),
            (.deleted([MessageID(rawValue: 5)]), ["messageDeleted? to 2"]),
            (.heard(MessageID(rawValue: 5)), ["voiceReaded? to 2"]),
        ]
        for (change, due) in changes {
            for (kind, channel) in [(ConversationKind.group, "verona"), (.direct, "juliet")] {
                let event = self.event(
                    .own(change), kind, audience: .people([Self.romeo]), receivers: [Self.romeo],
                    peer: UserName("juliet"))
                let announcements = WuKongNotices.announcements(of: [event])
                #expect(self.lines(announcements) == due)
                #expect(announcements.allSatisfy { $0.channel == "" && $0.kind == .direct && $0.sender == Self.romeo })
                let named = announcements.compactMap { $0.command.parameters?["channel_id"]?.string }
                #expect(named.allSatisfy { $0 == channel })
            }
        }
    }

    // MARK: People

    private func lines(
        _ change: PersonChange, by actor: UserID = romeo, to people: [UserID] = [romeo, juliet]
    ) -> [String] {
        let event = ChangeEvent(
            in: nil, actor: UserName("romeo")!, actorID: actor, atMilliseconds: 0, change: .person(change),
            audience: .people(people), receivers: people, origin: .server)
        let announcements = WuKongNotices.announcements(of: [event, event])
        #expect(announcements.allSatisfy { $0.channel == "" && $0.kind == .direct })
        return self.lines(announcements)
    }

    @Test("what lies between two people goes to each with the name of the other, and is kept")
    func friends() {
        let (romeo, juliet) = (UserName("romeo")!, UserName("juliet")!)
        let request = FriendRequest(
            asker: Self.romeo, askerName: romeo, other: Self.juliet, otherName: juliet, text: "a rose", token: "key",
            state: .waiting, change: 1, createdAtMilliseconds: 0)
        #expect(
            self.lines(.friendRequested(request, askerName: "Romeo"), to: [Self.juliet]) == ["friendRequest to 3"])
        #expect(self.lines(.befriended(romeo, by: juliet, name: "Juliet")) == ["friendAccept to 2,3"])
        #expect(
            self.lines(.unfriended(juliet)) == [
                "friendDeleted to 2", "friendDeleted to 3", "channelUpdate to 2", "channelUpdate to 3",
            ])
        #expect(self.lines(.remark(juliet), to: [Self.romeo]) == ["channelUpdate to 2"])
        #expect(self.lines(.reminders, by: .system) == ["syncReminders? to 2,3"])
        let event = ChangeEvent(
            in: nil, actor: romeo, actorID: Self.romeo, atMilliseconds: 0, change: .person(.unfriended(juliet)),
            audience: .people([Self.romeo, Self.juliet]), receivers: [Self.romeo, Self.juliet], origin: .server)
        let named = WuKongNotices.announcements(of: event).map { notice in
            (notice.command.parameters?["uid"] ?? notice.command.parameters?["channel_id"])?.string
        }
        #expect(named == ["juliet", "romeo", "juliet", "romeo"])
    }

    @Test("who blocks somebody has it on every device, also those that are away; by a business server while online")
    func blocking() {
        let tybalt = Self.name
        #expect(self.lines(.listed(tybalt, on: .blocked, true), to: [Self.romeo]) == ["channelUpdate to 2"])
        #expect(
            self.lines(.listed(tybalt, on: .blocked, false), by: .system, to: [Self.romeo]) == ["channelUpdate? to 2"])
        #expect(self.lines(.listed(tybalt, on: .allowed, true), to: [Self.romeo]) == [])
    }

    @Test(
        "a person who is shown otherwise is told to watchers, and kept for nobody",
        arguments: [
            (.name, ["channelUpdate? to watchers of tybalt"]), (.picture, ["userAvatarUpdate? to watchers of tybalt"]),
            ([.attributes, .externalID], ["channelUpdate? to watchers of tybalt"]), (.existence, []),
            (
                [.name, .picture],
                ["userAvatarUpdate? to watchers of tybalt", "channelUpdate? to watchers of tybalt"]
            ),
        ] as [(ProfileFields, [String])])
    func profiles(_ fields: ProfileFields, _ due: [String]) {
        #expect(self.lines(.profile(Self.name, fields), to: []) == due)
    }

    @Test("a group whose picture is another one has it fetched, beside its card")
    func pictures() {
        #expect(
            self.lines(WuKongNotices.announcements(of: self.event(.settings([.picture])))) == [
                "channelUpdate to all", "groupAvatarUpdate? to all",
            ])
    }
}
