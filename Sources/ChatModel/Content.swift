/// Kind of content that clients offer to send, by its word in the native API and in settings.
package enum ContentKind: String, Hashable, Sendable, CaseIterable {
    case text
    case picture
    case voice
    case video
    case file
    case place
    case card
}

/// Content of a message in no protocol's words: the form between two of them.
///
/// Each protocol has one function that reads its bodies into a `Content` and one that writes a `Content` as a body (module
/// `ContentTranslation`), so none knows another. Clients of the protocol that a message came from get its bytes back
/// unchanged; for them no `Content` is made.
///
/// A value of the wrong type or outside its bounds is absent, never an error. Texts are as long as the body allows.
package struct Content: Hashable, Sendable {
    /// Kind of content, with what belongs to this kind alone.
    package enum Form: Hashable, Sendable {
        /// The text is `Content.text`.
        case text
        /// Text with formatting or pictures in it, of which only the text is known here.
        case richText
        case picture(FileContent)
        /// A picture that moves.
        case animation(FileContent)
        case voice(FileContent)
        case video(FileContent)
        case file(FileContent)
        case sticker(FileContent)
        case place(PlaceContent)
        case card(CardContent)
        /// Several messages of another conversation in one; at most `maximumForwarded`.
        case forwarded([ForwardedContent])
        /// End of a call.
        case call(CallContent)
        /// A line about the conversation that nobody said. `Content.text` is its template.
        case systemMessage(SystemMessageContent)
        /// For apps, not for people. No protocol may write one that came from another: only servers send commands.
        case command(name: String?)
        case custom(CustomContent)
        /// Recalled or deleted for everyone.
        case withdrawn
        /// Readable on the devices of its people alone.
        case encrypted
        /// Neither a number nor a shape that is known; `Content.text` has what can be read of it all the same.
        case unreadable
    }

    /// Kinds of content in it that `SessionSetting.allowedKinds` names; of forwarded messages the kinds of all of them.
    /// Kinds of apps, and what only servers say or only devices can read, have none.
    package var kinds: Set<ContentKind> {
        switch self.form {
        case .text: [.text]
        case .richText: [.text, .picture]
        case .picture, .animation, .sticker: [.picture]
        case .voice: [.voice]
        case .video: [.video]
        case .file: [.file]
        case .place: [.place]
        case .card: [.card]
        case .forwarded(let messages): messages.reduce(into: []) { $0.formUnion($1.content.kinds) }
        case .call, .systemMessage, .command, .custom, .withdrawn, .encrypted, .unreadable: []
        }
    }

    /// Most messages in one forwarded message; those that follow are passed over.
    package static let maximumForwarded = 100
    /// Most levels of forwarded messages in each other; what lies deeper is `unreadable`.
    package static let maximumForwardedDepth = 3
    /// Most people that a message calls by name; those that follow are passed over.
    package static let maximumMentions = 500

    package var form: Form
    /// Text, caption or template, as the sender wrote it.
    package var text: String?
    package var mentions: Mentions
    /// The message that this one answers.
    package var reply: ReplyContent?

    package init(
        _ form: Form, text: String? = nil, mentions: Mentions = .none, reply: ReplyContent? = nil
    ) {
        self.form = form
        self.text = text
        self.mentions = mentions
        self.reply = reply
    }
}

/// A file that a message shows, plays or offers.
package struct FileContent: Hashable, Sendable {
    /// Largest width and height, pixels.
    package static let maximumPixels = Int64(Int32.max)
    /// Longest playing time, seconds.
    package static let maximumSeconds = 1_000_000_000.0

    package let url: String?
    package let name: String?
    /// 0 or more.
    package let bytes: Int64?
    /// Pixels, 0...`maximumPixels`.
    package let width: Int64?
    /// Pixels, 0...`maximumPixels`.
    package let height: Int64?
    /// Playing time, seconds, 0...`maximumSeconds`.
    package let seconds: Double?

    /// Makes a file of which values outside their bounds are absent.
    package init(
        url: String? = nil, name: String? = nil, bytes: Int64? = nil, width: Int64? = nil, height: Int64? = nil,
        seconds: Double? = nil
    ) {
        self.url = url
        self.name = name
        self.bytes = Self.bounded(bytes, Int64.max)
        self.width = Self.bounded(width, Self.maximumPixels)
        self.height = Self.bounded(height, Self.maximumPixels)
        self.seconds = Self.bounded(seconds, Self.maximumSeconds)
    }

    private static func bounded<Number: Comparable & ExpressibleByIntegerLiteral>(
        _ value: Number?, _ maximum: Number
    ) -> Number? {
        value.flatMap { $0 >= 0 && $0 <= maximum ? $0 : nil }
    }
}

/// A place on Earth.
package struct PlaceContent: Hashable, Sendable {
    /// Degrees; finite, as the sender wrote them.
    package var latitude: Double?
    package var longitude: Double?
    package var title: String?
    package var address: String?

    package init(
        latitude: Double? = nil, longitude: Double? = nil, title: String? = nil, address: String? = nil
    ) {
        self.latitude = latitude.flatMap { $0.isFinite ? $0 : nil }
        self.longitude = longitude.flatMap { $0.isFinite ? $0 : nil }
        self.title = title
        self.address = address
    }
}

/// Somebody's name card.
package struct CardContent: Hashable, Sendable {
    /// User name of the person on the card, as it stands in the body.
    package var user: String?
    package var name: String?

    package init(user: String? = nil, name: String? = nil) {
        self.user = user
        self.name = name
    }
}

/// The end of a voice or video call.
package struct CallContent: Hashable, Sendable {
    package var isVideo: Bool
    /// Seconds, 0...`FileContent.maximumSeconds`.
    package var seconds: Double?

    package init(isVideo: Bool = false, seconds: Double? = nil) {
        self.isVideo = isVideo
        self.seconds = FileContent(seconds: seconds).seconds
    }
}

/// People of a system message, and what it is about.
package struct SystemMessageContent: Hashable, Sendable {
    /// Shown names that stand for `{0}`, `{1}` … of the template.
    package var people: [String]
    /// Members, name or rules of a team have changed.
    package var isAboutTeam: Bool

    package init(people: [String] = [], isAboutTeam: Bool = false) {
        self.people = people
        self.isAboutTeam = isAboutTeam
    }
}

/// One message inside a forwarded one.
package struct ForwardedContent: Hashable, Sendable {
    /// User name of the sender, as it stands in the body.
    package var sender: String?
    /// Shown name of the sender.
    package var senderName: String?
    /// UTC seconds, 0 or more.
    package var sentAtSeconds: Int64?
    package var content: Content

    package init(
        sender: String? = nil, senderName: String? = nil, sentAtSeconds: Int64? = nil, content: Content
    ) {
        self.sender = sender
        self.senderName = senderName
        self.sentAtSeconds = sentAtSeconds.flatMap { $0 >= 0 ? $0 : nil }
        self.content = content
    }
}

/// The message that another one answers, as the answer tells it.
package struct ReplyContent: Hashable, Sendable {
    /// `nil` when the answer does not name it.
    package var message: MessageID?
    /// User name of the sender, as it stands in the body.
    package var sender: String?
    /// Shown name of the sender.
    package var senderName: String?
    package var form: MessageSketch.Form
    /// At most `MessageSketch.maximumWordBytes`.
    package var words: String

    package init(
        message: MessageID? = nil, sender: String? = nil, senderName: String? = nil, form: MessageSketch.Form,
        words: String
    ) {
        self.message = message
        self.sender = sender
        self.senderName = senderName
        self.form = form
        self.words = words
    }
}
