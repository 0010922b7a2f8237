import ByteCodec
import ChatModel

// An envelope as it is stored: a JSON object with what is set.
extension MessageEnvelope {
    var stored: String {
        var json = JSONWriter()
        json.beginObject()
        if self.mentionsAll {
            json.key("all")
            json.boolean(true)
        }
        if !self.mentions.isEmpty { Self.write(self.mentions, "mentions", to: &json) }
        if let visibleTo = self.visibleTo { Self.write(visibleTo, "visible", to: &json) }
        if let pushData = self.pushData {
            json.key("push")
            json.string(pushData)
        }
        if let shownID = self.shownID {
            json.key("id")
            json.string(shownID)
        }
        if let shownNumber = self.shownNumber {
            json.key("number")
            json.string(shownNumber)
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func write(_ names: [UserName], _ key: StaticString, to json: inout JSONWriter) {
        json.key(key)
        json.beginArray()
        for name in names { json.string(name.text) }
        json.endArray()
    }

    /// - Throws: `fatal` for what no teahouse writes.
    convenience init(stored: String) throws(StoreError) {
        guard let value = try? JSONValue(parsing: stored), value.object != nil else {
            throw Row.damaged("message envelope")
        }
        self.init(
            mentionsAll: value["all"]?.boolean ?? false, mentions: Self.names(value["mentions"]) ?? [],
            visibleTo: Self.names(value["visible"]), pushData: value["push"]?.string, shownID: value["id"]?.string,
            shownNumber: value["number"]?.string)
    }

    private static func names(_ value: JSONValue?) -> [UserName]? {
        value?.array?.compactMap { $0.string.flatMap(UserName.init) }
    }
}

extension Row {
    func envelope(_ column: Int32) throws(StoreError) -> MessageEnvelope? {
        guard let text = self.optionalText(column) else { return nil }
        return try MessageEnvelope(stored: text)
    }
}
