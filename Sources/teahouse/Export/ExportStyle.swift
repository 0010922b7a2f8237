import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit
import ContentTranslation
import Localization
import Profiles

/// Words, look and pieces of HTML that the pages of an export share. A page needs nothing from outside its folder, and
/// nothing in it can run.
struct ExportStyle {
    private let control: Control
    private let digest: MessageDigest

    init(_ control: Control) {
        self.control = control
        self.digest = MessageDigest(control.ownTexts, maximum: 1_000)
    }

    /// A text of the language files as it is.
    func plain(_ key: String, _ values: [String: String] = [:]) -> String { self.control.terminal.text(key, values) }

    /// A text of the language files, for HTML.
    func text(_ key: String, _ values: [String: String] = [:]) -> String { Markup.escaped(self.plain(key, values)) }

    func word(for kind: ConversationKind) -> String { Markup.escaped(self.control.word(for: kind)) }

    /// A name that people chose: whatever the direction of its letters, those of the page stay.
    static func name(_ text: String) -> String { "<bdi>\(Markup.escaped(DisplayText.escaped(text)))</bdi>" }

    /// Name for people and name of the account.
    static func person(_ shown: String?, _ account: String) -> String {
        guard let shown, shown != account else { return "<b>\(Self.name(account))</b>" }
        return "<b>\(Self.name(shown))</b> <span class=\"account\">\(Self.name(account))</span>"
    }

    static func time(_ milliseconds: Int64) -> String {
        "<time datetime=\"\(ExportTime.utc(milliseconds))\">\(ExportTime.zoned(milliseconds))</time>"
    }

    // MARK: Pages

    /// Beginning of a page.
    func head(_ title: String) -> String {
        """
        <!doctype html>
        <html lang="\(self.text("language.code"))"><head><meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file:; \
        style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer">
        <title>\(Markup.escaped(title))</title><style>\(Self.rules)</style></head><body>

        """
    }

    /// End of a page.
    static let end = "</body></html>\n"

    /// A table of two columns; a row without a value is left out.
    static func facts(_ rows: [(String, String?)]) -> String {
        let lines = rows.compactMap { row in row.1.map { "<tr><th>\(row.0)</th><td>\($0)</td></tr>\n" } }
        return "<table class=\"facts\">\(lines.joined())</table>\n"
    }

    private static let rules = """
        @page{size:A4;margin:16mm 15mm 18mm;@bottom-right{content:counter(page) " / " counter(pages);\
        font-size:8pt;color:#555}}
        body{max-width:180mm;margin:8mm auto;padding:0 4mm;color:#1a1a1a;background:#fff;\
        font:11pt/1.5 system-ui,"Noto Sans CJK SC","Noto Sans SC","PingFang SC","Microsoft YaHei",sans-serif;\
        overflow-wrap:anywhere}
        h1{font-size:17pt;line-height:1.25;margin:0 0 4mm}h2{font-size:12pt;margin:7mm 0 2mm;break-after:avoid}
        a{color:#14508c}table{border-collapse:collapse;width:100%;font-size:10pt}
        th,td{text-align:start;vertical-align:top;padding:1mm 2.5mm 1mm 0;border-bottom:1px solid #ddd}
        thead{display:table-header-group}tr{break-inside:avoid}td.n,th.n{text-align:end;white-space:nowrap}
        .facts th{width:38mm;font-weight:600;color:#444}.facts{margin-bottom:5mm}
        nav{margin:4mm 0;font-size:10pt;display:flex;gap:6mm}
        .day{border-bottom:1px solid #999;font-size:11pt}
        .message{display:grid;grid-template-columns:14mm 1fr;margin:0 0 3mm;break-inside:avoid-page}
        .message.long{break-inside:auto}.number{color:#777;font-size:9pt;text-decoration:none;padding-top:.4mm}
        header{font-size:10pt;break-after:avoid}.account,time,.note{color:#666;font-size:9pt}
        time{margin-inline-start:2mm;white-space:nowrap}td time{margin:0}
        .mark{font-size:8.5pt;border:1px solid #a33;color:#a33;border-radius:2px;padding:0 1.2mm;\
        margin-inline-start:2mm}
        .text{white-space:pre-wrap;unicode-bidi:plaintext;margin:0}.kind{color:#444;margin:0;font-style:italic}
        .system .text{color:#555;font-style:italic}
        blockquote{margin:1mm 0;padding:0 0 0 3mm;border-inline-start:3px solid #bbb;color:#444;font-size:10pt}
        .former{margin:1.5mm 0 0;padding:1mm 2.5mm;background:#f4f1ea;border-inline-start:3px solid #c9a24a;\
        font-size:10pt}
        figure{margin:1.5mm 0;break-inside:avoid}figure img{max-width:100%;max-height:85mm;border:1px solid #ddd}
        figcaption,.file{font-size:9pt;margin:1mm 0;color:#444}
        @media print{nav{display:none}body{margin:0;padding:0;max-width:none}a{color:inherit}
        *{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
        """

    // MARK: Contents

    /// Content of a body, as people see it.
    ///
    /// - Parameter line: line of a registered kind; `nil` for other kinds.
    func html(_ content: MessageContent, line: String? = nil) -> String {
        let read = Content(of: content)
        var sketch = MessageSketch(read, kind: content.kind)
        sketch.line = line ?? sketch.line
        let quote = self.digest.quoted(sketch).map { "<blockquote>\(Markup.escaped($0))</blockquote>" } ?? ""
        sketch.quote = nil
        return quote + self.html(read, sketch, depth: 0)
    }

    private func html(_ content: Content, _ sketch: MessageSketch, depth: Int) -> String {
        let text = content.text.map { Self.paragraph($0) } ?? ""
        switch content.form {
        case .text, .richText: return text.isEmpty ? self.kind(sketch) : text
        case .systemMessage: return Self.paragraph(content.readableText ?? "")
        case .forwarded(let messages):
            let rows = messages.map { row in
                let time = row.sentAtSeconds.map { Self.time($0 * 1_000) } ?? ""
                let inner = MessageSketch(row.content, kind: .none)
                return "<div>\(Self.person(row.senderName, row.sender ?? ""))\(time)"
                    + self.html(row.content, inner, depth: depth + 1) + "</div>"
            }
            return self.kind(sketch) + "<blockquote>\(rows.joined())</blockquote>"
        case .picture, .animation, .voice, .video, .file, .sticker, .place, .card, .call, .command, .custom, .withdrawn,
            .encrypted, .unreadable:
            var sketch = sketch
            // A caption is its own line.
            if !text.isEmpty { sketch.words = "" }
            return self.kind(sketch) + text
        }
    }

    /// Kind of a message that is no text, with its name, length or size.
    private func kind(_ sketch: MessageSketch) -> String {
        "<p class=\"kind\">\(Markup.escaped(self.digest.detailed(sketch)))</p>"
    }

    /// A text with its lines. What hides or reorders letters is shown as `\u202e`; the tables have the text as it is.
    private static func paragraph(_ text: String) -> String {
        var shown = ""
        // A line ends with one or two characters; together they are one `Character`.
        for (number, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        {
            if number > 0 { shown += "\n" }
            let line = line.last == "\r" ? line.dropLast() : line
            for (column, cell) in line.split(separator: "\t", omittingEmptySubsequences: false).enumerated() {
                if column > 0 { shown += "\t" }
                shown += DisplayText.escaped(String(cell))
            }
        }
        return "<p class=\"text\">\(Markup.escaped(shown))</p>"
    }

    // MARK: Files

    /// Types that every browser shows as a picture.
    private static let pictures: Set<String> = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp"]

    /// A file: a picture is shown, everything else is named and linked.
    ///
    /// - Parameter root: path from the page to the folder.
    func html(_ file: ExportedFile, root: String) -> String {
        let facts = "\(Self.name(file.file.name)), \(Markup.escaped(shownBytes(file.file.bytes)))"
        guard let path = file.path else {
            return "<p class=\"file\">\(facts) <span class=\"mark\">\(self.text("export.missing"))</span></p>"
        }
        let address = Markup.escaped(root + path)
        let type = file.file.mediaType.split(separator: ";").first.map { String($0).lowercased() } ?? ""
        guard Self.pictures.contains(type) else {
            return "<p class=\"file\">\(self.text("export.file")) <a href=\"\(address)\">\(facts)</a></p>"
        }
        return "<figure><a href=\"\(address)\"><img src=\"\(address)\" alt=\"\(Markup.escaped(file.file.name))\"></a>"
            + "<figcaption>\(facts)</figcaption></figure>"
    }
}
