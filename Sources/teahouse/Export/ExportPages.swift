import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit
import ContentTranslation
import Store

/// Pages of one conversation, in the order of its messages. A page is full with so many messages that a browser still
/// lays it out at once.
final class ExportPages {
    /// Maximum messages of one page.
    static let pageMessages = 2_000
    /// Bytes of text after which a message may be cut at the end of a printed page.
    private static let longBytes = 1_500

    private let folder: ExportFolder
    private let style: ExportStyle
    private let detail: AdminConversationDetail
    private let title: String
    private let name: String
    private var file: ExportFile?
    private var page = 0
    private var rows = 0
    private var day = ""

    /// - Parameters:
    ///   - title: name of the conversation for people.
    ///   - name: name of its files, which is safe in a path.
    init(_ folder: ExportFolder, _ style: ExportStyle, _ detail: AdminConversationDetail, title: String, name: String) {
        self.folder = folder
        self.style = style
        self.detail = detail
        self.title = title
        self.name = name
    }

    /// Path of the first page.
    var first: String { self.path(1) }

    private func fileName(_ page: Int) -> String { page == 1 ? "\(self.name).html" : "\(self.name)-\(page).html" }

    private func path(_ page: Int) -> String { "pages/\(self.fileName(page))" }

    // MARK: Pages

    func add(_ message: AdminExportMessage, _ files: [ExportedFile]) throws(CommandFailure) {
        if self.file != nil, self.rows == Self.pageMessages { try self.close(hasNext: true) }
        if self.file == nil { try self.open() }
        self.rows += 1
        let day = ExportTime.day(message.message.sentAtMilliseconds)
        if day != self.day {
            self.day = day
            try self.file?.write("<h2 class=\"day\">\(day)</h2>\n")
        }
        try self.file?.write(self.html(message, files))
    }

    func finish() throws(CommandFailure) { if self.file != nil { try self.close(hasNext: false) } }

    private func open() throws(CommandFailure) {
        self.page += 1
        (self.rows, self.day) = (0, "")
        let file = try self.folder.newFile(self.path(self.page))
        self.file = file
        let conversation = self.detail.conversation
        try file.write(self.style.head(self.title))
        try file.write(self.navigation(hasNext: false))
        try file.write("<h1>\(ExportStyle.name(self.title))</h1>\n")
        guard self.page == 1 else {
            let values = ["number": String(self.page)]
            return try file.write("<p class=\"note\">\(self.style.text("export.page", values))</p>\n")
        }
        let members = self.detail.members.map { ExportStyle.person($0.displayName, $0.name.text) }
        let left = conversation.memberCount - Int64(members.count)
        let more = left > 0 ? " \(self.style.text("export.moreMembers", ["count": String(left)]))" : ""
        try file.write(
            ExportStyle.facts([
                (
                    self.style.text("export.conversation"),
                    ExportStyle.name("\(conversation.name) (id:\(conversation.number))")
                ),
                (self.style.text("export.kind"), self.style.word(for: conversation.kind)),
                (self.style.text("export.created"), ExportStyle.time(conversation.createdAtMilliseconds)),
                (self.style.text("export.members"), members.isEmpty ? nil : members.joined(separator: ", ") + more),
            ]))
    }

    private func close(hasNext: Bool) throws(CommandFailure) {
        try self.file?.write(self.navigation(hasNext: hasNext))
        try self.file?.write(ExportStyle.end)
        try self.file?.finish()
        self.file = nil
    }

    /// Links to the index and to the pages beside this one; they are not printed.
    private func navigation(hasNext: Bool) -> String {
        var links = ["<a href=\"../index.html\">\(self.style.text("export.index"))</a>"]
        func link(_ page: Int, _ key: String) {
            links.append("<a href=\"\(Markup.escaped(self.fileName(page)))\">\(self.style.text(key))</a>")
        }
        if self.page > 1 { link(self.page - 1, "export.before") }
        if hasNext { link(self.page + 1, "export.after") }
        return "<nav>\(links.joined())</nav>\n"
    }

    // MARK: Messages

    private func html(_ message: AdminExportMessage, _ files: [ExportedFile]) -> String {
        let now = message.message
        let content = message.form.content(now.body, kind: now.kind)
        let form = Content(of: content).shownForm
        let isLong = now.body.count + message.former.reduce(0) { $0 + $1.version.body.count } > Self.longBytes
        var classes = "message"
        if form == .tip || form == .teamNotice { classes += " system" }
        if isLong || files.count > 1 { classes += " long" }
        var html = "<article class=\"\(classes)\" id=\"m\(now.sequence)\">"
        html += "<a class=\"number\" href=\"#m\(now.sequence)\">\(now.sequence)</a><div><header>"
        let isOfServer = now.sender == systemUserName.text && message.senderName == nil
        html += isOfServer ? self.style.text("export.server") : ExportStyle.person(message.senderName, now.sender)
        html += ExportStyle.time(now.sentAtMilliseconds)
        for mark in self.marks(of: now) { html += "<span class=\"mark\">\(mark)</span>" }
        html += "</header>"
        if !now.isRecalled && !now.isDeletedForAll { html += self.style.html(content, line: message.line) }
        for file in files { html += self.style.html(file, root: "../") }
        for version in message.former { html += self.html(version, kind: now.kind) }
        if message.formerLeftOut > 0 {
            let count = ["count": String(message.formerLeftOut)]
            html += "<p class=\"note\">\(self.style.text("export.formerLeftOut", count))</p>"
        }
        return html + "</div></article>\n"
    }

    private func marks(of message: AdminExportedMessage) -> [String] {
        var marks: [String] = []
        if message.isDeletedForAll {
            marks.append(self.style.text("word.deletedForAll"))
        } else if message.isRecalled {
            marks.append(self.style.text("word.recalled"))
        }
        if message.editCount > 0 {
            marks.append(self.style.text("export.edited", ["count": String(message.editCount)]))
        }
        return marks
    }

    private func html(_ former: AdminExportVersion, kind: MessageKind) -> String {
        let version = former.version
        let head = self.style.text(version.number == 0 ? "export.asSent" : "export.formerEdit")
        return "<div class=\"former\"><header>\(head) \(ExportStyle.person(nil, version.editor))"
            + ExportStyle.time(version.atMilliseconds) + "</header>"
            + self.style.html(former.form.content(version.body, kind: kind)) + "</div>"
    }
}
