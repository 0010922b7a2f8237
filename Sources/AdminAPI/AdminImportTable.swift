import ChatModel

/// Which columns of a table of people are which: a first row that names a column `name` is a heading.
///
/// Without a heading the columns are the name and what people are shown. With one they are found by `name` and
/// `display_name` (or `displayName`, `display name`), in any case of letters, and others are left alone.
package struct AdminImportTable: Sendable {
    private var nameColumn = 0
    private var displayColumn: Int? = 1
    private var hasHeading = false
    private var isFirst = true

    package init() {}

    /// What a row says.
    package enum Reading: Hashable, Sendable {
        case heading
        case person(AdminImportRow)
        /// It names nobody, or has columns that nobody named.
        case wrong
    }

    package mutating func read(_ fields: [String]) -> Reading {
        defer { self.isFirst = false }
        if self.isFirst, self.takeHeading(fields) { return .heading }
        guard self.hasHeading || fields.count <= 2, fields.count > self.nameColumn,
            let name = UserName(fields[self.nameColumn])
        else { return .wrong }
        let shown = self.displayColumn.flatMap { $0 < fields.count && !fields[$0].isEmpty ? fields[$0] : nil }
        return .person(AdminImportRow(name: name, displayName: shown))
    }

    private mutating func takeHeading(_ fields: [String]) -> Bool {
        let words = fields.map { $0.lowercased().filter { $0 != "_" && $0 != " " } }
        guard let name = words.firstIndex(of: "name") else { return false }
        self.nameColumn = name
        self.displayColumn = words.firstIndex(of: "displayname")
        self.hasHeading = true
        return true
    }
}
