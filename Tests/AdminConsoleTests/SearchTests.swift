import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("Searching messages on the console") struct SearchTests {
    private static func found(_ sequence: Int64) -> AdminFound {
        var message = Samples.message(sequence, "ming", "the tea is ready at \(sequence)")
        message.senderName = "张小明"
        message.conversationTitle = "茶馆"
        return AdminFound(message: message, snippet: "… tea is ready at \(sequence)")
    }

    /// A server with two pages of messages that were found.
    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        guard case .search(.messages(let search)) = request else { return Samples.talk(request) }
        let sequence: Int64 = search.after == nil ? 20 : 10
        return .success(
            .search(
                .found(
                    [Self.found(sequence)], next: search.after == nil ? "older" : nil, indexedTo: ConsoleDriver.now)))
    }

    private func console(_ language: Language = .english) -> ConsoleDriver {
        ConsoleDriver(language: language, server: Self.server)
    }

    private func searches(_ console: ConsoleDriver) -> [AdminSearch] {
        console.asked.compactMap { if case .search(.messages(let search)) = $0 { search } else { nil } }
    }

    private func ask(_ console: ConsoleDriver) {
        console.press(.character("F"))
        console.type("tea")
        console.press(.tab, .tab, .tab)
        console.type("a dispute")
        console.press(.enter)
    }

    @Test("all conversations: the reason goes with every page, each page is asked for once, and older ones come below")
    func all() {
        let console = self.console()
        console.go(to: "Search")
        #expect(console.screen().contains { $0.contains("F searches the messages of all conversations") })
        console.press(.character("F"))
        console.type("tea")
        console.press(.enter)
        // Not without a reason.
        #expect(self.searches(console).isEmpty)
        console.press(.escape)
        self.ask(console)
        #expect(self.searches(console).map(\.words) == ["tea"])
        #expect(console.reasons == ["a dispute"])
        let screen = console.screen(100)
        #expect(screen[2].contains("“tea” in all conversations; in the audit log with the reason: a dispute"))
        #expect(screen.contains { $0.contains("茶馆  tea") && $0.contains("张小明  ming") && $0.contains("ready at 20") })
        console.press(.character("R"))
        #expect(self.searches(console).count == 1)
        console.press(.character("b"))
        #expect(self.searches(console).last?.after == "older" && console.reasons.count == 2)
        #expect(console.screen()[1].contains("1/2"))
        console.press(.character("b"))
        #expect(self.searches(console).count == 2)
        #expect(console.screen()[22] == " there is nothing older")
    }

    @Test("one conversation, from its messages or from the list; Enter goes to the message", arguments: ["", "o"])
    func one(_ keys: String) {
        let console = self.console()
        console.press(.character("4"), .character("g"))
        for key in keys { console.press(.character(key)) }
        self.ask(console)
        #expect(self.searches(console).map(\.conversation) == ["id:1"])
        console.press(.enter)
        #expect(console.screen()[1].contains("Messages"))
        #expect(console.screen().contains { $0.hasPrefix(">       20") })
    }

    @Test("the screen says what it does in Chinese too, and what the command line for it is")
    func chinese() {
        let console = self.console(.chinese)
        console.go(to: "搜索")
        #expect(console.screen()[2].contains("记入审计日志"))
        console.press(.character("F"))
        console.type("tea")
        console.press(.tab, .tab, .tab)
        console.type("争议")
        #expect(console.screen().contains { $0.contains("teahouse ctl message search tea --why 争议") })
        console.press(.enter)
        #expect(console.screen()[2].contains("争议"))
    }
}
