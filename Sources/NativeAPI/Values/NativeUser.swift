import APIKit
package import ByteCodec
import ChatModel
package import Profiles

/// A person as the native API shows them: the one place that writes the value `User`.
package struct NativeUser: Sendable {
    private let info: ProfileInfo
    private let isOnline: Bool?

    /// - Parameter isOnline: `nil` where nobody looked.
    package init(_ info: ProfileInfo, isOnline: Bool? = nil) {
        self.info = info
        self.isOnline = isOnline
    }

    /// Shape of the value.
    static let shape = Shape.object([
        .required("name", .text(1...64), "Id of the person, unique on the server."),
        .required("displayName", .anyText, "Name that the person chose, or the id."),
        .optional("avatar", .anyText, "Address of the picture."),
        .optional("remark", .anyText, "Name that the asker gives the person."),
        .optional("isOnline", .flag), .required("version", .count, "Grows with every change."),
    ])

    /// Writes the value.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("name", self.info.name.text)
        writer.text("displayName", self.info.displayName ?? self.info.name.text)
        writer.text("avatar", self.info.picture.small ?? self.info.picture.full)
        writer.text("remark", self.info.alias)
        writer.flag("isOnline", self.isOnline)
        writer.number("version", self.info.change)
        writer.endObject()
    }
}
