package import ByteCodec
package import ChatModel
import Store

/// An announcement of the operator as one person has it: the one place that writes the value `Notice`.
package struct NativeNotice: Sendable {
    private let notice: Announcement
    private let confirmedAtMilliseconds: Int64?

    /// - Parameter confirmedAtMilliseconds: `nil` for one that the person has not confirmed.
    package init(_ notice: Announcement, confirmedAtMilliseconds: Int64?) {
        self.notice = notice
        self.confirmedAtMilliseconds = confirmedAtMilliseconds
    }

    /// Identifier, also the cursor after it.
    var id: String { String(self.notice.number) }

    /// Shape of the value.
    static let shape = Shape.object([
        .required("id", .text(1...18, .digits)), .optional("title", .anyText), .required("body", .anyText),
        .required("from", .anyText, "Name of the server's own account."), .required("time", .count),
        .required("needsConfirmation", .flag), .optional("confirmedAt", .count),
    ])

    /// Writes the value.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("id", self.id)
        writer.text("title", self.notice.title.isEmpty ? nil : self.notice.title)
        writer.text("body", self.notice.body)
        writer.text("from", systemUserName.text)
        writer.number("time", self.notice.createdAtMilliseconds)
        writer.flag("needsConfirmation", self.confirmedAtMilliseconds == nil)
        writer.number("confirmedAt", self.confirmedAtMilliseconds)
        writer.endObject()
    }
}
