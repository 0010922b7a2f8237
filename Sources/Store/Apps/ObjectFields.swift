import ByteCodec
import ChatModel

/// Columns of a conversation's row that an app may change.
struct ObjectFields: Equatable {
    var title: String?
    /// Attributes, a JSON object; `nil` when there are none.
    var attributes: JSONValue?
    /// The app's own, without name and attributes.
    var fields: [JSONValue.Member]

    init(title: String?, attributes: JSONValue?, fields: [JSONValue.Member]) {
        self.title = title
        self.attributes = attributes
        self.fields = fields
    }

    /// - Throws: `invalid` for a name that is no text, and attributes that are no object.
    init(_ row: JSONValue) throws(StoreError) {
        var title: String?
        var attributes: JSONValue?
        var fields: [JSONValue.Member] = []
        for member in row.object ?? [] {
            switch member.name {
            case "name":
                guard member.value.isNull || member.value.string != nil else { throw .invalid("name is no text") }
                title = member.value.string
            case "attr":
                guard member.value.isNull || member.value.object != nil else { throw .invalid("attr is no object") }
                attributes = member.value.object?.isEmpty == false ? member.value : nil
            default: fields.append(member)
            }
        }
        self.init(title: title?.isEmpty == true ? nil : title, attributes: attributes, fields: fields)
    }

    /// As apps see it.
    var row: JSONValue {
        var members: [JSONValue.Member] = []
        if let title = self.title { members.append(JSONValue.Member("name", .string(title))) }
        if let attributes = self.attributes { members.append(JSONValue.Member("attr", attributes)) }
        return .object(members + self.fields)
    }

    func attributesText() throws(StoreError) -> String? {
        try self.attributes.map { value throws(StoreError) in
            try Self.text(value, ConversationBounds.attributesBytes, "attributes")
        }
    }

    func fieldsText() throws(StoreError) -> String? {
        self.fields.isEmpty ? nil : try Self.text(.object(self.fields), ObjectBounds.fieldsBytes, "fields")
    }

    private static func text(_ value: JSONValue, _ bound: Int, _ what: String) throws(StoreError) -> String {
        let text = value.serialized()
        guard text.count <= bound else {
            throw .invalid("the \(what) have at most \(bound) bytes, not \(text.count)")
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Connection {
    /// Reads the fields of an existing conversation.
    func objectFields(of id: ConversationID) throws(StoreError) -> ObjectFields {
        let found = try self.first("SELECT title, attributes, fields FROM conversation WHERE id = ?", id) {
            row throws(StoreError) in
            ObjectFields(
                title: row.optionalText(0), attributes: row.optionalText(1).flatMap { try? JSONValue(parsing: $0) },
                fields: row.optionalText(2).flatMap { try? JSONValue(parsing: $0) }?.object ?? [])
        }
        guard let found else { throw .notFound("conversation number \(id.rawValue)") }
        return found
    }
}
