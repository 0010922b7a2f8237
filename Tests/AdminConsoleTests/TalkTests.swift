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
                createdAtMilliseconds: ConsoleDriver.now - 86_400_000,
                activeAtMilliseconds: ConsoleDriver.now - number * 60_000),
            name: name)
    }

    static let conversations = [
        conversation(1, .group, "tea", title: "茶馆", members: 1_200), conversation(2, .direct, "lan,ming"),
        conversation(3, .room, "hall", members: 0),
    ]

    static func message(_ sequence: Int64, _ sender: String, _ text: String) -> AdminMessage {
        AdminMessage(
            conversation: 1, conversationName: "tea", sequence: sequence, id: MessageID(rawValue: 9_000 + sequence),
            sender: sender, sentAtMilliseconds: ConsoleDriver.now + sequence * 1_000, kind: .text, text: text,
            isCut: false)
    }

    /// A conversation of forty messages, and a server that is asked about it.
    static func talk(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        let all = (1...40).map { Self.message($0, $0 % 2 == 0 ? "lan" : "ming", "line \($0)") }
        switch request {
        case .listConversations: return .success(.conversations(Self.conversations, next: nil))
        case .conversationDetails(.list): return .success(.conversations([Self.conversations[1]], next: nil))
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
        case .conversationDetails(.look(_, .before(let sequence), let limit)):
            return .success(.messages(Array(all.filter { $0.sequence < sequence }.suffix(Int(limit)))))
        case .conversationDetails(.look(_, .after(let sequence), let limit)):
            return .success(.messages(Array(all.filter { $0.sequence > sequence }.prefix(Int(limit)))))
        case .conversationDetails(.look(_, .around(let sequence), _)):
            return .success(.messages(all.filter { abs($0.sequence - sequence) <= 2 }))
        case .conversationDetails(.look(_, .since, _)): return .success(.messages(Array(all[10...12])))
        case .conversationDetails(.trace): return .success(.conversationDetails(.trace(Self.trace)))
        case .conversationDetails(.seeAs): return .success(.conversationDetails(.seen(Self.seen)))
        case .conversationDetails(.createDirect), .conversationDetails(.createRoom):
            return .success(.conversation(AdminConversationDetail(conversation: Self.conversations[0], members: [])))
        case .conversationDetails, .teams(.set), .teams(.setBanned): return .success(.count(1))
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
                name: UserName("ming")!, isSender: false, isRead: true,
                reportedReadAtMilliseconds: ConsoleDriver.now + 60_000,
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
    private func console() -> ConsoleDriver {
        let console = ConsoleDriver(server: Samples.talk)
        console.press(.character("4"))
        return console
    }

    @Test("every kind is listed, and many members are marked")
    func list() {
        #expect(
            self.console().shown() == [
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
        func request(_ isOn: Bool) -> AdminRequest {
            isBan ? .teams(.setBanned(tea, isOn)) : .teams(.mute(tea, isOn ? .members : .none))
        }
        let (change, opposite) = (request(isOn), request(!isOn))
        let console = self.console()
        console.press(.character(key), .enter)
        #expect(console.changes() == [change])
        console.press(.character("z"))
        #expect(console.changes() == [change, opposite])
        console.press(.character("z"))
        #expect(console.changes() == [change, opposite])
    }

    @Test("one conversation: who is in it, who listens, and whether that is much")
    func detail() {
        let console = self.console()
        console.press(.enter)
        #expect(
            console.shown() == [
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
        let console = self.console()
        console.press(.character("a"), .down, .enter)
        #expect(console.screen().contains { $0.contains(#"{"row":1,"place":2}"#) })
        console.press(.control("u"))
        console.type("{\"row\":null}")
        #expect(console.screen().contains { $0.contains("A JSON value without null") })
        console.press(.control("u"))
        console.type("{\"row\":3}")
        console.press(.enter)
        let asked = console.screen(110)
        #expect(asked.contains { $0.contains(#"- seat: {"row":1,"place":2}"#) })
        #expect(asked.contains { $0.contains(#"+ seat: {"row":3}"#) })
        #expect(asked.contains { $0.contains("conversation attributes id:1 --set") })
        #expect(console.changes().isEmpty)
        console.press(.enter)
        #expect(
            console.changes() == [
                .conversationDetails(.setAttributes("id:1", patch: #"{"seat":{"row":3,"place":null}}"#))
            ])
        console.press(.character("z"), .enter)
        #expect(
            console.changes().last
                == .conversationDetails(.setAttributes("id:1", patch: #"{"seat":{"row":1,"place":2}}"#)))
    }

    @Test("attributes: a key is added and removed; two people's conversation has none")
    func attributeKeys() {
        let console = self.console()
        console.press(.character("a"), .character("n"))
        console.type("a=b")
        #expect(console.screen().contains { $0.contains("holds an equals sign") })
        console.press(.backspace, .backspace, .tab)
        console.type("[7]")
        console.press(.enter, .enter)
        #expect(console.changes().last == .conversationDetails(.setAttributes("id:1", patch: #"{"a":[7]}"#)))
        console.press(.delete)
        #expect(console.screen(110).contains { $0.contains("conversation attributes id:1 --remove color") })
        console.press(.enter)
        #expect(console.changes().last == .conversationDetails(.setAttributes("id:1", patch: #"{"color":null}"#)))
        console.press(.escape, .down, .character("a"))
        #expect(console.screen()[22] == " ! a conversation of two people has no attributes")
    }

    @Test("attributes in Chinese fit every screen")
    func attributesInChinese() {
        let console = ConsoleDriver(language: .chinese, server: Samples.talk)
        console.press(.character("4"), .character("a"))
        #expect(console.isStraight(80, 24) && console.screen().contains { $0.contains("扩展属性") })
        console.press(.enter)
        #expect(console.isStraight(60, 20))
    }

    @Test("f shows only some: by kind, by member, by days")
    func narrow() {
        let console = self.console()
        console.press(.character("f"), .right, .right, .enter)
        #expect(console.screen()[2] == " group")
        #expect(console.screen()[4].contains("tea"))
        #expect(console.screen()[5] == "")
        console.press(.character("f"), .left, .left, .tab)
        console.type("lan")
        #expect(console.screen().contains { $0.contains("teahouse ctl conversation list --member lan") })
        console.press(.enter)
        #expect(console.asked.contains(.conversationDetails(.list(of: UserName("lan")!, after: nil))))
        #expect(console.screen()[2] == " with lan")
        #expect(console.screen()[4].contains("lan,ming"))
    }

    @Test("a conversation of two is made for exactly two")
    func direct() {
        let console = self.console()
        console.press(.character("D"), .character(" "), .enter)
        #expect(console.changes().isEmpty)
        console.press(.character("D"), .character(" "), .character(" "), .enter)
        #expect(console.screen().contains { $0.contains("teahouse ctl conversation direct evil lan") })
        console.press(.enter)
        #expect(console.changes() == [.conversationDetails(.createDirect(UserName("evil")!, UserName("lan")!))])
    }

    @Test("a room is made with a name, and a title when there is one")
    func room() {
        let console = self.console()
        console.press(.character("M"))
        console.type("hall")
        #expect(console.screen().contains { $0.contains("teahouse ctl conversation room hall") })
        console.press(.enter)
        #expect(console.changes() == [.conversationDetails(.createRoom(ChannelName("hall")!, title: nil))])
    }

    @Test("another title is taken back with z")
    func rename() {
        let console = self.console()
        console.press(.character("r"), .control("u"))
        console.type("tea room")
        console.press(.enter)
        #expect(console.changes() == [.conversationDetails(.rename("id:1", title: "tea room"))])
        console.press(.character("z"))
        #expect(console.changes().last == .conversationDetails(.rename("id:1", title: "茶馆")))
    }

    @Test("deleting wants the name, and conversations of two are not deleted")
    func delete() {
        let console = self.console()
        console.press(.delete)
        #expect(console.screen().contains { $0.contains("1200 members lose it.") })
        console.press(.enter)
        #expect(console.changes().isEmpty)
        console.type("tea")
        console.press(.enter)
        #expect(console.changes() == [.conversationDetails(.delete("id:1"))])
        console.press(.down, .delete)
        #expect(console.screen()[22].contains("each sees the other's name"))
    }

    @Test("an export runs as the command does, into the file that was typed")
    func export() {
        let console = self.console()
        console.press(.character("E"), .enter)
        #expect(console.runs().isEmpty)
        console.type("/tmp/tea.jsonl")
        console.press(.enter)
        #expect(console.runs() == [["conversation", "export", "id:1", "--to", "/tmp/tea.jsonl"]])
    }
}

@Suite("Messages on the console") struct MessageScreenTests {
    private func console(isReadOnly: Bool = false) -> ConsoleDriver {
        let console = ConsoleDriver(isReadOnly: isReadOnly, server: Samples.talk)
        console.press(.character("4"), .character("o"))
        return console
    }

    @Test("the newest at the bottom")
    func newest() {
        #expect(
            self.console().shown() == [
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
        let console = self.console()
        console.press(.character("b"), .character("g"))
        #expect(console.screen()[1].contains("1/40"))
        console.press(.character("b"))
        #expect(console.screen()[22] == " this is the first message")
        console.press(.character("a"))
        #expect(console.screen()[22] == " this is the newest message")
    }

    @Test("a jump goes to a number, or to the first message of a time, and what is between is asked for then")
    func jump() {
        let console = self.console()
        console.press(.character("J"))
        console.type("9")
        #expect(console.screen().contains { $0.contains("teahouse ctl conversation messages id:1 --around 9") })
        console.press(.enter)
        #expect(console.screen().first { $0.hasPrefix(">") }?.contains("line 9") == true)
        #expect(console.screen()[1].contains("3/5"))
        console.press(.character("a"))
        #expect(console.screen()[1].contains("3/25"))
        console.press(.character("T"))
        console.type("soon")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("A time such as") })
        console.press(.control("u"))
        console.type("now")
        console.press(.enter)
        #expect(console.screen().first { $0.hasPrefix(">") }?.contains("line 11") == true)
        console.press(.character("e"))
        #expect(console.screen().first { $0.hasPrefix(">") }?.contains("line 40") == true)
    }

    @Test("what is sent meanwhile comes by itself, and a cursor elsewhere stays where it is")
    func follows() {
        let console = self.console()
        #expect(console.asked.contains(.follow(conversation: "id:1", withSessions: false)))
        console.tell(.message(Samples.message(41, "zoe", "just now")))
        #expect(console.screen().first { $0.hasPrefix(">") }?.contains("just now") == true)
        console.press(.up)
        console.tell(.message(Samples.message(42, "zoe", "and then")))
        #expect(console.screen().first { $0.hasPrefix(">") }?.contains("line 40") == true)
        console.tell(.message(Samples.message(50, "zoe", "after a gap")))
        #expect(!console.screen().contains { $0.contains("after a gap") })
    }

    @Test("a message is taken back; for good only when its number was typed")
    func recall() {
        let console = self.console()
        console.press(.character("x"))
        #expect(console.screen().contains { $0.contains("“line 40”") })
        console.press(.enter)
        #expect(console.changes() == [.conversationDetails(.recall("id:1", sequence: 40, forGood: false))])
        console.press(.character("X"), .enter)
        #expect(console.changes().count == 1)
        console.type("40")
        console.press(.enter)
        #expect(console.changes().last == .conversationDetails(.recall("id:1", sequence: 40, forGood: true)))
        console.press(.character("z"))
        #expect(console.screen()[22] == " ! nothing can be taken back now")
    }

    @Test("the words of a message are changed in a field that begins with them, and z brings the former ones back")
    func edit() {
        let console = self.console()
        console.press(.character("r"))
        #expect(console.screen().contains { $0.contains("line 40") && $0.contains("│") })
        console.press(.control("u"), .enter)
        #expect(console.changes().isEmpty)
        console.type("第四十行")
        console.press(.enter)
        #expect(console.changes() == [.conversationDetails(.edit("id:1", sequence: 40, text: "第四十行"))])
        console.press(.character("z"))
        #expect(console.changes().last == .conversationDetails(.edit("id:1", sequence: 40, text: "line 40")))
    }

    @Test("the system writes")
    func system() {
        let console = self.console()
        console.press(.character("W"))
        console.type("hello")
        console.press(.enter)
        let send = AdminSend(from: UserName("____system")!, to: .conversation("id:1"), text: "hello")
        #expect(console.changes() == [.send(send)])
    }

    @Test("a trace tells who got it on what, who read it when, and who does not see it why")
    func trace() {
        let console = self.console()
        console.press(.character("t"))
        #expect(
            console.shown(100) == [
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
        let console = self.console(isReadOnly: true)
        console.press(.character("V"), .enter, .enter)
        #expect(!console.asked.contains { if case .conversationDetails(.seeAs) = $0 { true } else { false } })
        console.type("he misses one")
        console.press(.enter)
        #expect(
            console.shown(100) == [
                " Conversations › Messages › As a member 40  3/3                                  read-only 08:00:00",
                " as ming sees it; in the audit log with the reason: he misses one",
                "",
                "     SEQ ↑  TIME        SENDER            TEXT                                STATE",
                "        38  08:00:38    lan               line 38                             edited",
                "        39                                                                    deleted by the person",
                ">       40  08:00:40    lan                                                   recalled",
                " /srv/teahouse",
            ])
        #expect(console.reasons == ["he misses one"])
        console.press(.character("R"))
        #expect(console.reasons.count == 1)
        console.press(.character("b"))
        let asked = AdminConversationRequest.seeAs("id:1", UserName("ming")!, before: 38, limit: 20)
        #expect(console.asked.last == .conversationDetails(asked))
        #expect(console.reasons.count == 2)
    }

    @Test("read-only: nothing is taken back or written")
    func readOnly() {
        let console = self.console(isReadOnly: true)
        for key in [Key.character("x"), .character("X"), .character("w"), .character("W")] {
            console.press(key)
            #expect(console.screen()[22] == " ! read-only: nothing is changed here")
        }
    }
}
