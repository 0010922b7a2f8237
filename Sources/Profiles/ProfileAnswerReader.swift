import ByteCodec
import ChatModel

/// Reads what another user system answered. Pure. Nothing in it is trusted: names that nobody asked for are passed over,
/// and a field that could not be set here counts as not said.
struct ProfileAnswerReader {
    private let fields: ProfileFieldNames
    private let asked: Set<UserName>
    /// For people without a time of their own.
    private let ttlMilliseconds: Int64?

    /// - Parameter cacheControl: the field of the response's head.
    init(_ fields: ProfileFieldNames, asked: Set<UserName>, cacheControl: String? = nil) {
        self.fields = fields
        self.asked = asked
        self.ttlMilliseconds = cacheControl.flatMap(Self.maximumAge)
    }

    /// - Throws: `badAnswer` for what is no list of people.
    func read(_ body: [UInt8]) throws(ProfileProviderError) -> [FetchedProfile] {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: body)
        } catch {
            throw .badAnswer("it is no JSON: \(error)")
        }
        guard let people = value.array ?? value[self.fields.list]?.array else {
            throw .badAnswer("it is neither an array of people nor an object with one under \"\(self.fields.list)\"")
        }
        var read: [FetchedProfile] = []
        var seen: Set<UserName> = []
        for person in people {
            guard person.object != nil else { throw .badAnswer("a person in it is no object") }
            guard let name = self.text(person, self.fields.id).flatMap(UserName.init), self.asked.contains(name),
                seen.insert(name).inserted
            else { continue }
            read.append(self.profile(name, person))
        }
        return read
    }

    private func profile(_ name: UserName, _ person: JSONValue) -> FetchedProfile {
        let displayName = self.text(person, self.fields.displayName).flatMap { text in
            let isName = text.unicodeScalars.count <= PeopleLimits.nameScalars && Self.isVisible(text)
            return isName ? text : nil
        }
        let externalID = self.text(person, self.fields.externalID).flatMap { text in
            text.utf8.count <= PeopleLimits.externalIDBytes && Self.isVisible(text) ? text : nil
        }
        let attributes = person[self.fields.attributes].flatMap { value -> [UInt8]? in
            guard value.object != nil else { return nil }
            let text = value.serialized()
            return text.count <= PeopleLimits.profileBytes ? text : nil
        }
        return FetchedProfile(
            name: name, externalID: externalID, displayName: displayName,
            picture: Picture(
                full: self.address(person, self.fields.avatar), small: self.address(person, self.fields.avatarSmall)),
            attributes: attributes, ttlMilliseconds: self.ttl(person) ?? self.ttlMilliseconds)
    }

    /// A text that is not empty; a number counts as its digits, for systems whose ids are numbers.
    private func text(_ person: JSONValue, _ field: String) -> String? {
        switch person[field] {
        case .string(let text)? where !text.isEmpty: text
        case .integer(let number)?: String(number)
        case .null?, .boolean?, .double?, .string?, .array?, .object?, nil: nil
        }
    }

    /// Where a picture is: an address of the web or a path here. Clients open it, so nothing else gets through.
    private func address(_ person: JSONValue, _ field: String) -> String? {
        guard let text = person[field]?.string, !text.isEmpty, text.utf8.count <= PeopleLimits.avatarBytes,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), Self.isVisible(text)
        else { return nil }
        let isPath = text.hasPrefix("/") && !text.hasPrefix("//")
        let start = text.prefix(8).lowercased()
        return isPath || start.hasPrefix("http://") || start == "https://" ? text : nil
    }

    private func ttl(_ person: JSONValue) -> Int64? {
        guard let seconds = person[self.fields.ttl]?.integer, seconds >= 0 else { return nil }
        return min(seconds, Self.longestSeconds) * 1_000
    }

    private static let longestSeconds: Int64 = 365 * 86_400

    private static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    /// Milliseconds an answer may be kept; `nil` when the field does not say. Source: RFC 9111 section 5.2.2.
    static func maximumAge(_ field: String) -> Int64? {
        let directives = field.lowercased().split(separator: ",").map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
        }
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        let prefix = "max-age="
        guard let age = directives.first(where: { $0.hasPrefix(prefix) }) else { return nil }
        let digits = age.dropFirst(prefix.count).filter { $0 != "\"" }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !digits.isEmpty else { return nil }
        return (Int64(digits).map { min($0, Self.longestSeconds) } ?? Self.longestSeconds) * 1_000
    }
}
