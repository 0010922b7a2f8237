/// A message of an app's own kind: the kind, the body as it was sent, its fields, and what can be read without knowing it.
package struct CustomContent: Hashable, Sendable {
    /// One named value of the body.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: Value

        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// Value of a field, as far as registered kinds ask for it.
    package enum Value: Hashable, Sendable {
        case null
        case text(String)
        case integer(Int64)
        case number(Double)
        /// A switch, a list or an object.
        case other
    }

    /// The app's number, above 0; 0 or less where a body has none that its protocol can tell.
    package var kind: MessageKind
    /// The number means the same in every protocol: the operator chose it.
    package var isShared: Bool
    /// The protocol whose words `body` is in.
    package var wire: WireFormat
    package var body: [UInt8]
    /// Fields by name, the first of a name counts; `nil` when the body is no object.
    package var fields: [Field]?
    /// The sender's text for apps that do not know the kind.
    package var degrade: String?
    /// The sender's name of the kind, for lists.
    package var title: String?
    /// The sender's text for notifications.
    package var summary: String?
    /// The sender's text in the place where all messages of the protocol have theirs; also `Content.text`.
    package var text: String?

    package init(
        kind: MessageKind, isShared: Bool = false, wire: WireFormat, body: [UInt8], fields: [Field]?,
        text: String? = nil, degrade: String? = nil, title: String? = nil, summary: String? = nil
    ) {
        self.kind = kind
        self.isShared = isShared
        self.wire = wire
        self.body = body
        self.fields = fields
        self.text = text
        self.degrade = degrade
        self.title = title
        self.summary = summary
    }

    package subscript(_ name: String) -> Value? { self.fields?.first { $0.name == name }?.value }

    /// Words to show where nothing is known of the kind; `nil` when the message has none. Source of the order: ChatKit-OC,
    /// custom messages.
    package var fallback: String? {
        [self.degrade, self.summary, self.text, self.title.map { $0.isEmpty ? "" : "[\($0)]" }]
            .lazy.compactMap { $0 }.first { !$0.isEmpty }
    }
}

/// Contents of registered kinds.
extension CustomContent {
    /// Reason why the content cannot be read as this kind; `nil` when it can.
    package func problem(as entry: MessageKindEntry) -> KindProblem? {
        guard self.fields != nil else { return .noObject }
        if case .integer(let version)? = self["version"], version > entry.version { return .newerVersion(version) }
        return entry.requiredFields.first { (self[$0] ?? .null) == .null }.map { .missing($0) }
    }

    /// The entry with what the sender says in place of its texts.
    package func worded(_ entry: MessageKindEntry) -> MessageKindEntry {
        var entry = entry
        let text = { (text: String?) in text.flatMap { $0.isEmpty ? nil : MessageSketch.bounded($0) } }
        if let degrade = text(self.degrade) { entry.degrade = degrade }
        if let title = text(self.title) { entry.typeTitle = title }
        if let summary = text(self.summary) { entry.summary = summary }
        return entry
    }

    /// Line that lists show of the content: the digest, `[title]`, or the text for what cannot be read.
    ///
    /// - Parameter entry: as `worded` gives it.
    package func line(as entry: MessageKindEntry) -> String {
        if entry.isDisabled || self.problem(as: entry) != nil { return entry.degrade }
        return entry.digest.isEmpty ? "[\(entry.typeTitle)]" : MessageSketch.bounded(self.filled(entry.digest))
    }

    /// A template with the fields in the places of `{field}`; of `{one|other}` the first that is there. What is not there,
    /// or is no text or number, leaves nothing. What looks like a place inside a field stays text.
    private func filled(_ template: String) -> String {
        var result = ""
        var rest = Substring(template)
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}") else { break }
            let names = rest[rest.index(after: open)..<close].split(separator: "|")
            result += names.lazy.compactMap { Self.words(of: self[String($0)]) }.first ?? ""
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// Words of a field in a digest; `nil` for what has none.
    private static func words(of value: Value?) -> String? {
        switch value {
        case .text(let text): text.isEmpty ? nil : MessageSketch.bounded(text)
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .null, .other, nil: nil
        }
    }
}
