import ByteCodec

/// How clients of our own draw a message of an app's kind: `title`, `fields` (each with `label` and `path`), `picture` and
/// `link`. A path is names of members with dots between them, from the body on.
package enum KindRenderer {
    /// Most bytes of the JSON text.
    package static let maximumBytes = 4_096
    /// Most fields.
    package static let maximumFields = 12
    /// Most Unicode scalars of a path or a label.
    package static let maximumScalars = 200
    private static let paths: Set<String> = ["title", "picture", "link"]

    /// Fault of the text; `nil` when it may be registered. Empty is none.
    package static func problem(_ text: String) -> String? {
        if text.isEmpty { return nil }
        guard text.utf8.count <= self.maximumBytes else { return "renderer: at most \(self.maximumBytes) bytes" }
        guard let members = (try? JSONValue(parsing: text))?.object else { return "renderer: no JSON object" }
        for member in members {
            if self.paths.contains(member.name) {
                guard self.isText(member.value) else { return "renderer: \(member.name) is no path" }
            } else if member.name == "fields" {
                guard let fields = member.value.array, fields.count <= self.maximumFields,
                    fields.allSatisfy(self.isField)
                else { return "renderer: fields are at most \(self.maximumFields) objects with label and path" }
            } else {
                return "renderer: \(member.name) is none of title, fields, picture, link"
            }
        }
        return nil
    }

    private static func isField(_ value: JSONValue) -> Bool {
        guard let members = value.object, members.count == 2, let label = value["label"], let path = value["path"]
        else {
            return false
        }
        return self.isText(label) && self.isText(path)
    }

    private static func isText(_ value: JSONValue) -> Bool {
        guard let scalars = value.string?.unicodeScalars, (1...self.maximumScalars).contains(scalars.count) else {
            return false
        }
        return !scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
