import AdminAPI
import AdminConsole
import ChatModel
import CommandLineKit
import Localization
import Testing

/// A console without a terminal, and a server that is a function.
final class ConsoleDriver {
    static let now: Int64 = 1_800_000_000_000

    var console: Console
    /// Requests that were asked, the newest last.
    private(set) var asked: [AdminRequest] = []
    /// The reasons that were given with questions.
    private(set) var reasons: [String] = []
    private(set) var effects: [Console.Effect] = []
    private var watches: [Int64] = []
    /// True when the server always shows the same, so that an undo finds that somebody changed it since: the driver agrees
    /// to overwrite that.
    var overwrites = true
    /// True for a server that keeps the connection and answers nothing.
    var isHanging = false
    /// Answer of the server; `nil` for none at all.
    var server: (AdminRequest) -> Result<AdminAnswer, AdminError>?

    init(
        language: Language = .english, isReadOnly: Bool = false, role: OperatorRole = .administrator,
        server: @escaping (AdminRequest) -> Result<AdminAnswer, AdminError>? = Samples.answer
    ) {
        let texts = Texts(embedded: language)
        let look = Look(
            texts: { texts($0, $1) }, time: Samples.time, moment: { text, _ in text == "now" ? Self.now : nil },
            nowMilliseconds: Self.now)
        self.console = Console(look: look, place: "/srv/teahouse", commands: Samples.commands, isReadOnly: isReadOnly)
        self.server = server
        self.console.connected(as: role)
        self.work()
    }

    /// Answers until nothing is asked any more.
    func work() {
        while true {
            let effects = self.console.takeEffects()
            guard !effects.isEmpty else { return }
            self.effects += effects
            for effect in effects {
                if case .ping(let id) = effect, !self.isHanging {
                    self.console.receive(.answer(id: id, .success(.done)))
                }
                guard !self.isHanging else { continue }
                guard case .ask(let id, let request, let why) = effect else { continue }
                self.asked.append(request)
                if let why { self.reasons.append(why) }
                if let answer = self.server(request) { self.console.receive(.answer(id: id, answer)) }
                switch request {
                case .follow, .live(.start), .transfers(.watch): self.watches.append(id)
                default: break
                }
            }
        }
    }

    func press(_ keys: Key...) {
        for key in keys {
            self.console.press(key)
            self.work()
            guard key == .character("z"), self.overwrites, self.asksToOverwrite else { continue }
            self.console.press(.enter)
            self.work()
        }
    }

    func type(_ text: String) {
        for character in text {
            self.console.press(.character(character))
            self.work()
        }
    }

    /// True while the question stands that comes before an undo of what somebody changed since.
    var asksToOverwrite: Bool {
        self.screen().contains { $0.contains("somebody changed this since") || $0.contains("此后有人修改过") }
    }

    /// Tells those who watch.
    func tell(_ event: AdminEvent) {
        for id in self.watches { self.console.receive(.event(id: id, event)) }
    }

    func pass(milliseconds: Int64) {
        self.console.tick(nowMilliseconds: self.console.look.nowMilliseconds + milliseconds)
        self.work()
    }

    /// The screen as text, without the spaces at the ends of its lines.
    func screen(_ columns: Int = 80, _ rows: Int = 24) -> [String] {
        let picture = self.console.picture(rows: rows, columns: columns)
        return picture.lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    /// The screen without the names of the screens and the keys, down to the last line that says something, and then
    /// what is told at the bottom.
    func shown(_ columns: Int = 80, _ rows: Int = 24) -> [String] {
        let screen = self.screen(columns, rows)
        var body = Array(screen[1..<rows - 2])
        while body.last?.isEmpty == true { body.removeLast() }
        return body + [screen[rows - 2]]
    }

    /// Every line has exactly the cells of the screen: nothing can move what stands behind it.
    func isStraight(_ columns: Int, _ rows: Int) -> Bool {
        let picture = self.console.picture(rows: rows, columns: columns)
        return picture.lines.count == rows && picture.lines.allSatisfy { $0.width == columns }
    }

    func changes() -> [AdminRequest] { self.asked.filter(\.isChange) }

    /// Goes to a screen by its place, the first is 0.
    func go(to number: Int) {
        self.press(.character("1"))
        for _ in 0..<number { self.press(.tab) }
    }

    /// Goes to a screen by its name.
    func go(to title: String) {
        for _ in 0..<30 where !self.screen()[1].hasPrefix(" \(title)") { self.press(.tab) }
    }

    /// The words of the commands that were started.
    func runs() -> [[String]] {
        self.effects.compactMap { if case .run(let words, input: _) = $0 { words } else { nil } }
    }
}

enum Samples {
    /// UTC, so that tests mean the same everywhere.
    static let time: @Sendable (Int64) -> String = { milliseconds in
        let seconds = milliseconds / 1000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = seconds / 86_400
        return "d\(1_000_000 + day)xx \(two(seconds / 3_600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    static func user(
        _ name: String, _ displayName: String?, isDisabled: Bool = false, isSendBanned: Bool = false
    ) -> AdminUser {
        var user = User(
            id: UserID(rawValue: 1), name: UserName(name)!, displayName: displayName,
            createdAtMilliseconds: ConsoleDriver.now - 60_000)
        user.isDisabled = isDisabled
        user.isSendBanned = isSendBanned
        return AdminUser(user)
    }

    static let users = [
        user("ming", "张小明"), user("lan", "阿兰"), user("zoe", "Zoë Łukasz"),
        user("evil", "\u{1B}[31mred\u{202E}"), user("anna", nil, isDisabled: true),
    ]

    static let commands = Command(
        group: "ctl", summary: "", examples: [],
        subcommands: [
            Command(
                group: "user", summary: "", examples: [],
                subcommands: [
                    Command(
                        "add", summary: "", options: [CommandOption("role", .choice(["member", "admin"]), help: "")],
                        examples: [], body: { _, _ in }),
                    Command("list", summary: "", examples: [], body: { _, _ in }),
                ]),
            Command("status", summary: "", examples: [], body: { _, _ in }),
        ])

    static func status(published: Int64 = 0) -> AdminStatus {
        AdminStatus(
            version: "1.0", processID: 42, dataFolder: "/srv/teahouse",
            startedAtMilliseconds: ConsoleDriver.now - 3_600_000,
            addresses: ["127.0.0.1:7677"], troubles: [],
            metrics: [
                AdminMetric("sessions", 3), AdminMetric("published", published), AdminMetric("freeBytes", 1 << 30),
            ],
            limits: [
                AdminLimit(
                    name: "commit_queue_requests", unit: "requests", current: 95, peak: 99, maximum: 100, refusals: 2)
            ], lastVerify: AdminLastVerify(atMilliseconds: ConsoleDriver.now - 3_600_000, findings: 0, isQuick: false),
            lastBackup: AdminLastBackup(
                atMilliseconds: ConsoleDriver.now - 3_600_000, verifiedAtMilliseconds: ConsoleDriver.now - 3_500_000,
                name: "teahouse-20270115T070000Z", bytes: 1 << 30, proof: "0123456789abcdef"))
    }

    static func session(_ id: Int64, _ name: String) -> AdminSession {
        AdminSession(
            id: id, user: UserName(name)!, device: .app, level: .primary, deviceID: "phone",
            protocolName: "wukong-json",
            address: "192.168.1.\(id):50000", isEncrypted: true, openedAtMilliseconds: ConsoleDriver.now - id * 1000,
            activeAtMilliseconds: ConsoleDriver.now - 86_400_000 * id, queuedBytes: id << 10, unacknowledged: id)
    }

    static func answer(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .status: .success(.status(self.status()))
        case .listUsers: .success(.users(self.users, next: nil))
        case .listSessions: .success(.sessions([self.session(7, "ming"), self.session(8, "lan")], next: nil))
        case .follow: .success(.following)
        case .live(.start): .success(.live(AdminLiveHistory(points: [], limits: [])))
        case .setDisabled, .setSendBanned, .endSessions: .success(.count(1))
        case .addUser: .success(.done)
        case .issueToken: .success(.token("secret-token"))
        default: .failure(AdminError(.refused, "not in this test"))
        }
    }
}
