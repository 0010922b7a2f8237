import ChatModel

/// Reader of the rows of an import table. A first row with a column `name` is a heading.
///
/// Without a heading the columns are the user name and the display name. With a heading the columns `name` and
/// `display_name` (or `displayName`, `display name`) are used, in any case of letters; other columns are ignored.
package struct AdminImportTable: Sendable {
    private var nameColumn = 0
    private var displayColumn: Int? = 1
    private var hasHeading = false
    private var isFirst = true

    package init() {}

    /// Meaning of one row.
    package enum Reading: Equatable, Sendable {
        case heading
        case person(AdminImportRow)
        /// Row without a valid name, or with more columns than are known.
        case wrong
    }

    /// Reads the next row; rows are passed in their order in the file.
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
