package import ChatModel
package import Localization

/// Word for the kind of team that a text is about. Source: NIMKit, which says 讨论组 for normal teams and 群 for all
/// others.
package enum TeamWord: String, Sendable, CaseIterable {
    case normal
    case advanced
    case large
}

/// Digest of a message where there is room for one line: recent lists, quoted replies, notifications, terminals.
///
/// Every result is one line of at most `maximumCharacters` for the words of people, see `PlainLine`.
package struct MessageDigest: Sendable {
    /// Most characters of a message's words in a digest.
    package static let maximumCharacters = 120
    /// Most characters of a name.
    package static let maximumNameCharacters = 40

    private let texts: Texts
    private let maximum: Int

    /// - Parameter maximum: most characters of the words, at least 1.
    package init(_ texts: Texts, maximum: Int = Self.maximumCharacters) {
        self.texts = texts
        self.maximum = maximum
    }

    /// Content without the sender: the text, `[image]`, `[voice]` …
    ///
    /// - Parameter team: the kind of team it stands in, for the system messages of teams.
    package func line(_ sketch: MessageSketch, in team: TeamWord = .advanced) -> String {
        if let line = sketch.line.map({ PlainLine.of($0, maximum: self.maximum) }), !line.isEmpty { return line }
        return self.line(sketch.form, words: sketch.words, team)
    }

    /// As in a recent list: with the name in front in a group, and without it in a conversation of two and for tips.
    package func line(_ sketch: MessageSketch, from sender: String, isGroup: Bool, in team: TeamWord = .advanced)
        -> String
    {
        let line = self.line(sketch, in: team)
        switch sketch.form {
        case .tip, .teamNotice, .withdrawn, .command: return line
        case .text, .image, .animation, .voice, .video, .location, .card, .file, .forwarded, .sticker, .richText,
            .voiceCall, .videoCall, .encrypted, .custom, .unknown:
            return isGroup ? "\(self.name(sender)) : \(line)" : line
        }
    }

    /// A digest with what stands before it: a draft takes the place of the message, a mention stays in front of it.
    package func listed(_ digest: String, draft: String = "", isMentioned: Bool = false) -> String {
        let draft = PlainLine.of(draft, maximum: self.maximum)
        if !draft.isEmpty { return "\(self.texts("digest.draft")) \(draft)" }
        return isMentioned ? "\(self.texts("digest.mentioned")) \(digest)" : digest
    }

    /// For those who have a line and no picture: what the message is, and its name, length or size.
    package func detailed(_ sketch: MessageSketch) -> String {
        switch sketch.form {
        case .text, .richText, .tip: return self.line(sketch)
        // What is registered says itself what it has to show.
        case .custom where sketch.line != nil: return self.line(sketch)
        case .image, .animation, .voice, .video, .location, .card, .file, .forwarded, .sticker, .voiceCall, .videoCall,
            .teamNotice, .command, .encrypted, .withdrawn, .custom, .unknown:
            break
        }
        var parts = [sketch.form == .teamNotice ? "" : self.line(sketch)]
        parts.append(PlainLine.of(sketch.words, maximum: self.maximum))
        if let seconds = sketch.seconds { parts.append(Amounts.duration(seconds: seconds)) }
        if let bytes = sketch.bytes { parts.append("(\(Amounts.size(bytes: bytes)))") }
        let line = parts.filter { !$0.isEmpty }.joined(separator: " ")
        return line.isEmpty ? self.line(sketch) : line
    }

    /// The line over an answer: `name: [image]`; `nil` when it answers nothing.
    package func quoted(_ sketch: MessageSketch) -> String? {
        guard let quote = sketch.quote else { return nil }
        let line =
            quote.form == .custom || quote.form == .unknown
            ? self.texts("digest.custom") : self.line(quote.form, words: quote.words, .advanced)
        return self.texts("digest.quote", ["name": self.name(quote.sender), "digest": line])
    }

    /// Text of a notification.
    ///
    /// - Parameters:
    ///   - isGroup: a message of a group says so first.
    ///   - callsReader: the reader is mentioned by name or with everyone.
    package func notification(_ sketch: MessageSketch, from sender: String, isGroup: Bool, callsReader: Bool) -> String
    {
        let summary = sketch.summary.map { PlainLine.of($0, maximum: self.maximum) }
        let values = ["name": self.name(sender), "digest": summary ?? self.line(sketch)]
        if isGroup && callsReader {
            return self.texts("notification.group", ["text": self.texts("notification.called", values)])
        }
        let text: String
        switch sketch.form {
        case .image, .animation: text = self.texts("notification.image", values)
        case .voice: text = self.texts("notification.voice", values)
        case .video: text = self.texts("notification.video", values)
        case .location: text = self.texts("notification.location", values)
        case .tip, .teamNotice, .withdrawn, .command: text = self.line(sketch)
        case .text, .card, .file, .forwarded, .sticker, .richText, .voiceCall, .videoCall, .encrypted, .custom,
            .unknown:
            text = self.texts("notification.message", values)
        }
        return isGroup ? self.texts("notification.group", ["text": text]) : text
    }

    /// A name as it is shown in a line; a name with nothing to show gets a word.
    private func name(_ name: String) -> String { shownName(name, self.texts) }

    private func line(_ form: MessageSketch.Form, words: String, _ team: TeamWord) -> String {
        switch form {
        case .text, .tip:
            return PlainLine.of(words, maximum: self.maximum)
        case .richText:
            let line = PlainLine.of(words, maximum: self.maximum)
            return line.isEmpty ? self.texts("digest.richText") : line
        case .custom: return self.texts("digest.unknown")
        case .teamNotice: return self.texts("digest.teamNotice.\(team.rawValue)")
        case .image, .animation, .voice, .video, .location, .card, .file, .forwarded, .sticker, .voiceCall, .videoCall,
            .command, .encrypted, .withdrawn, .unknown:
            return self.texts("digest.\(form.rawValue)")
        }
    }
}

/// A name as it is shown inside a text.
func shownName(_ name: String, _ texts: Texts) -> String {
    let line = PlainLine.of(name, maximum: MessageDigest.maximumNameCharacters)
    return line.isEmpty ? texts("text.nameless") : line
}
