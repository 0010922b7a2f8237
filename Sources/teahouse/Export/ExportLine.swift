import AdminAPI
import ByteCodec
import ChatModel
import ContentTranslation
import Glibc

/// Lines of the tables of an export: one JSON object each.
enum ExportLine {
    /// A message, with its former bodies and the paths of its files.
    static func bytes(of message: AdminExportMessage, _ files: [ExportedFile]) -> [UInt8] {
        let now = message.message
        var json = JSONWriter(capacity: now.body.count * 2 + 512)
        json.beginObject()
        json.key("sequence")
        json.integer(now.sequence)
        json.key("id")
        json.decimalString(now.id.rawValue)
        json.key("time")
        json.string(ExportTime.utc(now.sentAtMilliseconds))
        json.key("sender")
        json.string(now.sender)
        if let name = message.senderName {
            json.key("senderName")
            json.string(name)
        }
        Self.write(now.body, message.form, now.kind, &json)
        if now.isRecalled || now.isDeletedForAll {
            json.key(now.isDeletedForAll ? "deletedForAll" : "recalled")
            json.boolean(true)
        }
        if now.editCount > 0 {
            json.key("edits")
            json.integer(now.editCount)
        }
        if !message.former.isEmpty {
            json.key("former")
            json.beginArray()
            for version in message.former { Self.write(version, now.kind, &json) }
            json.endArray()
        }
        if message.formerLeftOut > 0 {
            json.key("formerLeftOut")
            json.integer(message.formerLeftOut)
        }
        if !files.isEmpty {
            json.key("files")
            json.beginArray()
            for file in files { Self.write(file, &json) }
            json.endArray()
        }
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// A file of the one person.
    static func bytes(of file: ExportedFile) -> [UInt8] {
        var json = JSONWriter()
        Self.write(file, &json)
        return json.bytes + [UInt8(ascii: "\n")]
    }

    private static func write(_ version: AdminExportVersion, _ kind: MessageKind, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("number")
        json.integer(version.version.number)
        json.key("editor")
        json.string(version.version.editor)
        json.key("time")
        json.string(ExportTime.utc(version.version.atMilliseconds))
        Self.write(version.version.body, version.form, kind, &json)
        json.endObject()
    }

    /// Form and readable text of a body, and the body itself: as text when it is UTF-8, else in base64.
    private static func write(
        _ body: [UInt8], _ form: AdminBodyForm, _ kind: MessageKind, _ json: inout JSONWriter
    ) {
        let content = Content(of: form.content(body, kind: kind))
        json.key("form")
        json.string(content.shownForm.rawValue)
        // The text of a line of the server is a template for names.
        let isTemplate = if case .systemMessage = content.form { true } else { false }
        if let text = isTemplate ? content.readableText : content.text ?? content.readableText {
            json.key("text")
            json.string(text)
        }
        if let text = String(validating: body, as: UTF8.self) {
            json.key("body")
            json.string(text)
        } else {
            json.key("bodyBase64")
            json.base64(of: body)
        }
    }

    private static func write(_ file: ExportedFile, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("key")
        json.string(file.file.key.text)
        json.key("name")
        json.string(file.file.name)
        json.key("mediaType")
        json.string(file.file.mediaType)
        json.key("bytes")
        json.integer(file.file.bytes)
        json.key("sha256")
        json.string(file.file.hash)
        json.key(file.path == nil ? "missing" : "path")
        if let path = file.path { json.string(path) } else { json.boolean(true) }
        json.endObject()
    }
}

/// Times of an export.
enum ExportTime {
    /// A time for programs: `2026-11-21T00:15:00.123Z`.
    static func utc(_ milliseconds: Int64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        var seconds = time_t(rest < 0 ? whole - 1 : whole)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return String(milliseconds) }
        let thousandths = String(1000 + (rest < 0 ? rest + 1000 : rest)).dropFirst()
        return "\(Self.written(&parts, "%Y-%m-%dT%H:%M:%S")).\(thousandths)Z"
    }

    /// A time for people in the zone of the operator: `2026-11-21 08:15:00 +0800`.
    static func zoned(_ milliseconds: Int64) -> String { Self.local(milliseconds, "%Y-%m-%d %H:%M:%S %z") }

    /// The day of a time in the zone of the operator: `2026-11-21`.
    static func day(_ milliseconds: Int64) -> String { Self.local(milliseconds, "%Y-%m-%d") }

    /// The zone of the operator: `+0800`.
    static func zone(_ milliseconds: Int64) -> String { Self.local(milliseconds, "%z") }

    private static func local(_ milliseconds: Int64, _ form: String) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return String(milliseconds) }
        return Self.written(&parts, form)
    }

    private static func written(_ parts: inout tm, _ form: String) -> String {
        let shown = [CChar](unsafeUninitializedCapacity: 64) { room, count in
            // SAFETY: `strftime` writes at most `room.count` bytes and returns how many, its zero not counted.
            count = strftime(room.baseAddress!, room.count, form, &parts)
        }
        return String(decoding: shown.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
