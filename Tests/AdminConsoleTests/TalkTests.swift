import AdminAPI
import AdminConsole
import ChatModel
import Testing

extension Samples {
    static func conversation(
        _ number: Int64, _ kind: ConversationKind, _ name: String, title: String? = nil, members: Int = 2,
        head: Int64 = 7, flags: ConversationFlags = []
    ) -> AdminConversation {
        AdminConversation(
            Conversation(
                id: ConversationID(rawValue: number), kind: kind,
                channel: kind == .direct ? nil : ChannelName(name), title: title, flags: flags, creator: .system,
                memberCount: members, head: head, headCountable: head, revision: 0,
                createdAtMilliseconds: Desk.now - 86_400_000, activeAtMilliseconds: Desk.now - number * 60_000),
            name: name)
    }

    static let conversations = [
        conversation(1, .group, "tea", title: "茶馆", members: 1_200), conversation(2, .direct, "lan,ming"),
        conversation(3, .room, "hall", members: 0),
    ]

    static func message(_ sequence: Int64, _ sender: String, _ text: String) -> AdminMessage {
        AdminMessage(
            conversation: 1, conversationName: "tea", sequence: sequence, id: MessageID(rawValue: 9_000 + sequence),
            sender: sender, sentAtMilliseconds: Desk.now + sequence * 1_000, kind: .text, text: text, isCut: false)
    }

    /// A conversation of forty messages, and a server that is asked about it.
    static func talk(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        let all = (1...40).map { Self.message($0, $0 % 2 == 0 ? "lan" : "ming", "line \($0)") }
        switch request {
        case .listConversations: return .success(.conversations(Self.conversations, next: nil))
        case .talks(.list): return .success(.conversations([Self.conversations[1]], next: nil))
        case .showConversation:
            let member = Member(
                user: UserID(rawValue: 1), name: UserName("ming")!, role: .owner, readSequence: 7, readCountable: 7,
                ownCountableSinceRead: 0, joinedSequence: 0)
            return .success(
                .conversation(
                    AdminConversationDetail(
                        conversation: Self.conversations[0], notice: "open at eight",
                        members: [AdminMember(member, headCountable: 7)], listenerCount: 3,
                        attributes: #"{"color":"green","seat":{"row":1,"place":2}}"#)))
        case .talks(.look(_, .before(let sequence), let limit)):
            return .success(.messages(Array(all.filter { $0.sequence < sequence }.suffix(Int(limit)))))
        case .talks(.look(_, .after(let sequence), let limit)):
            return .success(.messages(Array(all.filter { $0.sequence > sequence }.prefix(Int(limit)))))
        case .talks(.look(_, .around(let sequence), _)):
            return .success(.messages(all.filter { abs($0.sequence - sequence) <= 2 }))
        case .talks(.look(_, .since, _)): return .success(.messages(Array(all[10...12])))
        case .talks(.trace): return .success(.talks(.trace(Self.trace)))
        case .talks(.seeAs): return .success(.talks(.seen(Self.seen)))
        case .talks(.createDirect), .talks(.createRoom):
            return .success(.conversation(AdminConversationDetail(conversation: Self.conversations[0], members: [])))
        case .talks, .setGroupMuted, .setGroupBanned: return .success(.count(1))
        case .send: return .success(.sent(Self.message(41, "____system", "hello")))
        default: return Self.answer(request)
        }
    }

    static let trace = AdminTrace(
        message: message(40, "lan", "line 40"), isRecalled: false, isDeletedForAll: false, editCount: 2,
        people: [
            AdminTraceRow(
                name: UserName("lan")!, isSender: true, isRead: true, reportedReadAtMilliseconds: nil,
                deliveredTo: [.app], waitingFor: [], sessions: [AdminTraceSession(id: 8, device: .app)], withheld: nil),
            AdminTraceRow(
                name: UserName("ming")!, isSender: false, isRead: true, reportedReadAtMilliseconds: Desk.now + 60_000,
                deliveredTo: [.app], waitingFor: [.web],
                sessions: [AdminTraceSession(id: 7, device: .app), AdminTraceSession(id: 9, device: .web)],
                withheld: nil),
            AdminTraceRow(
                name: UserName("zoe")!, isSender: false, isRead: false, reportedReadAtMilliseconds: nil,
                deliveredTo: [], waitingFor: [.desktop], sessions: [], withheld: .deletedBySelf),
        ], next: nil)

    static let seen = AdminSeen(
        messages: [
            AdminSeenMessage(message: message(38, "lan", "line 38"), isRecalled: false, isEdited: true),
            AdminSeenMessage(message: message(40, "lan", ""), isRecalled: true, isEdited: false),
        ], withheld: [AdminWithheld(sequence: 39, reason: .deletedBySelf)], next: 38)
}

@Suite("Conversations on the console") struct ConversationScreenTests {
    private func desk() -> Desk {
        let desk = Desk(server: Samples.talk)
        desk.press(.character("4"))
        return desk
    }

    @Test("every kind is listed, and many members are marked")
    func list() {
        #expect(
            self.desk().shown() == [
                " Conversations  1/3                                                    08:00:00",
                "  NUMBER  KIND      NAME           TITLE          MEMBERS   MESSAGES  LAST AC… ↓",
                ">      1  group     tea            茶馆             !1200          7  07:59:00",
                "       2  direct    lan,ming                            2          7  07:58:00",
                "       3  room      hall                                0          7  07:57:00",
                " /srv/teahouse",
            ])
    }

    @Test(
        "a ban and a mute of a group, and their ends, are undone by the opposite, once",
        arguments: ["b", "B", "s", "S"] as [Character])
    func undo(_ key: Character) throws {
        let tea = try #require(ChannelName("tea"))
        let (isOn, isBan) = (key.isLowercase, key.lowercased() == "b")
        func request(_ isOn: Bool) -> AdminRequest { isBan ? .setGroupBanned(tea, isOn) : .setGroupMuted(tea, isOn) }
        let (change, opposite) = (request(isOn), request(!isOn))
        let desk = self.desk()
        desk.press(.character(key), .enter)
        #expect(desk.changes() == [change])
        desk.press(.character("z"))
        #expect(desk.changes() == [change, opposite])
        desk.press(.character("z"))
        #expect(desk.changes() == [change, opposite])
    }

    @Test("one conversation: who is in it, who listens, and whether that is much")
    func detail() {
        let desk = self.desk()
        desk.press(.enter)
        #expect(
            desk.shown() == [
                " Conversations › Conversation tea  1/1                                 08:00:00",
                " TITLE             茶馆",
                " KIND              group  id:1",
                " STATE             active",
                " MESSAGES          7",
                " LAST ACTIVE       d1020833xx 07:59:00",
                " CREATED           d1020832xx 08:00:00",
                " ANNOUNCEMENT      open at eight",
                #" ATTRIBUTES        {"color":"green","seat":{"row":1,"place":2}}"#,
                " LISTENING NOW     3  ! 1203 people get every message: each is work for the who…",
                "",
                " Members (1200):",
                "  NAME                        ROLE            UNREAD  STATE",
                "> ming                        owner                0",
                " /srv/teahouse",
            ])
    }

    @Test("attributes: one is edited, the change is shown before it is made, and taken back by the patch the other way")
    func attributes() {
        let desk = self.desk()
        desk.press(.character("a"), .down, .enter)
        #expect(desk.screen().contains { $0.contains(#"{"row":1,"place":2}"#) })
        desk.press(.control("u"))
        desk.type("{\"row\":null}")
        #expect(desk.screen().contains { $0.contains("A JSON value without null") })
        desk.press(.control("u"))
        desk.type("{\"row\":3}")
        desk.press(.enter)
        let asked = desk.screen(110)
        #expect(asked.contains { $0.contains(#"- seat: {"row":1,"place":2}"#) })
        #expect(asked.contains { $0.contains(#"+ seat: {"row":3}"#) })
        #expect(asked.contains { $0.contains("conversation attributes id:1 --set") })
        #expect(desk.changes().isEmpty)
        desk.press(.enter)
        #expect(desk.changes() == [.talks(.setAttributes("id:1", patch: #"{"seat":{"row":3,"place":null}}"#))])
        desk.press(.character("z"), .enter)
        #expect(desk.changes().last == .talks(.setAttributes("id:1", patch: #"{"seat":{"row":1,"place":2}}"#)))
    }

    @Test("attributes: a key is added and removed; two people's conversation has none")
    func attributeKeys() {
        let desk = self.desk()
        desk.press(.character("a"), .character("n"))
        desk.type("a=b")
        #expect(desk.screen().contains { $0.contains("holds an equals sign") })
        desk.press(.backspace, .backspace, .tab)
        desk.type("[7]")
        desk.press(.enter, .enter)
        #expect(desk.changes().last == .talks(.setAttributes("id:1", patch: #"{"a":[7]}"#)))
        desk.press(.delete)
        #expect(desk.screen(110).contains { $0.contains("conversation attributes id:1 --remove color") })
        desk.press(.enter)
        #expect(desk.changes().last == .talks(.setAttributes("id:1", patch: #"{"color":null}"#)))
        desk.press(.escape, .down, .character("a"))
        #expect(desk.screen()[22] == " ! a conversation of two people has no attributes")
    }

    @Test("attributes in Chinese fit every screen")
    func attributesInChinese() {
        let desk = Desk(language: .chinese, server: Samples.talk)
        desk.press(.character("4"), .character("a"))
        #expect(desk.isStraight(80, 24) && desk.screen().contains { $0.contains("扩展属性") })
        desk.press(.enter)
        #expect(desk.isStraight(60, 20))
    }

    @Test("f shows only some: by kind, by member, by days")
    func narrow() {
        let desk = self.desk()
        desk.press(.character("f"), .right, .right, .enter)
        #expect(desk.screen()[2] == " group")
        #expect(desk.screen()[4].contains("tea"))
        #expect(desk.screen()[5] == "")
        desk.press(.character("f"), .left, .left, .tab)
        desk.type("lan")
        #expect(desk.screen().contains { $0.contains("teahouse ctl conversation list --member lan") })
        desk.press(.enter)
        #expect(desk.asked.contains(.talks(.list(of: UserName("lan")!, after: nil))))
        #expect(desk.screen()[2] == " with lan")
        #expect(desk.screen()[4].contains("lan,ming"))
    }

    @Test("a conversation of two is made for exactly two")
    func direct() {
        let desk = self.desk()
        desk.press(.character("D"), .character(" "), .enter)
        #expect(desk.changes().isEmpty)
        desk.press(.character("D"), .character(" "), .character(" "), .enter)
        #expect(desk.screen().contains { $0.contains("teahouse ctl conversation direct evil lan") })
        desk.press(.enter)
        #expect(desk.changes() == [.talks(.createDirect(UserName("evil")!, UserName("lan")!))])
    }

    @Test("a room is made with a name, and a title when there is one")
    func room() {
        let desk = self.desk()
        desk.press(.character("M"))
        desk.type("hall")
        #expect(desk.screen().contains { $0.contains("teahouse ctl conversation room hall") })
        desk.press(.enter)
        #expect(desk.changes() == [.talks(.createRoom(ChannelName("hall")!, title: nil))])
    }

    @Test("another title is taken back with z")
    func rename() {
        let desk = self.desk()
        desk.press(.character("r"), .control("u"))
        desk.type("tea room")
        desk.press(.enter)
        #expect(desk.changes() == [.talks(.rename("id:1", title: "tea room"))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .talks(.rename("id:1", title: "茶馆")))
    }

    @Test("deleting wants the name, and conversations of two are not deleted")
    func delete() {
        let desk = self.desk()
        desk.press(.delete)
        #expect(desk.screen().contains { $0.contains("1200 members lose it.") })
        desk.press(.enter)
        #expect(desk.changes().isEmpty)
        desk.type("tea")
        desk.press(.enter)
        #expect(desk.changes() == [.talks(.delete("id:1"))])
        desk.press(.down, .delete)
        #expect(desk.screen()[22].contains("each sees the other's name"))
    }

    @Test("an export runs as the command does, into the file that was typed")
    func export() {
        let desk = self.desk()
        desk.press(.character("E"), .enter)
        #expect(desk.runs().isEmpty)
        desk.type("/tmp/tea.jsonl")
        desk.press(.enter)
        #expect(desk.runs() == [["conversation", "export", "id:1", "--to", "/tmp/tea.jsonl"]])
    }
}

@Suite("Messages on the console") struct MessageScreenTests {
    private func desk(isReadOnly: Bool = false) -> Desk {
        let desk = Desk(isReadOnly: isReadOnly, server: Samples.talk)
        desk.press(.character("4"), .character("o"))
        return desk
    }

    @Test("the newest at the bottom")
    func newest() {
        #expect(
            self.desk().shown() == [
                " Conversations › Messages 9040  20/20                                  08:00:00",
                "     SEQ ↑  TIME        SENDER            TEXT",
                "        22  08:00:22    lan               line 22",
                "        23  08:00:23    ming              line 23",
                "        24  08:00:24    lan               line 24",
                "        25  08:00:25    ming              line 25",
                "        26  08:00:26    lan               line 26",
                "        27  08:00:27    ming              line 27",
                "        28  08:00:28    lan               line 28",
                "        29  08:00:29    ming              line 29",
                "        30  08:00:30    lan               line 30",
                "        31  08:00:31    ming              line 31",
                "        32  08:00:32    lan               line 32",
                "        33  08:00:33    ming              line 33",
                "        34  08:00:34    lan               line 34",
                "        35  08:00:35    ming              line 35",
                "        36  08:00:36    lan               line 36",
                "        37  08:00:37    ming              line 37",
                "        38  08:00:38    lan               line 38",
                "        39  08:00:39    ming              line 39",
                ">       40  08:00:40    lan               line 40",
                " /srv/teahouse",
            ])
    }

    @Test("older ones come before, newer ones after, and the ends are told")
    func pages() {
        let desk = self.desk()
        desk.press(.character("b"), .character("g"))
        #expect(desk.screen()[1].contains("1/40"))
        desk.press(.character("b"))
        #expect(desk.screen()[22] == " this is the first message")
        desk.press(.character("a"))
        #expect(desk.screen()[22] == " this is the newest message")
    }

    @Test("a jump goes to a number, or to the first message of a time, and what is between is asked for then")
    func jump() {
        let desk = self.desk()
        desk.press(.character("J"))
        desk.type("9")
        #expect(desk.screen().contains { $0.contains("teahouse ctl conversation messages id:1 --around 9") })
        desk.press(.enter)
        #expect(desk.screen().first { $0.hasPrefix(">") }?.contains("line 9") == true)
        #expect(desk.screen()[1].contains("3/5"))
        desk.press(.character("a"))
        #expect(desk.screen()[1].contains("3/25"))
        desk.press(.character("T"))
        desk.type("soon")
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("A time such as") })
        desk.press(.control("u"))
        desk.type("now")
        desk.press(.enter)
        #expect(desk.screen().first { $0.hasPrefix(">") }?.contains("line 11") == true)
        desk.press(.character("e"))
        #expect(desk.screen().first { $0.hasPrefix(">") }?.contains("line 40") == true)
    }

    @Test("what is sent meanwhile comes by itself, and a cursor elsewhere stays where it is")
    func follows() {
        let desk = self.desk()
        #expect(desk.asked.contains(.follow(conversation: "id:1", withSessions: false)))
        desk.tell(.message(Samples.message(41, "zoe", "just now")))
        #expect(desk.screen().first { $0.hasPrefix(">") }?.contains("just now") == true)
        desk.press(.up)
        desk.tell(.message(Samples.message(42, "zoe", "and then")))
        #expect(desk.screen().first { $0.hasPrefix(">") }?.contains("line 40") == true)
        desk.tell(.message(Samples.message(50, "zoe", "after a gap")))
        #expect(!desk.screen().contains { $0.contains("after a gap") })
    }

    @Test("a message is taken back; for good only when its number was typed")
    func recall() {
        let desk = self.desk()
        desk.press(.character("x"))
        #expect(desk.screen().contains { $0.contains("“line 40”") })
        desk.press(.enter)
        #expect(desk.changes() == [.talks(.recall("id:1", sequence: 40, forGood: false))])
        desk.press(.character("X"), .enter)
        #expect(desk.changes().count == 1)
        desk.type("40")
        desk.press(.enter)
        #expect(desk.changes().last == .talks(.recall("id:1", sequence: 40, forGood: true)))
        desk.press(.character("z"))
        #expect(desk.screen()[22] == " ! nothing can be taken back now")
    }

    @Test("the system writes")
    func system() {
        let desk = self.desk()
        desk.press(.character("W"))
        desk.type("hello")
        desk.press(.enter)
        let send = AdminSend(from: UserName("____system")!, to: .conversation("id:1"), text: "hello")
        #expect(desk.changes() == [.send(send)])
    }

    @Test("a trace tells who got it on what, who read it when, and who does not see it why")
    func trace() {
        let desk = self.desk()
        desk.press(.character("t"))
        #expect(
            desk.shown(100) == [
                " Conversations › Messages › Trace 40  1/3                                                  08:00:00",
                " 40 by lan at d1020833xx 08:00:40  edited 2 times",
                " line 40",
                " 1 of 2 have read it; ✓ has it, … not yet, ≤ then or before",
                "  NAME              READ        DELIVERED       WAITING       SIGNED IN         WITHHELD",
                "> lan               sender      app                           app 8✓",
                "  ming              08:01:00    app             web           app 7✓, web 9…",
                "  zoe               no                          desktop                         deleted by the pers…",
                " /srv/teahouse",
            ])
    }

    @Test("as a member: the reason goes with the question, and each page is asked for once")
    func seeAs() {
        let desk = self.desk(isReadOnly: true)
        desk.press(.character("V"), .enter, .enter)
        #expect(!desk.asked.contains { if case .talks(.seeAs) = $0 { true } else { false } })
        desk.type("he misses one")
        desk.press(.enter)
        #expect(
            desk.shown(100) == [
                " Conversations › Messages › As a member 40  3/3                                  read-only 08:00:00",
                " as ming sees it; in the audit log with the reason: he misses one",
                "",
                "     SEQ ↑  TIME        SENDER            TEXT                                STATE",
                "        38  08:00:38    lan               line 38                             edited",
                "        39                                                                    deleted by the person",
                ">       40  08:00:40    lan                                                   recalled",
                " /srv/teahouse",
            ])
        #expect(desk.reasons == ["he misses one"])
        desk.press(.character("R"))
        #expect(desk.reasons.count == 1)
        desk.press(.character("b"))
        let asked = AdminTalkRequest.seeAs("id:1", UserName("ming")!, before: 38, limit: 20)
        #expect(desk.asked.last == .talks(asked))
        #expect(desk.reasons.count == 2)
    }

    @Test("read-only: nothing is taken back or written")
    func readOnly() {
        let desk = self.desk(isReadOnly: true)
        for key in [Key.character("x"), .character("X"), .character("w"), .character("W")] {
            desk.press(key)
            #expect(desk.screen()[22] == " ! read-only: nothing is changed here")
        }
    }
}
