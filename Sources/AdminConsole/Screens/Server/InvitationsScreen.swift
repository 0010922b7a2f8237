package import AdminAPI
import ChatModel

extension AdminInvitation: TableRow {
    /// Number of the invitation, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// Names of who is invited and who invites, which the filter searches.
    package var searchTexts: [String] {
        [self.name?.text, self.displayName, self.inviter.text].compactMap { $0 }
    }
    /// Number of the invitation.
    package var requestName: String? { String(self.number) }
}

/// Screen of the open invitations. The link of a new one is shown once, with its QR code.
struct InvitationsScreen: TableScreen {
    enum Command { case create, withdraw, address }

    private static let list = 0
    private static let status = 1

    let title = "console.invitations"
    let emptyText = "console.invitations.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("n"), .create, "console.invitations.create", isChange: true),
        KeyBinding(.delete, .withdraw, "console.invitations.withdraw", isChange: true),
        KeyBinding(.character("a"), .address, "console.invitations.address"),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminInvitation>([
        TableColumn("table.number", width: 6, isOnTheRight: true, order: { .number($0.number) }) { row, _ in
            String(row.number)
        },
        TableColumn("table.name", width: 14, style: { _ in .accent }) { row, look in
            row.name?.text ?? look("console.invitations.anyName")
        },
        TableColumn("table.displayName") { row, _ in row.displayName ?? "" },
        TableColumn("table.inviter", width: 12) { row, _ in row.inviter.text },
        TableColumn("table.created", width: 10, order: { .number($0.createdAtMilliseconds) }) { row, look in
            look.shortTime(row.createdAtMilliseconds)
        },
        TableColumn("table.expires", width: 10, order: { .number($0.endsAtMilliseconds) }) { row, look in
            look.shortTime(row.endsAtMilliseconds)
        },
    ])
    private var pages = Pages<AdminInvitation>()

    var copied: String? { self.rows.current.map { String($0.number) } }

    mutating func refresh() -> [Intent] {
        self.pages.beginReading() ? [.ask(.people(.invitations(before: nil)), purpose: Self.list)] : []
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .status(let status) = answer {
            guard let address = status.publicAddress else {
                let bound = status.addresses.joined(separator: ", ")
                return [.tell(StatusLine(look("ctl.address.hereOnly", ["addresses": bound]), .refusal))]
            }
            return [.open(CodeScreen(title: "console.invitations.address", text: address))]
        }
        guard case .invitations(let found, let next) = answer else { return [] }
        if let all = self.pages.takePage(found, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.people(.invitations(before: $0)), purpose: Self.list)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose == Self.list { self.pages.end() }
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .create: return [.form(Self.form(look))]
        case .withdraw:
            let targets = self.rows.targets
            return targets.isEmpty ? look.nothing() : Self.withdraw(targets, look)
        case .address: return [.ask(.status, purpose: Self.status)]
        }
    }

    private static func form(_ look: Look) -> Form {
        let hours = InvitationBounds.hours
        return Form(
            look("console.invitations.create"),
            [
                Form.Field(look("console.invitations.name"), maximum: UserName.maximumScalars),
                Form.Field(look("table.displayName"), maximum: AdminProtocol.maximumTitleScalars),
                Form.Field(look("console.invitations.hours"), String(InvitationBounds.usualHours)),
                Form.Field(look("console.invitations.server")),
            ],
            check: { values in
                if !values[0].isEmpty, UserName(values[0]) == nil {
                    return look("ctl.badUserName", ["name": values[0], "maximum": String(UserName.maximumScalars)])
                }
                guard let number = Int64(values[2]), hours.contains(number) else {
                    let bounds = ["first": String(hours.lowerBound), "last": String(hours.upperBound)]
                    return look("console.invitations.badHours", bounds)
                }
                return nil
            },
            submit: { values in
                let wanted = AdminNewInvitation(
                    name: UserName(values[0]), displayName: values[1].isEmpty ? nil : values[1],
                    hours: Int64(values[2]) ?? InvitationBounds.usualHours, address: values[3].isEmpty ? nil : values[3]
                )
                var action = OperatorAction([.people(.invite(wanted))], done: look("console.invitations.made"))
                action.opens = { answers in
                    guard case .invited(let issued)? = answers.first else { return nil }
                    let values = ["number": String(issued.number), "time": look.time(issued.endsAtMilliseconds)]
                    var remarks = [look("ctl.invite.made", values)]
                    if issued.isHereOnly { remarks.append(look("ctl.invite.hereOnly")) }
                    return CodeScreen(title: "console.invitations.link", text: issued.link, remarks: remarks)
                }
                return [.perform(action)]
            })
    }

    private static func withdraw(_ invitations: [AdminInvitation], _ look: Look) -> [Intent] {
        let action = OperatorAction(
            invitations.map { .people(.withdrawInvitation($0.number)) },
            done: look.counted("console.invitations.withdrawn", invitations.count))
        let names = invitations.map { String($0.number) }
        return [
            .propose(
                Proposal(
                    look("console.invitations.withdraw") + ": " + look.names(names),
                    consequences: [look("console.invitations.withdrawConsequence")],
                    typed: typedNumber(of: invitations), operatorAction: action))
        ]
    }
}
