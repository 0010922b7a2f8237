import AdminAPI
import ChatModel
import CommandLineKit

/// Screen of profiles as people are shown, and of the server's cache.
struct ProfilesScreen: TableScreen {
    enum Command { case open, invalidate, invalidateTeam, invalidateAll }

    private static let users = 0
    private static let metrics = 1
    private static let profile = 2
    /// The metrics that the head shows, in its order.
    private static let shownMetrics = [
        "entries", "bytes", "hitPercent", "hits", "misses", "invalidations", "watchers", "waiting",
    ]

    let title = "console.profiles"
    let emptyText = "console.users.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.profiles.show"),
        KeyBinding(.character("i"), .invalidate, "console.profiles.invalidate", isChange: true),
        KeyBinding(.character("T"), .invalidateTeam, "console.profiles.invalidateTeam", isChange: true),
        KeyBinding(.character("A"), .invalidateAll, "console.profiles.invalidateAll", isChange: true),
    ]
    let refreshMilliseconds: Int64? = 2_000
    var rows = TableView<AdminUser>([
        TableColumn("table.name") { user, _ in user.name.text },
        TableColumn("table.displayName") { user, _ in user.displayName ?? "" },
        TableColumn("table.externalID", width: 20) { user, _ in user.externalID ?? "" },
    ])
    private var pages = Pages<AdminUser>()
    private var hasUsers = false
    private var profileMetrics: [AdminMetric] = []

    var copied: String? { self.rows.current?.name.text }

    /// The people are asked for once; the metrics again and again.
    mutating func refresh() -> [Intent] {
        let people: [Intent] =
            !self.hasUsers && self.pages.beginReading() ? [.ask(.listUsers(after: nil), purpose: Self.users)] : []
        return people + [.ask(.profiles(.metrics), purpose: Self.metrics)]
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .profiles(.one(let profile)) = answer { return [.page(Self.page(profile, look))] }
        if case .profiles(.metrics(let metrics)) = answer { self.profileMetrics = metrics }
        guard case .users(let users, let next) = answer else { return [] }
        if let all = self.pages.takePage(users, isLast: next == nil) {
            self.hasUsers = true
            self.rows.replace(all, look)
        }
        return next.map { [.ask(.listUsers(after: $0), purpose: Self.users)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose == Self.users { self.pages.end() }
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        let targets = self.rows.targets
        switch command {
        case .open:
            guard let user = self.rows.current else { return look.nothing() }
            return [.ask(.profiles(.show(user.name, by: nil, in: nil)), purpose: Self.profile)]
        case .invalidate:
            guard !targets.isEmpty else { return look.nothing() }
            return [
                .perform(
                    OperatorAction(
                        targets.map { .profiles(.invalidate(.person($0.name))) },
                        done: look("ctl.profile.invalidated")))
            ]
        case .invalidateTeam:
            return [
                .select(
                    Selector(SelectorConfiguration(.teams)) { teams in
                        let team = teams.first?.id ?? ""
                        return [
                            .perform(
                                OperatorAction(
                                    [.profiles(.invalidate(.team(team)))],
                                    done: look("ctl.profile.invalidated")))
                        ]
                    })
            ]
        case .invalidateAll:
            let operatorAction = OperatorAction(
                [.profiles(.invalidate(.all))],
                done: look("ctl.profile.invalidated"))
            return [
                .propose(
                    Proposal(
                        look("console.profiles.invalidateAll"),
                        consequences: [look("console.profiles.invalidateAllConsequence")],
                        operatorAction: operatorAction))
            ]
        }
    }

    func head(width: Int, _ look: Look) -> [Line] {
        let cells = Self.shownMetrics.map { name in
            let value =
                self.profileMetrics.first { $0.name.split(separator: ".").last.map(String.init) == name }?.value ?? 0
            let shown = name == "bytes" ? shownBytes(value) : String(value)
            return Line(" " + Cells.fitted(Cells.drawable(look("figure.profiles.\(name)")), to: 26), .dim)
                + Line(Cells.fitted(shown, to: 11, onTheRight: true))
        }
        let half = (cells.count + 1) / 2
        return (0..<half).map { cells[$0] + Line("  ") + cells[$0 + half] } + [Line()]
    }

    static func page(_ profile: AdminProfile, _ look: Look) -> Page {
        func row(_ label: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(label), to: 18), .dim) + Line(value)
        }
        var lines = [
            row(look("table.shownName"), profile.shownName), row(look("table.known"), look.word(profile.isKnown)),
        ]
        if profile.isPlaceholder { lines.append(Line(look("word.placeholder"), .warning)) }
        lines += profile.fields.map { row($0.name, "\($0.value)  (\($0.source))") }
        if let entry = profile.entry {
            let values = [
                "source": entry.source, "age": shownDuration(seconds: entry.ageMilliseconds / 1000),
                "left": shownDuration(seconds: entry.leftMilliseconds / 1000),
            ]
            let key = entry.leftMilliseconds > 0 ? "ctl.profile.entry" : "ctl.profile.staleEntry"
            lines.append(row(look("table.cache"), look(key, values)))
        } else {
            lines.append(row(look("table.cache"), look("ctl.profile.noEntry")))
        }
        lines.append(row(look("table.watchers"), String(profile.watchers)))
        return Page(profile.name.text, lines, copied: profile.name.text)
    }
}
