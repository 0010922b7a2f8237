package import ChatModel

/// Requests about accounts and sessions, beyond the cases of `AdminRequest` itself.
package enum AdminPeopleRequest: AdminDefinitions {
    /// Changes an account.
    case edit(AdminUserEdit)
    /// Asks for the result of an import without doing it; at most `AdminProtocol.importRows`.
    case preview([AdminImportRow])
    /// Ends the sessions that match a filter. A dry run only lists them, at most `AdminProtocol.pageRows`.
    case endSessions(AdminSessionFilter, isDryRun: Bool)
    /// Asks for the details of a user's page that `showUser` does not hold.
    case details(UserName)
    /// Deletes the account for good: its messages keep their sender, everything else of it is removed, and the name
    /// cannot be used again.
    case delete(UserName)
    /// Imports users of an app on another server, at most `AdminProtocol.importRows`, and fills in what users here
    /// lack; no tokens are issued. A dry run only reports the results.
    case bring([AdminArrival], isDryRun: Bool)
    /// Makes a link by which one person comes in, once.
    case invite(AdminNewInvitation)
    /// Lists open invitations, newest first; `before` is the `next` of the page before.
    case invitations(before: Int64?)
    /// Withdraws an open invitation by its number.
    case withdrawInvitation(Int64)

    static let all: [Self] = [
        .edit(.sample), .preview(.sample), .endSessions(.sample, isDryRun: .sample), .details(.sample),
        .delete(.sample), .bring(.sample, isDryRun: .sample), .invite(.sample), .invitations(before: .sample),
        .withdrawInvitation(.sample),
    ]

    static let more: [Self] = [.invite(AdminNewInvitation()), .invitations(before: nil)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .edit(let edit):
            fields.change("user.edit", .user(edit.name), basis: .showUser(edit.name))
            fields.asks(
                "console.users.edit", edit.role == nil ? [] : ["console.users.roleConsequence"], of: [edit.name.text],
                ["name": edit.name.text])
            fields.ctl(
                "user edit", says: "ctl.user.edited", evenForNone: true, ["name": edit.name.text],
                examples: ["ming --display-name 小明 --role admin", "ming --external-id ''"])
            let edit = try fields.inline(edit)
            try fields.checkTyped(edit != AdminUserEdit(name: edit.name), "ctl.nothingToEdit")
            return .edit(edit)
        case .preview(let rows):
            fields.look("user.preview")
            return try .preview(fields("users", rows, count: 0...AdminProtocol.importRows))
        case .endSessions(let filter, let isDryRun):
            fields.change("session.endWhere", role: .helper, .text(filter.user?.text), isChange: !isDryRun)
            fields.asks(
                "console.sessions.kickWhere", ["console.users.kickConsequence"],
                of: filter.user.map { [$0.text] } ?? [])
            fields.line(filter.command(isDryRun: isDryRun))
            return try .endSessions(fields.inline(filter).checked(fields), isDryRun: fields("dryRun", isDryRun))
        case .details(let name):
            fields.look("user.details", role: .helper, name.text)
            fields.ctl("user details", examples: ["ming", "ming --json"])
            return try .details(fields("name", name, .user))
        case .delete(let name):
            fields.change("user.delete", .person(name))
            fields.asks(
                "console.users.delete", ["console.users.deleteConsequence"], of: [name.text], isTyped: true,
                isFinal: true)
            fields.line(ctl("user delete", .word(name.text)))
            return try .delete(fields("name", name))
        case .bring(let rows, let isDryRun):
            fields.change(
                "user.bring", isChange: !isDryRun,
                audited: isDryRun ? nil : .people(.bring(rows.map(\.withoutSecrets), isDryRun: false)))
            return try .bring(
                fields("users", rows, count: 0...AdminProtocol.importRows), isDryRun: fields("dryRun", isDryRun))
        case .invite(let invitation):
            fields.change("invitation.add", .text(invitation.name?.text))
            fields.ctl("invite add", examples: ["", "--display-name 小明 --hours 24 --address https://chat.lan:7677"])
            return try .invite(fields.inline(invitation))
        case .invitations(let before):
            fields.look("invitation.list", role: .observer)
            fields.ctl("invite list", examples: ["", "--json"])
            return try .invitations(before: fields.page("before", before))
        case .withdrawInvitation(let number):
            fields.change("invitation.remove", .text(String(number)))
            fields.ctl("invite withdraw", says: "ctl.invite.withdrawn", ["number": String(number)], examples: ["3"])
            return try .withdrawInvitation(
                fields("number", number, .argument("NUMBER", "argument.invitation", refusal: "ctl.badInvitation")))
        }
    }
}

/// Changes of an account; `nil` leaves a field as it is.
package struct AdminUserEdit: AdminRecord {
    /// Name of the user.
    package var name: UserName
    /// Name that people see; empty removes it.
    package var displayName: String?
    /// ID in another user system; empty removes it.
    package var externalID: String?
    /// Role. A change of it ends the user's sessions, so that the next ones have the new rights.
    package var role: UserRole?

    package init(name: UserName, displayName: String? = nil, externalID: String? = nil, role: UserRole? = nil) {
        self.name = name
        self.displayName = displayName
        self.externalID = externalID
        self.role = role
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name, .user)
        self.displayName = try fields(
            "displayName", \.displayName, .option("display-name", "TEXT", "option.displayName"))
        self.externalID = try fields("externalID", \.externalID, .option("external-id", "ID", "option.externalID"))
        self.role = try fields("role", \.role, .choice("role", "option.role"))
    }
}

/// Result that an import would have for one line.
package struct AdminImportPreview: AdminRecord {
    /// Result for one line.
    package enum Outcome: String, AdminWord, AdminText {
        /// The user is created.
        case new
        /// The user exists and gets a token only.
        case exists
        /// The name is in an earlier line too; the user gets a second token.
        case again
        /// The line is refused.
        case refused
    }

    /// Name in the line.
    package var name: UserName
    /// Result for the line.
    package var outcome: Outcome
    /// Reason for the refusal; `nil` for none.
    package var problem: String?

    package init(name: UserName, outcome: Outcome, problem: String? = nil) {
        self.name = name
        self.outcome = outcome
        self.problem = problem
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.outcome = try fields("outcome", \.outcome)
        self.problem = try fields("problem", \.problem)
    }
}

extension UserRole {
    /// Word that operators type for the role.
    var typed: String {
        switch self {
        case .member: "member"
        case .administrator: "admin"
        }
    }
}
