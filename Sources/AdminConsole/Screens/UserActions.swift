import AdminAPI
import ChatModel
import CommandLineKit

/// Actions on people, wherever they are shown.
enum UserActions {
    enum Command { case edit, password, token, revoke, disable, enable, silence, unsilence, kick, erase }

    static let bindings: [KeyBinding<Command>] = [
        KeyBinding(.character("e"), .edit, "console.users.edit", isChange: true),
        KeyBinding(.character("p"), .password, "console.users.password", isChange: true),
        KeyBinding(.character("t"), .token, "console.users.token", isChange: true),
        KeyBinding(.character("x"), .revoke, "console.users.revoke", isChange: true),
        KeyBinding(.character("d"), .disable, "console.users.disable", isChange: true),
        KeyBinding(.character("a"), .enable, "console.users.enable", isChange: true),
        KeyBinding(.character("s"), .silence, "console.users.silence", isChange: true),
        KeyBinding(.character("S"), .unsilence, "console.users.unsilence", isChange: true),
        KeyBinding(.character("K"), .kick, "console.users.kick", isChange: true),
        KeyBinding(.character("X"), .erase, "console.users.delete", isChange: true),
    ]

    /// - Returns: `nil` for what is not done with people.
    static func update(_ command: Command, _ users: [AdminUser], _ look: Look) -> [Intent] {
        guard let first = users.first else { return look.nothing() }
        switch command {
        case .edit: return [.form(Self.editForm(first, look))]
        case .password: return [.form(Self.passwordForm(first, look))]
        case .token: return [.form(Self.tokenForm(first, look))]
        case .disable: return Self.setDisabled(users, true, look)
        case .enable: return Self.setDisabled(users, false, look)
        case .silence: return Self.setSilent(users, true, look)
        case .unsilence: return Self.setSilent(users, false, look)
        case .revoke: return Self.revoke(users, look)
        case .erase: return Self.erase(users, look)
        case .kick: return Self.kick(users.map(\.name), look)
        }
    }

    // MARK: Forms

    static func createForm(_ look: Look) -> Form {
        let fields = [
            Form.Field(look("table.name"), maximum: UserName.maximumScalars),
            Form.Field(look("table.displayName"), maximum: AdminProtocol.maximumTitleScalars),
            Form.Field(
                look("table.role"), choices: [("member", look("word.member")), ("admin", look("word.administrator"))]),
            Form.Field(look("console.password"), isSecret: true),
        ]
        return Form(
            look("console.users.create"), fields,
            check: { values in
                guard UserName(values[0]) == nil else { return nil }
                let bound = ["name": values[0], "maximum": String(UserName.maximumScalars)]
                return values[0].isEmpty ? look("console.users.nameMissing") : look("ctl.badUserName", bound)
            },
            placeholder: "NAME",
            submit: { values in
                guard let name = UserName(values[0]) else { return [] }
                let user = AdminNewUser(
                    name: name, role: values[2] == "admin" ? .administrator : .member,
                    displayName: values[1].isEmpty ? nil : values[1], password: values[3].isEmpty ? nil : values[3])
                let done = look("ctl.user.added", ["name": name.text])
                return [.perform(OperatorAction([.addUser(user)], done: done))]
            })
    }

    private static func editForm(_ user: AdminUser, _ look: Look) -> Form {
        var fields = [
            Form.Field(look("table.displayName"), user.displayName ?? "", maximum: AdminProtocol.maximumTitleScalars),
            Form.Field(look("table.externalID"), user.externalID ?? ""),
            Form.Field(
                look("table.role"), choices: [("member", look("word.member")), ("admin", look("word.administrator"))]),
        ]
        let role = user.role == .administrator ? "admin" : "member"
        fields[2].text.text = role
        let name = user.name.text
        let before = [user.displayName ?? "", user.externalID ?? "", role]
        let title = look("console.users.editTitle", ["name": name])
        @Sendable func operatorAction(_ values: [String], withRole: Bool) -> OperatorAction {
            let edit = AdminUserEdit(
                name: user.name, displayName: values[0], externalID: values[1],
                role: withRole ? (values[2] == "admin" ? .administrator : .member) : nil)
            return OperatorAction(
                [.people(.edit(edit))],
                done: look("ctl.profile.set", ["name": name]))
        }
        return Form(
            title, fields,
            submit: { values in
                let withRole = values[2] != role
                var change = operatorAction(values, withRole: withRole)
                change.undo = operatorAction(before, withRole: withRole)
                guard withRole else { return [.perform(change)] }
                let consequence = look("console.users.roleConsequence", ["name": name])
                return [.propose(Proposal(title, consequences: [consequence], operatorAction: change))]
            })
    }

    // MARK: From a file

    /// First what an import would do is shown, then it is done.
    static func importForm(_ look: Look) -> Form {
        let fields = [
            Form.Field(look("console.users.importFile")),
            Form.Field(
                look("console.users.importDevices"),
                choices: [("", look("console.users.importAll"))]
                    + [DeviceClass.app, .web, .desktop].map { ($0.name, $0.name) }),
        ]
        @Sendable func words(_ values: [String]) -> [String] {
            ["user", "import", values[0].isEmpty ? "FILE" : values[0]]
                + (values[1].isEmpty ? [] : ["--device", values[1]])
        }
        return Form(
            look("console.users.import"), fields,
            check: { ["", "-"].contains($0[0]) ? look("console.users.importHint") : nil }, command: words,
            submit: { values in
                [
                    .rehearse(words(values) + ["--dry-run"]) { code, lines in
                        Self.preview(of: values[0], words(values), code, lines, look)
                    }
                ]
            })
    }

    /// Shows the result that the import would have. Refused lines are listed, and do not stop the others.
    private static func preview(
        of path: String, _ words: [String], _ code: ExitCode, _ lines: [String], _ look: Look
    ) -> [Intent] {
        guard code == .done || code == .refused else {
            let title = look("console.users.importFailed", ["path": path])
            return [.page(Page(title, lines.map { Line($0, .bad) }))]
        }
        var operatorAction = OperatorAction([], commands: [words], done: "")
        operatorAction.run = words
        // The last line counts them all.
        let first = lines.dropLast().prefix(8)
        let more = max(0, lines.count - 1 - first.count)
        let rest = more > 0 ? [look("console.confirm.more", ["count": String(more)])] : []
        return [
            .propose(
                Proposal(
                    look("console.users.import") + ": " + path,
                    consequences: lines.suffix(1) + [look("console.users.importConsequence")] + first + rest,
                    operatorAction: operatorAction
                ))
        ]
    }

    private static func passwordForm(_ user: AdminUser, _ look: Look) -> Form {
        let name = user.name.text
        return Form(
            look("console.users.passwordTitle", ["name": name]),
            [
                Form.Field(look("console.password"), isSecret: true),
                Form.Field(look("console.passwordAgain"), isSecret: true),
            ],
            check: { values in
                if values[0].isEmpty { return look("console.users.passwordHint") }
                return values[0] == values[1] ? nil : look("console.users.passwordsDiffer")
            },
            submit: { values in
                let done = look("console.users.passwordSet", ["name": name])
                return [.perform(OperatorAction([.setPassword(user.name, values[0])], done: done))]
            })
    }

    private static func tokenForm(_ user: AdminUser, _ look: Look) -> Form {
        let classes = [DeviceClass.app, .web, .desktop]
        let name = user.name.text
        let fields = [
            Form.Field(look("table.device"), choices: classes.map { ($0.name, $0.name) }),
            Form.Field(
                look("table.level"),
                choices: [("secondary", look("word.secondary")), ("primary", look("word.primary"))]),
        ]
        return Form(
            look("console.users.tokenTitle", ["name": name]), fields,
            submit: { values in
                let device = DeviceClass(values[0]) ?? .app
                let level: DeviceLevel = values[1] == "primary" ? .primary : .secondary
                var operatorAction = OperatorAction(
                    [.issueToken(user.name, device, level)], done: look("console.users.tokenDone"))
                operatorAction.shows = { answers in
                    guard case .token(let token?)? = answers.first else { return nil }
                    let lines = [Line(token, .key), Line(), Line(look("console.users.tokenOnce"), .warning)]
                    return Page(look("console.users.tokenTitle", ["name": name]), lines, copied: token)
                }
                return [.perform(operatorAction)]
            })
    }

    // MARK: Actions

    private static func setDisabled(_ users: [AdminUser], _ isDisabled: Bool, _ look: Look) -> [Intent] {
        let changed = users.filter { $0.isDisabled != isDisabled }
        guard !changed.isEmpty else {
            return look.nothing(isDisabled ? "console.users.areDisabled" : "console.users.areEnabled")
        }
        let done = ["console.users.disabled", "console.users.enabled"].map { look.counted($0, changed.count) }
        let change = OperatorAction(
            changed.map { .setDisabled($0.name, isDisabled) }, done: done[isDisabled ? 0 : 1],
            undone: done[isDisabled ? 1 : 0])
        return Self.propose(
            isDisabled ? "console.users.disable" : "console.users.enable", changed.map(\.name), change, look)
    }

    private static func setSilent(_ users: [AdminUser], _ isSilent: Bool, _ look: Look) -> [Intent] {
        let changed = users.filter { $0.isSendBanned != isSilent }
        guard !changed.isEmpty else { return look.nothing("ctl.unchanged") }
        let done = ["console.users.silenced", "console.users.unsilenced"].map { look.counted($0, changed.count) }
        let change = OperatorAction(
            changed.map { .setSendBanned($0.name, isSilent) }, done: done[isSilent ? 0 : 1],
            undone: done[isSilent ? 1 : 0])
        return Self.propose(
            isSilent ? "console.users.silence" : "console.users.unsilence", changed.map(\.name), change, look)
    }

    private static func revoke(_ users: [AdminUser], _ look: Look) -> [Intent] {
        let operatorAction = OperatorAction(
            users.map { .revoke($0.name, nil) },
            done: look.counted("console.users.revoked", users.count))
        return Self.propose("console.users.revoke", users.map(\.name), operatorAction, look)
    }

    private static func erase(_ users: [AdminUser], _ look: Look) -> [Intent] {
        let names = users.filter { $0.deletedAtMilliseconds == nil }.map(\.name)
        guard let first = names.first else { return look.nothing("console.users.areDeleted") }
        let operatorAction = OperatorAction(
            names.map { .people(.delete($0)) },
            done: look.counted("console.users.deleted", names.count))
        return [
            .propose(
                Proposal(
                    look("console.users.delete") + ": " + look.names(names.map(\.text)),
                    consequences: look.consequences(of: operatorAction),
                    typed: names.count == 1 ? first.text : String(names.count), operatorAction: operatorAction))
        ]
    }

    static func kick(_ names: [UserName], _ look: Look) -> [Intent] {
        let operatorAction = OperatorAction(
            names.map { .endSessions(ids: [], user: $0) },
            done: look.counted("console.users.kicked", names.count))
        return Self.propose("console.users.kick", names, operatorAction, look)
    }

    /// - Parameter key: text key of what is done to them.
    private static func propose(_ key: String, _ names: [UserName], _ operatorAction: OperatorAction, _ look: Look)
        -> [Intent]
    {
        [
            .propose(
                Proposal(
                    look(key) + ": " + look.names(names.map(\.text)),
                    consequences: look.consequences(of: operatorAction),
                    typed: typedNumber(of: names), operatorAction: operatorAction))
        ]
    }
}
