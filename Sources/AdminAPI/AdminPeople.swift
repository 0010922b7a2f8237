package import ChatModel

/// What an operator can ask about accounts and sessions, beyond `AdminRequest`'s own cases.
package enum AdminPeopleRequest: Hashable, Sendable {
    /// Changes what is known of a person.
    case edit(AdminUserEdit)
    /// What an import of these people would do; at most `AdminProtocol.importRows`, nothing is changed.
    case preview([AdminImportRow])
    /// Ends the sessions that a filter means; a dry run only says which, at most `AdminProtocol.pageRows`.
    case endSessions(AdminSessionFilter, isDryRun: Bool)
    /// What a page about the person shows beside `showUser`.
    case details(UserName)
    /// Deletes the account for good: messages stay with their author, everything else of it goes, and the name is not
    /// free again.
    case delete(UserName)
    /// Adds people whom an app on another server knew, at most `AdminProtocol.importRows`, and sets what is missing of
    /// those who are here; nobody gets a token. A dry run only says what would be done.
    case bring([AdminArrival], isDryRun: Bool)
}

extension AdminPeopleRequest: AdminOperations {
    static let all: [Self] = [
        .edit(.sample), .preview(.sample), .endSessions(.sample, isDryRun: .sample), .details(.sample),
        .delete(.sample), .bring(.sample, isDryRun: .sample),
    ]

    package var operation: AdminOperation {
        switch self {
        case .edit(let edit): .change("user.edit", edit.name.text, ctl: edit.command)
        case .preview: .look("user.preview")
        case .endSessions(let filter, isDryRun: true):
            .look("session.endWhere", filter.user?.text, ctl: filter.command(isDryRun: true))
        case .endSessions(let filter, isDryRun: false):
            .change("session.endWhere", filter.user?.text, ctl: filter.command(isDryRun: false))
        case .details(let name): .look("user.details", name.text, ctl: ctl("user details", .word(name.text)))
        case .delete(let name):
            .change("user.delete", name.text, ctl: ctl("user delete", .word(name.text), .flag("yes", true)))
        case .bring(_, isDryRun: true): .look("user.bring")
        case .bring(let rows, isDryRun: false):
            .change("user.bring", audited: .people(.bring(rows.map(\.withoutSecrets), isDryRun: false)))
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .edit(let edit): try .edit(fields.inline(edit))
        case .preview(let rows): try .preview(fields("users", rows, count: 0...AdminProtocol.importRows))
        case .endSessions(let filter, let isDryRun):
            try .endSessions(fields.inline(filter).checked(fields), isDryRun: fields("dryRun", isDryRun))
        case .details(let name): try .details(fields("name", name))
        case .delete(let name): try .delete(fields("name", name))
        case .bring(let rows, let isDryRun):
            try .bring(fields("users", rows, count: 0...AdminProtocol.importRows), isDryRun: fields("dryRun", isDryRun))
        }
    }
}

/// Changes of what is known of a person; `nil` leaves a thing as it is.
package struct AdminUserEdit: AdminRecord {
    package var name: UserName
    /// Empty removes it.
    package var displayName: String?
    /// What another user system calls them; empty removes it.
    package var externalID: String?
    /// The person's sessions end with another role, so that the next ones have the new rights.
    package var role: UserRole?

    package init(name: UserName, displayName: String? = nil, externalID: String? = nil, role: UserRole? = nil) {
        self.name = name
        self.displayName = displayName
        self.externalID = externalID
        self.role = role
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.displayName = try fields("displayName", \.displayName)
        self.externalID = try fields("externalID", \.externalID)
        self.role = try fields("role", \.role)
    }
}

/// What an import would do with one line.
package struct AdminImportPreview: AdminRecord {
    package enum Outcome: String, AdminWord, AdminText {
        /// The person is made.
        case new
        /// The person is there and gets a token only.
        case exists
        /// The name stands in an earlier line too; the person gets a second token.
        case again
        /// The line is refused.
        case refused
    }

    package var name: UserName
    package var outcome: Outcome
    /// Why it is refused.
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

extension AdminUserEdit {
    /// `nil` for nothing.
    fileprivate var command: [String]? {
        guard self != AdminUserEdit(name: self.name) else { return nil }
        return ctl(
            "user edit", .word(self.name.text), .option("display-name", self.displayName),
            .option("external-id", self.externalID), .option("role", self.role.map { $0.typed }))
    }
}

extension UserRole {
    /// As operators type it.
    var typed: String {
        switch self {
        case .member: "member"
        case .administrator: "admin"
        }
    }
}
