/// Sketch of a message for the people who read it, in no language and in no wire's numbers: lists, notifications and
/// terminals show it instead of a body.
package struct MessageSketch: Hashable, Sendable {
    /// The names are written into answers for operators.
    package enum Form: String, Sendable, CaseIterable {
        case text
        case image
        /// A picture that moves.
        case animation
        case voice
        case video
        case location
        /// Somebody's name card.
        case card
        case file
        /// Several messages of another conversation in one.
        case forwarded
        case sticker
        case richText
        case voiceCall
        case videoCall
        /// A line about the conversation that nobody said.
        case tip
        /// Members, name or rules of a team have changed.
        case teamNotice
        /// For apps, not for people.
        case command
        /// Readable on the devices of its people alone.
        case encrypted
        /// Recalled or deleted for everyone.
        case withdrawn
        /// A kind of an app's own, `kind` is its number.
        case custom
        /// Neither a number nor a shape that is known.
        case unknown
    }

    /// The message that this one answers.
    package struct Quote: Hashable, Sendable {
        /// The shown name of who said it; empty when the body does not tell.
        package var sender: String
        /// Form in which the message is shown.
        package var form: Form
        /// As in `MessageSketch`.
        package var words: String

        package init(sender: String, form: Form, words: String) {
            self.sender = sender
            self.form = form
            self.words = words
        }
    }

    /// Most bytes of `words`.
    package static let maximumWordBytes = 8 * 1024

    /// Form in which the message is shown.
    package var form: Form
    /// Kind of the message.
    package var kind: MessageKind
    /// Readable words: the text, a file's name, a place's title, the person on a card. As the sender wrote them, at
    /// most `maximumWordBytes`; empty when there are none.
    package var words: String
    /// Length of what plays, seconds.
    package var seconds: Int64?
    /// Size of a file, bytes.
    package var bytes: Int64?
    /// Quoted message; `nil` for none.
    package var quote: Quote?
    /// Text for lists of a registered kind: `[title]`, a digest, or the text for what cannot be read.
    package var line: String?
    /// Text for notifications of a registered kind that can be read.
    package var summary: String?

    package init(
        _ form: Form, kind: MessageKind = .none, words: String = "", seconds: Int64? = nil, bytes: Int64? = nil,
        quote: Quote? = nil
    ) {
        self.form = form
        self.kind = kind
        self.words = words
        self.seconds = seconds
        self.bytes = bytes
        self.quote = quote
    }
}
