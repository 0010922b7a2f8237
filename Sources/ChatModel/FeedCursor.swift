/// Place in the events feed of our own API up to which a client knows everything.
///
/// The text is opaque to clients: epoch and position in base 36 with a hyphen between them, at most 27 bytes. Cursors
/// of one epoch can be compared by their positions; of two epochs they cannot.
package struct FeedCursor: Hashable, Sendable, CustomStringConvertible {
    /// Database that the position is of, 1 or more; a restored backup has another one.
    package let epoch: Int64
    /// Position in the store's order of messages and events, 0 or more.
    package let position: Int64

    /// - Precondition: `epoch` is at least 1 and `position` at least 0.
    package init(epoch: Int64, position: Int64) {
        precondition(epoch > 0 && position >= 0)
        self.epoch = epoch
        self.position = position
    }

    /// Reads the text of a cursor.
    ///
    /// - Returns: `nil` for anything but the one spelling that `text` gives.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = Int64(parts[0], radix: Self.radix), epoch > 0,
            let position = Int64(parts[1], radix: Self.radix), position >= 0
        else { return nil }
        self.epoch = epoch
        self.position = position
        // Signs, capitals and leading zeros would be second spellings of one cursor.
        guard self.text == text else { return nil }
    }

    /// Text of the cursor, as clients get it.
    package var text: String {
        "\(String(self.epoch, radix: Self.radix))-\(String(self.position, radix: Self.radix))"
    }

    package var description: String { self.text }

    private static let radix = 36
    private static let maximumBytes = 27
}
