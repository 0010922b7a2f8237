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
}
