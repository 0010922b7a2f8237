import AdminAPI
import AdminConsole
import ChatModel
import CommandLineKit
import Localization
import Testing

@Suite("Work at the console") struct WorkTests {
    private func remembered(_ console: ConsoleDriver) -> [String] {
        console.effects.compactMap { if case .remember(let line) = $0 { line } else { nil } }
    }

    private func console(_ preferences: Preferences) -> ConsoleDriver {
        let console = ConsoleDriver()
        let look = console.console.look
        console.console = Console(
            look: look, place: "/srv/teahouse", commands: Samples.commands, preferences: preferences)
        console.console.connected()
        console.work()
        return console
    }

    @Test("typed lines and filters are kept, each once in a row, and come back")
    func history() {
        let console = ConsoleDriver()
        console.console.recall([":user list", "/ming"])
        console.press(.character(":"), .up)
        #expect(console.screen()[22] == " :user list")
        console.press(.escape, .character("2"), .character("/"))
        console.type("lan")
        console.press(.enter, .escape, .character("/"), .control("p"))
        #expect(console.screen()[22] == " /lan" && console.screen()[3].hasPrefix("> lan"))
        console.press(.control("p"))
        #expect(console.screen()[22] == " /ming" && console.screen()[3].hasPrefix("> ming"))
        console.press(.control("n"), .control("n"))
        #expect(console.screen()[22] == " /")
        console.press(.escape, .character(":"))
        console.type("status")
        console.press(.enter)
        #expect(self.remembered(console) == ["/lan", ":status"])
    }

    @Test("a name behind : is completed from what the screens have shown")
    func names() {
        let console = ConsoleDriver()
        console.press(.character("2"), .character(":"))
        console.type("user list mi")
        #expect(console.screen()[23].contains("ming"))
        console.press(.tab)
        #expect(console.screen()[22] == " :user list ming")
        console.press(.control("u"))
        console.type("user add --role ")
        #expect(!console.screen()[23].contains("ming"))
    }

    @Test("a word of one's own stands for a command, and the name of a screen leads there")
    func aliases() {
        var preferences = Preferences()
        preferences.aliases = ["everybody": ["user", "list"]]
        let console = self.console(preferences)
        console.press(.character(":"))
        console.type("everybody --json")
        console.press(.enter)
        #expect(console.runs() == [["user", "list", "--json"]])
        console.press(.character(":"))
        console.type("users lan")
        console.press(.enter)
        #expect(console.screen()[1].hasPrefix(" Users") && console.screen()[3].hasPrefix("> lan"))
        #expect(console.screen()[1].contains("1/1"))
        for (word, title) in [("audit", "Audit"), ("search", "Search"), ("policy", "Sign-in policy")] {
            console.press(.character(":"))
            console.type(word)
            console.press(.enter)
            #expect(console.screen()[1].hasPrefix(" \(title)"))
        }
        // With another word it is the command, once the one before has ended.
        console.console.ran(CommandOutcome(.done, ["nobody"]), words: ["user", "list", "--json"])
        console.press(.character(":"))
        console.type("audit list")
        console.press(.enter)
        #expect(console.runs().last == ["audit", "list"])
    }

    @Test("a command of one's own on a key gets the names of the marked rows")
    func keys() {
        var preferences = Preferences()
        preferences.keys = [5: ["user", "add", "{}"]]
        let console = self.console(preferences)
        console.press(.function(5))
        #expect(console.runs().isEmpty)
        console.press(.character("2"), .character(" "), .character(" "), .function(5))
        #expect(console.runs() == [["user", "add", "ming", "lan"]])
    }

    @Test("a table is saved as it is shown, as CSV or JSON; what a spreadsheet would obey is no formula")
    func save() {
        let console = ConsoleDriver { request in
            guard case .listUsers = request else { return Samples.answer(request) }
            let people = [Samples.user("ming", "张小明"), Samples.user("eve", #"=1+"2",3"#)]
            return .success(.users(people, next: nil))
        }
        func saved() -> [(String, String)] {
            console.effects.compactMap { if case .save(let path, let text) = $0 { (path, text) } else { nil } }
        }
        console.press(.character("2"), .control("s"))
        #expect(console.screen().contains { $0.contains("save 2 rows") })
        console.type("/tmp/people.csv")
        console.press(.enter)
        let csv = saved().last?.1 ?? ""
        #expect(saved().last?.0 == "/tmp/people.csv")
        #expect(csv.hasPrefix("NAME,DISPLAY NAME,EXTERNAL ID,ROLE,STATE,PASSWORD,CREATED\r\nming,张小明,,member,active,"))
        #expect(csv.contains(#"eve,"'=1+""2"",3",,member"#))
        console.console.saved("/tmp/people.csv", failure: nil)
        #expect(console.screen()[22] == " saved in /tmp/people.csv")
        console.press(.control("s"))
        console.type("/tmp/people.json")
        console.press(.tab, .right, .enter)
        #expect(saved().last?.1.hasPrefix(#"[{"NAME":"ming","DISPLAY NAME":"张小明","#) == true)
        console.console.saved("/tmp/people.json", failure: "File exists")
        #expect(console.screen()[22] == " ! /tmp/people.json was not written: File exists")
    }

    @Test("help is looked through while one types", arguments: [(80, 24), (120, 40)])
    func filter(_ size: (Int, Int)) {
        let console = ConsoleDriver()
        console.press(.character("2"), .character("?"), .character("/"))
        console.type("copy")
        let screen = console.screen(size.0, size.1)
        // The last line has the keys of the screen below, as ever.
        let isListed = { (lines: [String]) in lines.contains { $0.contains("│") && $0.contains("open the person") } }
        #expect(screen.contains { $0.contains("│ y ") } && !isListed(screen))
        #expect(console.isStraight(size.0, size.1))
        // A letter that copies elsewhere is only a letter here.
        #expect(!console.effects.contains { if case .copy = $0 { true } else { false } })
        console.press(.enter, .escape)
        #expect(isListed(console.screen(size.0, size.1)))
        console.press(.escape)
        #expect(!console.screen(size.0, size.1).contains { $0.contains("│") })
    }

    @Test("a light ground is known by the colours that the terminal tells")
    func theme() {
        #expect(
            Theme(environment: ["COLORFGBG": "0;15"]) == .light && Theme(environment: ["COLORFGBG": "0;7"]) == .light)
        #expect(Theme(environment: ["COLORFGBG": "15;0"]) == .dark && Theme(environment: [:]) == .dark)
    }

    @Test("a terminal that is not described here is told of", arguments: [Language.english, .chinese])
    func fallback(_ language: Language) {
        let console = ConsoleDriver(language: language)
        console.console.tellFallback(from: "xterm-kitty")
        #expect(console.screen()[22].contains("xterm-kitty") && console.screen()[22].contains("xterm-256color"))
    }
}
