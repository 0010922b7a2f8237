package import ByteCodec

/// Why an operator's own texts cannot be used.
package enum LocalizationError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(path: String, systemError: String)
    case tooLarge(path: String, maximumBytes: Int)
    case notJSON(path: String, JSONError)
    /// The file is JSON, not an object whose values are all strings.
    case notTexts(path: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let systemError):
            "cannot read the texts in \(path): \(systemError)"
        case .tooLarge(let path, let maximumBytes):
            "the texts in \(path) are larger than \(maximumBytes) bytes: keep only the keys that differ"
        case .notJSON(let path, let error):
            "the texts in \(path) are not JSON: \(error)"
        case .notTexts(let path):
            "\(path) must be one JSON object whose values are all strings: {\"key\": \"text\"}"
        }
    }
}
