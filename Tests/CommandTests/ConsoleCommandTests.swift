import AdminAPI
import AdminConsole
import ChatModel
import CommandLineKit
import Localization
import Testing
import teahouse

/// What the console says about itself, held against the table of commands.
@Suite("The console and ctl") struct ConsoleCommandTests {
    private static let control = teahouseCommand.subcommands.first { $0.name == "ctl" }!

    private static func console() -> Console {
        let texts = Texts(embedded: .english)
        let look = Look(texts: { texts($0, $1) }, time: { _ in "2026-11-21 08:15:00" })
        var console = Console(look: look, place: "", commands: Self.control)
        console.connected()
        return console
    }

    private static let ming = AdminUser(
        User(id: UserID(rawValue: 1), name: UserName("xiao ming's")!, displayName: "小明", createdAtMilliseconds: 1))

    private static func answer(_ request: AdminRequest) -> AdminAnswer? {
        switch request {
        case .listUsers: return .users([Self.ming], next: nil)
        case .showUser:
            return .user(
                AdminUserDetail(
                    user: Self.ming, tokens: [], sessions: [], blocked: [], allowed: [], isAllowlistOnly: false))
        case .listConversations, .showConversation:
            let group = Conversation(
                id: ConversationID(rawValue: 12), kind: .group, channel: ChannelName("tea"),
                creator: UserID(rawValue: 1),
                memberCount: 1, head: 2, headCountable: 2, revision: 1, createdAtMilliseconds: 1,
                activeAtMilliseconds: 1)
            let shown = AdminConversation(group, name: "tea")
            if case .listConversations = request { return .conversations([shown], next: nil) }
            return .conversation(AdminConversationDetail(conversation: shown, members: []))
        case .listSessions:
            return .sessions(
                [
                    AdminSession(
                        id: 7, user: Self.ming.name, device: .app, level: .primary, deviceID: "d", protocolName: "p",
                        address: "a", isEncrypted: false, openedAtMilliseconds: 1)
                ], next: nil)
        default: return nil
        }
    }

    private static func work(_ console: inout Console) {
        while true {
            let effects = console.takeEffects()
            if effects.isEmpty { return }
            for case .ask(let id, let request, _) in effects {
                guard let answer = Self.answer(request) else { continue }
                console.receive(.answer(id: id, .success(answer)))
            }
        }
    }

    @Test(
        "every line that = shows is one that ctl takes",
        arguments: [["2"], ["2", "\n"], ["3"], ["4"], ["4", "\n"], ["7"]])
    func lines(_ keys: [String]) throws {
        var console = Self.console()
        Self.work(&console)
        for key in keys + ["="] {
            console.press(key == "\n" ? .enter : .character(Character(key)))
            Self.work(&console)
        }
        let screen = console.picture(rows: 50, columns: 200).lines.map(\.text)
        let lines = screen.compactMap { line -> String? in
            guard let start = line.firstRange(of: "teahouse ctl ")?.lowerBound else { return nil }
            return String(line[start...].dropLast(line[start...].reversed().prefix { $0 == " " || $0 == "│" }.count))
        }
        let usable = lines.filter { !$0.contains("NAME") && !$0.contains("GROUP") }
        #expect(usable.count >= 2)
        for line in usable {
            var typed = CommandLine(root: Self.control)
            for character in line { _ = typed.press(.character(character)) }
            guard case .run(let words) = typed.press(.enter) else {
                Issue.record("\(line) is no command line")
                continue
            }
            #expect(throws: Never.self, "\(line)") { try CommandParser.parse(words, root: Self.control) }
        }
    }

    @Test("a console without a terminal says what it needs")
    func noTerminal() {
        let outcome = runTeahouse(["console", "--data", "/tmp"])
        #expect(outcome.code == .usage)
        #expect(outcome.error.contains("the console needs a terminal"))
    }
}
