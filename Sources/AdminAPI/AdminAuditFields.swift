import ByteCodec
package import ChatModel

/// One field of a changed object, before and after the change.
package struct AdminAuditField: Equatable, Sendable {
    /// Name of the field; a dot separates nested names: `modes.join`.
    package var name: String
    /// Value before; `nil` for a field that did not exist.
    package var before: String?
    /// Value after; `nil` for a field that was removed.
    package var after: String?

    package init(name: String, before: String?, after: String?) {
        self.name = name
        self.before = before
        self.after = after
    }

    /// True when the two values differ.
    package var hasChanged: Bool { self.before != self.after }
}

extension AuditEntry {
    /// Fields of the changed object, sorted by name, with those that did not change.
    package var fields: [AdminAuditField] {
        let (before, after) = (Self.fields(of: self.before), Self.fields(of: self.after))
        return Set(before.keys).union(after.keys).sorted().map {
            AdminAuditField(name: $0, before: before[$0], after: after[$0])
        }
    }

    private static func fields(of json: String?) -> [String: String] {
        guard let json, let value = try? JSONValue(parsing: Array(json.utf8)) else { return [:] }
        var fields: [String: String] = [:]
        Self.add(value, under: "", to: &fields)
        return fields
    }

    private static func add(_ value: JSONValue, under name: String, to fields: inout [String: String]) {
        switch value {
        case .object(let members):
            for member in members {
                Self.add(member.value, under: name.isEmpty ? member.name : "\(name).\(member.name)", to: &fields)
            }
        case .string(let text): fields[name] = text
        case .null, .boolean, .integer, .double, .array:
            var writer = JSONWriter()
            value.write(to: &writer)
            fields[name] = String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}

extension AuditActor {
    /// Name that the operator gave, with the user ID that their process ran as.
    package var shownName: String { self.name.map { "\($0) (\(self.uid))" } ?? String(self.uid) }
}
