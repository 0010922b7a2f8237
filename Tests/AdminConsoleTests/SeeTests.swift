import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("Seeing everything") struct SeeTests {
    private static let systemTalk: AdminConversation = {
        var conversation = Samples.conversation(9, .direct, "____system,ming")
        conversation.isSystem = true
        return conversation
    }()

    /// A server whose answers have the names that people see.
    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .listSessions:
            var session = Samples.session(7, "ming")
            session.displayName = "张小明"
            return .success(.sessions([session, Samples.session(8, "lan")], next: nil))
        case .listConversations:
            return .success(.conversations(Samples.conversations + [Self.systemTalk], next: nil))
        case .conversationDetails(.look):
            var message = Samples.message(40, "ming", "first line\nsecond line")
            message.senderName = "张小明"
            return .success(.messages([message]))
        case .conversationDetails(.trace):
            var trace = Samples.trace
            trace.people[1].displayName = "张小明"
            trace.message.senderName = "阿兰"
            return .success(.conversationDetails(.trace(trace)))
        default: return Samples.talk(request)
        }
    }

    private func console(_ language: Language = .english) -> ConsoleDriver {
        ConsoleDriver(language: language, server: Self.server)
    }

    @Test("sessions, senders and traces are told by names, with ids behind, and found by either")
    func names() {
        let console = self.console()
        console.press(.character("3"))
        #expect(console.screen(120).contains { $0.contains("张小明  ming") })
        #expect(console.screen(120).contains { $0.contains(" lan ") })
        console.press(.character("/"))
        console.type("小明")
        #expect(console.screen(120)[1].contains("1/1"))
        console.press(.escape, .character("4"), .character("g"), .character("o"))
        #expect(console.screen().contains { $0.contains("张小明  ming") })
        console.press(.character("t"))
        #expect(console.screen().contains { $0.contains("40 by 阿兰  lan") })
        #expect(console.screen(120).contains { $0.contains("张小明  ming") })
    }

    @Test("a message that comes in is told by names too")
    func live() {
        let console = self.console()
        console.press(.character("8"))
        var message = Samples.message(41, "ming", "tea is ready")
        message.senderName = "张小明"
        message.conversationTitle = "茶馆"
        console.tell(.message(message))
        #expect(console.screen(120).contains { $0.contains("茶馆  tea") && $0.contains("张小明  ming") })
    }

    @Test(
        "conversations with the system are hidden until they are asked for", arguments: [Language.english, .chinese])
    func system(_ language: Language) {
        let console = self.console(language)
        console.press(.character("4"))
        #expect(!console.screen().contains { $0.contains("____system") })
        let hidden = language == .english ? "1 conversation with the system is hidden; f shows it" : "已隐藏 1 个与系统的会话"
        #expect(console.screen()[2].contains(hidden))
        console.press(.character("f"), .backTab, .right, .enter)
        #expect(console.screen().contains { $0.contains("____system") })
        #expect(!console.screen()[2].contains(hidden))
    }

    @Test("the cursor is on what was just made")
    func created() {
        var people = Samples.users
        let console = ConsoleDriver { request in
            switch request {
            case .addUser(let user):
                people.append(Samples.user(user.name.text, user.displayName))
                return .success(.done)
            case .listUsers: return .success(.users(people, next: nil))
            default: return Samples.answer(request)
            }
        }
        console.press(.character("2"), .character("n"))
        console.type("hong")
        console.press(.enter)
        #expect(console.screen().contains { $0.hasPrefix("> hong") })
        // Afterwards it goes where the person goes.
        console.press(.character("g"), .character("R"))
        #expect(console.screen()[3].hasPrefix("> ming"))
    }

    @Test("the number of the screen one is in leads to its list")
    func home() {
        let console = self.console()
        console.press(.character("4"), .enter, .character("o"), .character("t"), .character("4"))
        #expect(console.screen()[1].hasPrefix(" Conversations  1/3"))
    }

    @Test("sideways come the columns that do not fit, and back")
    func sideways() {
        let console = self.console()
        console.press(.character("3"))
        #expect(!console.screen()[2].contains("LAST ACTIVE"))
        #expect(!console.screen()[2].hasPrefix("‹"))
        for _ in 0..<12 { console.press(.right) }
        #expect(console.screen()[2].hasPrefix("‹"))
        #expect(console.screen()[2].contains("UNACKED"))
        #expect(console.isStraight(80, 24))
        for _ in 0..<12 { console.press(.left) }
        #expect(console.screen()[2].contains("NAME") && !console.screen()[2].hasPrefix("‹"))
    }

    @Test(
        "a whole row is shown in full, with the columns that do not fit", arguments: [Key.character("l"), .function(3)])
    func whole(_ key: Key) {
        let console = self.console()
        console.press(.character("3"), key)
        let screen = console.screen()
        #expect(screen.contains { $0.contains("NAME") && $0.contains("张小明  ming") })
        #expect(screen.contains { $0.contains("DEVICE ID") && $0.contains("phone") })
        #expect(screen.contains { $0.contains("UNACKED") && $0.contains("7") })
        console.press(.escape)
        #expect(!console.screen().contains { $0.contains("DEVICE ID") })
    }

    @Test("on a wide screen the row stands beside the table and follows the cursor; a key hides it")
    func split() {
        let console = self.console()
        console.console.look.isSplit = true
        console.press(.character("3"))
        let wide = console.screen(120)
        #expect(wide[2].contains(" │ ") && wide.contains { $0.contains("│ DEVICE ID") && $0.contains("phone") })
        #expect(wide.contains { $0.contains("│ ADDRESS") && $0.contains("192.168.1.7:50000") })
        console.press(.down)
        #expect(console.screen(120).contains { $0.contains("│ ADDRESS") && $0.contains("192.168.1.8:50000") })
        #expect(!console.screen(119).contains { $0.contains(" │ ") })
        console.press(.character("\\"))
        #expect(!console.screen(120).contains { $0.contains(" │ ") })
        console.press(.character("\\"), .character("4"), .character("g"), .character("o"))
        #expect(console.screen(120).contains { $0.contains("│ second line") })
    }

    @Test(
        "every screen is straight with a row beside the table, in both languages",
        arguments: [Language.english, .chinese], [(120, 40), (200, 50), (80, 24)])
    func straight(_ language: Language, _ size: (Int, Int)) {
        for number in 0..<22 {
            let console = self.console(language)
            console.console.look.isSplit = true
            console.go(to: number)
            #expect(console.isStraight(size.0, size.1), "screen \(number)")
            for key in [Key.right, .right, .character("l"), .escape, .character("?"), .escape, .enter] {
                console.press(key)
                #expect(console.isStraight(size.0, size.1), "screen \(number) with \(key)")
            }
        }
    }

    @Test("the audit log tells on 80 cells whom it was about, and on wide ones what changed")
    func audit() {
        let console = ConsoleDriver { request in
            guard case .audit(.list) = request else { return Samples.answer(request) }
            let entry = AuditEntry(
                number: 9, atMilliseconds: ConsoleDriver.now - 1000,
                actor: AuditActor(uid: 1000, name: "ming", source: .console, reason: "spam"), word: "user.disable",
                subject: "somebody-with-a-name", stage: .done, asked: "{}", before: #"{"disabled":false}"#,
                after: #"{"disabled":true}"#)
            return .success(.audit(.list([AdminAuditEntry(entry, hash: "c0ffee")], next: nil)))
        }
        console.go(to: "Audit")
        #expect(console.screen().contains { $0.contains("user.disable") && $0.contains("somebody-with-a-name") })
        console.console.look.isSplit = true
        #expect(console.screen(200, 50).contains { $0.contains("│ disabled") && $0.contains("false → true") })
    }
}
