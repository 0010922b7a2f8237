import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit

/// First page of an export: what it is of, who asked for it and why, its conversations and its people.
struct ExportIndex {
    let style: ExportStyle
    let scope: AdminExportScope
    let begun: (atMilliseconds: Int64, version: String)
    let counts: ExportCounts
    /// Name that the operator gave; `nil` for none.
    let operatorName: String?
    let reason: String

    func write(
        _ conversations: [ExportedConversation], _ people: [AdminUser], _ files: [ExportedFile], to file: ExportFile
    ) throws(CommandFailure) {
        let title = self.title(people)
        try file.write(self.style.head(title))
        try file.write("<h1>\(Markup.escaped(title))</h1>\n\(self.facts)")
        try self.write(conversations, to: file)
        try self.write(people, to: file)
        if !files.isEmpty {
            try file.write("<h2>\(self.style.text("export.ownFiles"))</h2>\n")
            for own in files { try file.write(self.style.html(own, root: "") + "\n") }
        }
        try file.write("<p class=\"note\">\(self.style.text("export.sums"))</p>\n" + ExportStyle.end)
    }

    private func title(_ people: [AdminUser]) -> String {
        guard let person = self.scope.person else { return self.style.plain("export.title") }
        let shown = people.first { $0.name == person }?.displayName
        return self.style.plain("export.titlePerson", ["name": shown ?? person.text])
    }

    private var facts: String {
        func names(_ names: [String]) -> String? {
            names.isEmpty ? nil : names.map { ExportStyle.name($0) }.joined(separator: ", ")
        }
        let (from, until) = (self.scope.fromMilliseconds, self.scope.untilMilliseconds)
        var bounds: [String] = []
        if let from { bounds.append("\(self.style.text("export.from")) \(ExportStyle.time(from))") }
        if let until { bounds.append("\(self.style.text("export.until")) \(ExportStyle.time(until))") }
        return ExportStyle.facts([
            (self.style.text("export.made"), ExportStyle.time(self.begun.atMilliseconds)),
            (self.style.text("export.operator"), self.operatorName.map { ExportStyle.name($0) }),
            (self.style.text("export.reason"), ExportStyle.name(self.reason)),
            (self.style.text("export.people"), names(self.scope.people.map(\.text))),
            (self.style.text("export.named"), names(self.scope.conversations)),
            (self.style.text("export.time"), bounds.isEmpty ? nil : bounds.joined(separator: " ")),
            (self.style.text("export.holds"), self.style.text("export.counts", self.counts.values)),
            (self.style.text("export.server"), "teahouse \(Markup.escaped(self.begun.version))"),
        ])
    }

    private func write(_ conversations: [ExportedConversation], to file: ExportFile) throws(CommandFailure) {
        let said = conversations.filter { $0.messages > 0 }
        try file.write("<h2>\(self.style.text("export.conversations"))</h2>\n<table><thead><tr>")
        for (key, isNumber) in [
            ("export.number", true), ("export.conversation", false), ("export.kind", false), ("export.messages", true),
            ("export.first", false), ("export.last", false),
        ] {
            try file.write("<th\(isNumber ? " class=\"n\"" : "")>\(self.style.text(key))</th>")
        }
        try file.write("</tr></thead><tbody>\n")
        for row in said {
            guard let page = row.page, let times = row.times else { continue }
            try file.write(
                "<tr><td class=\"n\">\(row.number)</td>"
                    + "<td><a href=\"\(Markup.escaped(page))\">\(ExportStyle.name(row.title))</a></td>"
                    + "<td>\(self.style.word(for: row.conversation.kind))</td><td class=\"n\">\(row.messages)</td>"
                    + "<td>\(ExportStyle.time(times.lowerBound))</td>"
                    + "<td>\(ExportStyle.time(times.upperBound))</td></tr>\n"
            )
        }
        try file.write("</tbody></table>\n")
        let silent = conversations.count - said.count
        guard silent > 0 else { return }
        try file.write("<p class=\"note\">\(self.style.text("export.silent", ["count": String(silent)]))</p>\n")
    }

    private func write(_ people: [AdminUser], to file: ExportFile) throws(CommandFailure) {
        try file.write("<h2>\(self.style.text("export.peopleInIt"))</h2>\n<table><thead><tr>")
        for key in ["export.name", "export.account", "export.externalID", "export.created"] {
            try file.write("<th>\(self.style.text(key))</th>")
        }
        try file.write("</tr></thead><tbody>\n")
        for person in people {
            try file.write(
                "<tr><td>\(ExportStyle.name(person.displayName ?? ""))</td>"
                    + "<td>\(ExportStyle.name(person.name.text))</td>"
                    + "<td>\(ExportStyle.name(person.externalID ?? ""))</td>"
                    + "<td>\(ExportStyle.time(person.createdAtMilliseconds))</td></tr>\n")
        }
        try file.write("</tbody></table>\n")
    }
}
