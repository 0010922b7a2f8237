import AdminAPI
import ChatModel

/// Screen of the sign-in policy: number of sessions of a user at once, and device classes that exclude each other. A
/// draft is shown before it is set: the table has the sessions that it would end.
struct PolicyScreen: TableScreen {
    enum Command { case preset, edit, apply, applyNow, clear, open }

    private static let shown = 0
    private static let previewed = 1
    private static let usual: [DeviceClass] = [.app, .desktop, .web]
    /// Fields of the form before those of the classes.
    private static let toPreset = 0
    private static let toOwn = 1

    let title = "console.policy"
    var emptyText: String { self.draft == nil ? "console.policy.empty" : "console.policy.nobody" }
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("p"), .preset, "console.policy.preset"),
        KeyBinding(.character("e"), .edit, "console.policy.edit"),
        KeyBinding(.character("a"), .apply, "console.policy.apply", isChange: true),
        KeyBinding(.character("A"), .applyNow, "console.policy.applyNow", isChange: true),
        KeyBinding(.character("c"), .clear, "console.policy.clear"),
        KeyBinding(.enter, .open, "console.users.open"),
    ]
    var rows = SessionsScreen.table
    private var policy: SignInPolicy?
    private var draft: SignInPolicy?
    /// Number of sessions that the draft would end, which may be more than the rows. `nil` before the answer.
    private var ending: Int64?

    var copied: String? { (self.draft ?? self.policy)?.text }

    mutating func refresh() -> [Intent] {
        let preview = self.draft.map { [Intent.ask(.policy(.preview($0)), purpose: Self.previewed)] } ?? []
        return [.ask(.policy(.show), purpose: Self.shown)] + preview
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .policy(.policy(let policy)) = answer {
            self.policy = policy
            if self.draft == policy { self.forget(look) }
        }
        if case .policy(.preview(let sessions, let count)) = answer, self.draft != nil {
            self.ending = count
            self.rows.replace(sessions, look)
        }
        return []
    }

    private mutating func forget(_ look: Look) {
        self.draft = nil
        self.ending = nil
        self.rows.replace([], look)
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .preset: return [.form(Self.presetForm(look))]
        case .edit: return [.form(self.ownForm(look))]
        case .apply, .applyNow: return self.apply(endingNow: command == .applyNow, look)
        case .clear:
            self.forget(look)
            return []
        case .open:
            guard let session = self.rows.current else { return look.nothing() }
            return [.open(UserScreen(session.user))]
        }
    }

    // MARK: Drafting

    private static func presetForm(_ look: Look) -> Form {
        let presets = SignInPolicy.Preset.allCases.map { ($0.rawValue, look("console.policy.preset.\($0.rawValue)")) }
        return Form(
            look("console.policy.preset"), [Form.Field(look("console.policy.draft"), choices: presets)],
            command: { ["policy", "preview", $0[0]] }, submit: { [.give($0, purpose: Self.toPreset)] })
    }

    /// Sessions of each class, and pairs that exclude each other.
    private func ownForm(_ look: Look) -> Form {
        let policy = self.draft ?? self.policy ?? SignInPolicy(standard: .byLevel)
        let classes = Self.classes(of: policy)
        let exclusions = policy.exclusions.sorted().map { "\($0.one.name)!\($0.other.name)" }.joined(separator: " ")
        let fields =
            [Form.Field(look("console.policy.standard"), policy.standard.word)]
            + classes.map { Form.Field($0.name, policy.classes[$0]?.word ?? "") }
            + [Form.Field(look("console.policy.exclusions"), exclusions)]
        let text: @Sendable ([String]) -> String = { values in
            let counts = zip(classes, values.dropFirst()).filter { !$0.1.isEmpty }.map { "\($0.name)=\($1)" }
            return (["*=\(values[0])"] + counts + [values[values.count - 1]]).filter { !$0.isEmpty }
                .joined(separator: " ")
        }
        return Form(
            look("console.policy.edit"), fields, check: { Self.problem(text($0)) ?? nil },
            command: { ["policy", "preview"] + Self.words(text($0)) },
            submit: { [.give([text($0)], purpose: Self.toOwn)] })
    }

    /// The parts of a policy's text, as a shell takes them.
    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private static func problem(_ text: String) -> String? {
        do throws(SignInPolicyError) {
            _ = try SignInPolicy(text)
            return nil
        } catch {
            return error.description
        }
    }

    mutating func takeValues(_ values: [String], purpose: Int, _ look: Look) -> [Intent] {
        guard let policy = try? SignInPolicy(values[0]) else { return [] }
        self.forget(look)
        self.draft = policy
        return [.ask(.policy(.preview(policy)), purpose: Self.previewed)]
    }

    // MARK: Applying

    private func apply(endingNow: Bool, _ look: Look) -> [Intent] {
        guard let draft = self.draft else { return look.nothing("console.policy.noDraft") }
        guard let ending = self.ending else { return look.nothing("console.policy.noPreview") }
        func operatorAction(_ policy: SignInPolicy, _ endingNow: Bool) -> OperatorAction {
            OperatorAction(
                [.policy(.set(policy, endingNow: endingNow))],
                done: look("console.policy.holds", ["policy": policy.text]))
        }
        var change = operatorAction(draft, endingNow)
        if let policy = self.policy { change.undo = operatorAction(policy, false) }
        let ends = look.counted(endingNow ? "console.policy.ends" : "console.policy.stays", Int(ending))
        let people = self.rows.rows.prefix(10).map { "  \($0.user.text)  \($0.device.name)  \($0.address)" }
        return [
            .propose(
                Proposal(
                    look(endingNow ? "console.policy.applyNow" : "console.policy.apply"),
                    consequences: [look("console.policy.applyConsequence", ["policy": draft.text]), ends]
                        + (endingNow ? people : []),
                    typed: endingNow && ending > Int64(unaskedTargets) ? String(ending) : nil, operatorAction: change))
        ]
    }

    // MARK: Lines

    /// The usual classes, and those that the policy names.
    private static func classes(of policy: SignInPolicy) -> [DeviceClass] {
        let named = Array(policy.classes.keys) + policy.exclusions.flatMap { [$0.one, $0.other] }
        let others = Set(named).subtracting(Self.usual).sorted { $0.name < $1.name }
        return Self.usual + others
    }

    func head(width: Int, _ look: Look) -> [Line] {
        guard let policy = self.policy else { return [Line(" " + look("console.loading"), .dim)] }
        func row(_ key: String, _ policy: SignInPolicy, _ style: Style) -> Line {
            let preset = policy.preset.map { look("console.policy.preset.\($0.rawValue)") }
            return Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 14), .dim)
                + Line(preset ?? look("console.policy.own"), style) + Line("  " + policy.text, .dim)
        }
        var lines = [row("console.policy.inForce", policy, .title)]
        if let draft = self.draft { lines.append(row("console.policy.draft", draft, .warning)) }
        lines += [Line()] + Self.matrix(self.draft ?? policy, look) + [Line()]
        guard self.draft != nil else { return lines }
        guard let ending = self.ending else { return lines + [Line(" " + look("console.loading"), .dim)] }
        return lines + [Line(" " + look.counted("console.policy.wouldEnd", Int(ending)), .title)]
    }

    /// Table of the classes that can be signed in together, with their numbers.
    private static func matrix(_ policy: SignInPolicy, _ look: Look) -> [Line] {
        let classes = Self.classes(of: policy)
        func cell(_ text: String) -> String { Cells.fitted(Cells.drawable(text), to: 11) }
        let heading = cell("") + classes.map { cell($0.name) }.joined() + look("console.policy.atOnce")
        let rows = classes.map { one in
            let cells = classes.map { other -> Line in
                if one == other { return Line(cell("·"), .dim) }
                let excludes = SignInPolicy.Exclusion(one, other).map { policy.exclusions.contains($0) } ?? false
                return Line(
                    cell(look(excludes ? "console.policy.excludes" : "console.policy.together")),
                    excludes ? .bad : .good)
            }
            let sessions: String =
                switch policy.sessions(of: one) {
                case .byLevel: look("console.policy.byLevel")
                case .atMost(let count): String(count)
                case .unlimited: look("console.policy.unlimited")
                }
            return cells.reduce(Line(" " + cell(one.name), .title)) { $0 + $1 } + Line(sessions, .accent)
        }
        return [Line(" " + heading, .heading)] + rows
    }
}
