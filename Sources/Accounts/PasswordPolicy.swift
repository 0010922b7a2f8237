package import ChatModel

/// Rules for passwords, and the cost of their hashes.
package struct PasswordPolicy: Sendable {
    /// Fewest characters (Unicode scalars) of a new password.
    package var minimumCharacters = 10
    /// Memory of one argon2id hash, bytes; two run at once.
    package var memoryBytes = 19 * 1024 * 1024
    /// Passes over that memory.
    package var passes = 2

    /// Most bytes of a password.
    package static let maximumBytes = 256

    package init() {}

    /// Why a new password is not good enough; `nil` when it is.
    package func problem(with password: String, for name: UserName) -> PasswordProblem? {
        guard password.utf8.count <= Self.maximumBytes else { return .tooLong }
        guard !password.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            return .controlCharacter
        }
        guard password.unicodeScalars.count >= self.minimumCharacters else {
            return .tooShort(minimum: self.minimumCharacters)
        }
        let folded = password.lowercased()
        if folded == name.text.lowercased() { return .sameAsName }
        let isOneCharacter = Set(folded.unicodeScalars).count <= 1
        return isOneCharacter || CommonPasswords.contains(folded) ? .tooCommon : nil
    }
}

/// Why a new password was refused.
package enum PasswordProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case tooShort(minimum: Int)
    case tooLong
    case tooCommon
    case sameAsName
    case controlCharacter

    package var description: String {
        switch self {
        case .tooShort(let minimum):
            "the password is too short: take at least \(minimum) characters, a few words will do"
        case .tooLong: "the password is too long: at most \(PasswordPolicy.maximumBytes) bytes"
        case .tooCommon: "the password is one of the first that everybody tries: take another, a few words will do"
        case .sameAsName: "the password is the user's name: take another"
        case .controlCharacter: "the password holds a control character, a line break perhaps: leave it out"
        }
    }
}
