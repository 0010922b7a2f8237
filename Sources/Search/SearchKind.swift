package import ChatModel
import ContentTranslation

/// The kinds of messages that a search can ask for; the numbers are stored in the index.
package enum SearchKind: UInt8, CaseIterable, Sendable {
    case text = 1
    case picture = 2
    case voice = 3
    case video = 4
    case file = 5
    case place = 6
    case card = 7
    case forwarded = 8
    case call = 9
    case custom = 10

    /// The word for it in queries of the native API and of operators.
    package var name: String {
        switch self {
        case .text: "text"
        case .picture: "picture"
        case .voice: "voice"
        case .video: "video"
        case .file: "file"
        case .place: "place"
        case .card: "card"
        case .forwarded: "forwarded"
        case .call: "call"
        case .custom: "custom"
        }
    }

    /// Finds a kind by its word.
    package init?(named name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}

/// The part of a message that can be found.
package struct SearchableText: Hashable, Sendable {
    /// Kind of the message that the text is of.
    package var kind: SearchKind
    /// The texts that people read, one a line: text or caption, name of a file, title and address of a place, name on a card,
    /// what forwarded messages say.
    package var text: String

    /// Characters taken of one message.
    static let maximumTextBytes = 65_536

    /// Reads a message; `nil` for one that no search finds: recalled, encrypted, for apps alone, or a line that nobody said.
    package init?(of content: MessageContent) {
        guard content.flags.isDisjoint(with: [.withdrawn, .endToEndEncrypted, .standIn, .unseen]) else { return nil }
        self.init(Content(of: content))
    }

    private init?(_ content: Content) {
        var lines = [content.text]
        switch content.form {
        case .text, .richText: self.kind = .text
        case .picture(let file), .animation(let file), .sticker(let file):
            self.kind = .picture
            lines.append(file.name)
        case .voice(let file):
            self.kind = .voice
            lines.append(file.name)
        case .video(let file):
            self.kind = .video
            lines.append(file.name)
        case .file(let file):
            self.kind = .file
            lines.append(file.name)
        case .place(let place):
            self.kind = .place
            lines += [place.title, place.address]
        case .card(let card):
            self.kind = .card
            lines.append(card.name)
        case .forwarded(let items):
            self.kind = .forwarded
            lines += items.map { SearchableText($0.content)?.text }
        case .call: self.kind = .call
        case .custom(let custom):
            self.kind = .custom
            if content.text == nil { lines.append(custom.text) }
        case .systemMessage, .command, .withdrawn, .encrypted, .unreadable: return nil
        }
        var text = ""
        for line in lines.compactMap({ $0 }) where !line.isEmpty && text.utf8.count < Self.maximumTextBytes {
            if !text.isEmpty { text += "\n" }
            text += line
        }
        self.text = text
    }
}
