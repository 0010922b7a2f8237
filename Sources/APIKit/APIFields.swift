package import ByteCodec

/// Reads the members of one JSON object. What is there must have the right type; `null` is the same as not there.
package struct APIFields: Sendable {
    private let value: JSONValue
    /// Where the object stands, for messages: `channels[3].`
    private let place: String

    package init(_ value: JSONValue, at place: String = "") {
        self.value = value
        self.place = place
    }

    private func wrong(_ name: String, _ expected: String) -> APIFailure {
        .bad("\(self.place)\(name) must be \(expected)")
    }

    /// Value of a field; `nil` when it is absent.
    package func member(_ name: String) -> JSONValue? {
        guard let member = self.value[name], !member.isNull else { return nil }
        return member
    }

    /// The members whose names are wanted, in their order.
    package func members(where isWanted: (String) -> Bool) -> [JSONValue.Member] {
        (self.value.object ?? []).filter { isWanted($0.name) }
    }

    // MARK: Texts

    /// Text of a field, or `nil` when it is absent. Throws for another kind.
    package func optionalText(_ name: String) throws(APIFailure) -> String? {
        guard let member = self.member(name) else { return nil }
        guard let text = member.string else { throw self.wrong(name, "a text") }
        return text
    }

    /// A text that is not empty.
    package func text(_ name: String) throws(APIFailure) -> String {
        guard let text = try self.optionalText(name), !text.isEmpty else {
            throw .bad("\(self.place)\(name) is missing")
        }
        return text
    }

    /// Texts of an array; an array that is not there is empty.
    package func texts(_ name: String, most limit: Int) throws(APIFailure) -> [String] {
        try self.elements(name, most: limit) { (element, place) throws(APIFailure) in
            guard let text = element.string else { throw .bad("\(place) must be a text") }
            return text
        }
    }

    // MARK: Numbers

    /// Integer of a field, or `nil` when it is absent. Throws for another kind.
    package func optionalInteger(_ name: String) throws(APIFailure) -> Int64? {
        guard let member = self.member(name) else { return nil }
        guard let number = member.integer else { throw self.wrong(name, "a whole number") }
        return number
    }

    /// Integer of a field, or `otherwise` when it is absent. Throws for another kind.
    package func integer(_ name: String, otherwise: Int64 = 0) throws(APIFailure) -> Int64 {
        try self.optionalInteger(name) ?? otherwise
    }

    /// A number that some clients send as text, because their own numbers are doubles.
    package func largeInteger(_ name: String) throws(APIFailure) -> Int64? {
        guard let member = self.member(name) else { return nil }
        if let number = member.integer { return number }
        guard let number = member.string.flatMap({ Int64($0) }) else { throw self.wrong(name, "a whole number") }
        return number
    }

    /// Integers of a field, none when it is absent. Throws for another kind and for more than `limit`.
    package func integers(_ name: String, most limit: Int) throws(APIFailure) -> [Int64] {
        try self.elements(name, most: limit) { (element, place) throws(APIFailure) in
            guard let number = element.integer ?? element.string.flatMap({ Int64($0) }) else {
                throw .bad("\(place) must be a whole number")
            }
            return number
        }
    }

    /// WuKongIM writes switches as 0 and 1; `true` and `false` are understood too.
    package func optionalSwitch(_ name: String) throws(APIFailure) -> Bool? {
        guard let member = self.member(name) else { return nil }
        if let flag = member.boolean { return flag }
        guard let number = member.integer, number == 0 || number == 1 else { throw self.wrong(name, "0 or 1") }
        return number == 1
    }

    /// True when a switch is on; off when it is absent. Throws for another kind.
    package func isOn(_ name: String) throws(APIFailure) -> Bool { try self.optionalSwitch(name) ?? false }

    // MARK: Objects and arrays

    /// Object of a field, or `nil` when it is absent. Throws for another kind.
    package func object(_ name: String) throws(APIFailure) -> APIFields? {
        guard let member = self.member(name) else { return nil }
        guard member.object != nil else { throw self.wrong(name, "an object") }
        return APIFields(member, at: "\(self.place)\(name).")
    }

    /// Objects of an array; an array that is not there is empty.
    package func objects(_ name: String, most limit: Int) throws(APIFailure) -> [APIFields] {
        try self.elements(name, most: limit) { (element, place) throws(APIFailure) in
            guard element.object != nil else { throw .bad("\(place) must be an object") }
            return APIFields(element, at: "\(place).")
        }
    }

    private func elements<Element>(
        _ name: String, most limit: Int, _ read: (JSONValue, String) throws(APIFailure) -> Element
    ) throws(APIFailure) -> [Element] {
        guard let member = self.member(name) else { return [] }
        guard let array = member.array else { throw self.wrong(name, "an array") }
        guard array.count <= limit else { throw .bad("\(self.place)\(name) has more than \(limit) elements") }
        var elements: [Element] = []
        elements.reserveCapacity(array.count)
        for (index, element) in array.enumerated() {
            elements.append(try read(element, "\(self.place)\(name)[\(index)]"))
        }
        return elements
    }

    /// Standard base64.
    package func base64(_ name: String) throws(APIFailure) -> [UInt8] {
        guard let bytes = Base64.decode(Array(try self.text(name).utf8)) else { throw self.wrong(name, "base64") }
        return bytes
    }
}
