import ChatModel

/// The secret text a device signs in with.
///
/// Either made here, 256 random bits, or chosen by an app's own server. Only `hash` is ever stored, and the text has no
/// printable form here, so that it cannot slip into a log.
package struct SignInToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The token itself: for the one reply that hands it out.
    package let text: String

    /// Most bytes of a token that an app chooses.
    package static let maximumBytes = 256
    /// How the tokens made here begin: whoever finds one in a file knows what it is.
    package static let prefix = "tea_"
    /// Random bytes in a token made here.
    static let randomBytes = 32

    /// - Returns: `nil` unless `text` has 1...256 bytes.
    package init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    private init(made text: String) { self.text = text }

    /// A new token: the prefix and 43 characters of base64url.
    package static func random() -> SignInToken {
        SignInToken(made: Self.prefix + Sodium.base64(Sodium.randomBytes(Self.randomBytes)))
    }

    /// Hash that the store keeps: BLAKE2b-256 of a fixed word, the person's name, the device class and the token, with
    /// zero bytes between them.
    ///
    /// Names and classes hold no zero byte, so two different triples never share an input. Apps may give two people, or
    /// two devices of one person, the same token: each still has a row of its own.
    func hash(for user: UserName, class deviceClass: DeviceClass) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(512)
        for part in ["teahouse sign-in token", user.text, deviceClass.name] {
            input.append(contentsOf: part.utf8)
            input.append(0)
        }
        input.append(contentsOf: self.text.utf8)
        return Sodium.hash(input)
    }

    /// Hash that finds the person when the token comes alone: BLAKE2b-256 of a fixed word and the token, under a key
    /// that only this server has. Two people who were given the same text have the same one.
    func bareHash(key: [UInt8]) -> [UInt8] {
        Sodium.hash(Array("teahouse token alone".utf8) + [0] + Array(self.text.utf8), key: key)
    }

    package var description: String { "(a token)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension DeviceClass {
    /// The classes a token is looked for in when the asker does not say.
    static let usual: [DeviceClass] = [.app, .web, .desktop]
}
