extension MessageSketch {
    /// Makes the sketch of a content.
    ///
    /// - Parameters:
    ///   - kind: the stored kind of the message, which a registered entry is looked up by.
    ///   - kinds: the registered kinds of apps.
    package init(_ content: Content, kind: MessageKind, kinds: MessageKinds = .none) {
        self.init(content.shownForm, kind: kind, words: content.words)
        switch content.form {
        case .voice(let file), .video(let file): self.seconds = Self.whole(file.seconds)
        case .call(let call): self.seconds = Self.whole(call.seconds)
        case .file(let file): self.bytes = file.bytes
        case .custom(let custom):
            if self.form == .custom, let known = kinds[kind] {
                let entry = custom.worded(known)
                let line = custom.line(as: entry)
                self.line = line
                if line != entry.degrade { self.summary = entry.summary }
            }
        case .text, .richText, .picture, .animation, .sticker, .place, .card, .forwarded, .systemMessage, .command,
            .withdrawn, .encrypted, .unreadable:
            break
        }
        self.quote = content.reply.map { reply in
            Quote(
                sender: Self.bounded(reply.senderName ?? reply.sender ?? ""), form: reply.form, words: reply.words)
        }
    }

    /// Whole seconds of something that plays for less than a day.
    private static func whole(_ seconds: Double?) -> Int64? {
        seconds.flatMap { (0..<86_400).contains($0) ? Int64($0) : nil }
    }

    /// At most `maximumWordBytes`, not ending inside a character.
    package static func bounded(_ text: String) -> String {
        guard text.utf8.count > self.maximumWordBytes else { return text }
        var bytes = Array(text.utf8.prefix(self.maximumWordBytes + 1))
        // The first byte that goes is not inside a character: its later bytes are 10xxxxxx.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Content {
    /// The form that lists, notifications and terminals know it by.
    package var shownForm: MessageSketch.Form {
        switch self.form {
        case .text: .text
        case .richText: .richText
        case .picture: .image
        case .animation: .animation
        case .voice: .voice
        case .video: .video
        case .file: .file
        case .sticker: .sticker
        case .place: .location
        case .card: .card
        case .forwarded: .forwarded
        case .call(let call): call.isVideo ? .videoCall : .voiceCall
        case .systemMessage(let line): line.isAboutTeam ? .teamNotice : .tip
        case .command: .command
        // What has no number is read like a text, as far as it says anything.
        case .custom(let custom): custom.kind.rawValue > 0 ? .custom : custom.fallback == nil ? .unknown : .text
        case .withdrawn: .withdrawn
        case .encrypted: .encrypted
        case .unreadable: .unknown
        }
    }

    /// Words that can be read: the text, a file's name, a place's title, whose card it is. At most
    /// `MessageSketch.maximumWordBytes`; empty when there is nothing.
    package var words: String { MessageSketch.bounded(self.readableText ?? "") }

    /// The words at their full length, but those of a system message, which are bounded as in `words`.
    package var readableText: String? {
        switch self.form {
        case .text, .richText, .unreadable: self.text
        case .file(let file): file.name
        case .place(let place): place.title ?? place.address
        case .card(let card): card.name
        case .systemMessage(let line): self.text.map { MessageSketch.bounded(line.filling($0)) }
        case .command(let name): name
        case .custom(let custom): custom.fallback
        case .picture, .animation, .voice, .video, .sticker, .forwarded, .call, .withdrawn, .encrypted: nil
        }
    }
}

extension SystemMessageContent {
    /// A template with its people in their places. What looks like a place inside a name stays text.
    func filling(_ template: String) -> String {
        var result = ""
        var rest = Substring(MessageSketch.bounded(template))
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            let close = digits.endIndex
            if let index = Int(digits), self.people.indices.contains(index), close < rest.endIndex, rest[close] == "}" {
                result += self.people[index]
                rest = rest[rest.index(after: close)...]
            } else {
                result += "{"
                rest = rest.dropFirst()
            }
            if result.utf8.count > MessageSketch.maximumWordBytes { return result }
        }
        return result + rest
    }
}
