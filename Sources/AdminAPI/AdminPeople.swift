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

extension AdminPeopleRequest {
    var word: String {
        switch self {
        case .edit: "user.edit"
        case .preview: "user.preview"
        case .endSessions: "session.endWhere"
        case .details: "user.details"
        case .delete: "user.delete"
        case .bring: "user.bring"
        }
    }

    var isChange: Bool {
        switch self {
        case .edit, .delete, .endSessions(_, isDryRun: false), .bring(_, isDryRun: false): true
        case .preview, .details, .endSessions(_, isDryRun: true), .bring(_, isDryRun: true): false
        }
    }

    var subject: String? {
        switch self {
        case .edit(let edit): edit.name.text
        case .endSessions(let filter, _): filter.user?.text
        case .details(let name), .delete(let name): name.text
        case .preview, .bring: nil
        }
    }

    var withoutSecrets: AdminPeopleRequest {
        guard case .bring(let rows, let isDryRun) = self else { return self }
        return .bring(rows.map(\.withoutSecrets), isDryRun: isDryRun)
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .edit(let edit): edit.write(to: &fields)
        case .preview(let rows): fields.records("users", rows)
        case .endSessions(let filter, let isDryRun):
            filter.write(to: &fields)
            fields.flag("dryRun", isDryRun)
        case .details(let name), .delete(let name): fields.text("name", name.text)
        case .bring(let rows, let isDryRun):
            fields.records("users", rows)
            fields.flag("dryRun", isDryRun)
        }
    }

    /// - Returns: `nil` for a word that is none of these.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "user.edit": self = .edit(try AdminUserEdit(with))
        case "user.preview":
            let rows: [AdminImportRow] = try with.records("users")
            guard rows.count <= AdminProtocol.importRows else { throw FieldReader.wrong("users") }
            self = .preview(rows)
        case "session.endWhere":
            let filter = try AdminSessionFilter(with)
            guard !filter.isEmpty else {
                throw AdminError(.invalid, "say which sessions: an empty filter would mean all of them")
            }
            self = .endSessions(filter, isDryRun: try with.flag("dryRun"))
        case "user.details": self = .details(try with.userName("name"))
        case "user.delete": self = .delete(try with.userName("name"))
        case "user.bring":
            let rows: [AdminArrival] = try with.records("users")
            guard rows.count <= AdminProtocol.importRows else { throw FieldReader.wrong("users") }
            self = .bring(rows, isDryRun: try with.flag("dryRun"))
        default: return nil
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("displayName", self.displayName)
        fields.text("externalID", self.externalID)
        fields.text("role", self.role.map { Word.of($0) })
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.displayName = try fields.optionalText("displayName")
        self.externalID = try fields.optionalText("externalID")
        self.role = try fields.has("role") ? Word.role(fields.text("role")) : nil
    }
}

/// What an import would do with one line.
package struct AdminImportPreview: AdminRecord {
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("outcome", self.outcome.rawValue)
        fields.text("problem", self.problem)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.outcome = try Word.value("outcome", fields)
        self.problem = try fields.optionalText("problem")
    }
}
