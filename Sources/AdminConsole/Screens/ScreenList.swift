/// The screens in the order of their numbers.
enum ScreenList {
    struct Entry: Sendable {
        /// Text key.
        var title: String
        /// The words of commands that never end and show the same.
        var commands: [[String]] = []
        /// Words behind `:` that go there; none of them is a command of `ctl`.
        var names: [String] = []
        /// Families of commands of `ctl` that go there when they stand alone, where as a command they would need another
        /// word.
        var families: [String] = []
        var make: @Sendable () -> any Screen
    }

    static let all: [Entry] = [
        Entry(title: "console.overview", commands: [["top"]], names: ["overview"]) { OverviewScreen() },
        Entry(title: "console.users", names: ["users", "people"]) { UsersScreen() },
        Entry(title: "console.sessions", names: ["sessions"]) { SessionsScreen() },
        Entry(title: "console.conversations", names: ["conversations", "conv"]) { ConversationsScreen() },
        Entry(title: "console.transfers", commands: [["transfer", "watch"]], names: ["transfers"]) {
            TransfersScreen()
        },
        Entry(title: "console.files", names: ["files"]) { FilesScreen() },
        Entry(title: "console.profiles", names: ["profiles"]) { ProfilesScreen() },
        Entry(title: "console.log", commands: [["tail"]], names: ["log"]) { LogScreen() },
        Entry(title: "console.requests", names: ["requests"]) { RequestsScreen() },
        Entry(title: "console.audit", families: ["audit"]) { AuditScreen() },
        Entry(title: "console.notices", names: ["announcements", "notices"]) { AnnouncementsScreen() },
        Entry(title: "console.words", names: ["words"], families: ["word"]) { WordsScreen() },
        Entry(title: "console.kinds", names: ["kinds"], families: ["kind"]) { KindsScreen() },
        Entry(title: "console.settings", names: ["settings"], families: ["setting"]) { SettingsScreen() },
        Entry(title: "console.policy", families: ["policy"]) { PolicyScreen() },
        Entry(title: "console.app", families: ["app"]) { AppScreen() },
        Entry(title: "console.filters", names: ["filters"], families: ["filter"]) { FiltersScreen() },
        Entry(title: "console.search", families: ["search"]) { SearchScreen() },
        Entry(title: "console.signIns", names: ["sign-ins"]) { SignInsScreen() },
        Entry(title: "console.invitations", names: ["invitations"], families: ["invite"]) { InvitationsScreen() },
        Entry(title: "console.retention", commands: [["retention"]]) { RetentionScreen() },
        Entry(title: "console.holds", names: ["holds"], families: ["hold"]) { HoldsScreen() },
    ]

    /// The screen to show instead of running a command that never ends.
    static func number(insteadOf words: [String]) -> Int? {
        guard !words.contains("--once") else { return nil }
        let plain = words.filter { !$0.hasPrefix("-") }
        return Self.all.firstIndex { $0.commands.contains { Array(plain.prefix($0.count)) == $0 } }
    }

    /// The screen to open instead of running a command that shows one thing.
    static func screen(insteadOf words: [String], _ look: Look) -> (any Screen)? {
        TeamCardScreen(words: words, hidden: look.hiddenRows)
    }
}

/// More objects than this are changed only after their number was typed.
let unaskedTargets = 5

/// Number to type before so many are changed.
func typedNumber(of targets: [some Any]) -> String? {
    targets.count > unaskedTargets ? String(targets.count) : nil
}

extension Look {
    /// `ming, lan and 3 more`
    func names(_ names: [String]) -> String {
        let shown = names.prefix(3).joined(separator: ", ")
        guard names.count > 3 else { return shown }
        return self("console.namesMore", ["names": shown, "count": String(names.count - 3)])
    }

    /// Sentences about what will be so after an action, as its operations define them, each once.
    func consequences(of operatorAction: OperatorAction) -> [String] {
        var sentences: [String] = []
        for caution in operatorAction.requests.compactMap(\.operation.caution) {
            for key in caution.consequences {
                let sentence = self(key, caution.values)
                if !sentences.contains(sentence) { sentences.append(sentence) }
            }
        }
        return sentences
    }

    /// Status line with the reason why a key does nothing now.
    func nothing(_ key: String = "console.nothingHere") -> [Intent] { [.tell(StatusLine(self(key), .refusal))] }
}
