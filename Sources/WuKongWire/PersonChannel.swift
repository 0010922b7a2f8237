import ByteCodec

/// The one channel that two people share, whoever asks.
///
/// On the wire a person channel is named by the other one's UID. WuKongIM stores it, and shows it to business servers,
/// under both UIDs joined by `@`, the one whose UTF-8 has the larger CRC-32 first. UIDs hold no `@` therefore.
/// Source: WuKongIM v2.2.5, `GetFakeChannelIDWith`.
package enum PersonChannel {
    /// Separator of the two user IDs.
    package static let separator: Character = "@"

    /// - Parameters:
    ///   - sender: one of the two.
    ///   - peer: the other one; it stands first when both checksums are equal.
    package static func fakeID(of sender: String, and peer: String) -> String {
        let senderIsFirst = CRC32.checksum(of: sender.utf8) > CRC32.checksum(of: peer.utf8)
        let (first, second) = senderIsFirst ? (sender, peer) : (peer, sender)
        return "\(first)\(Self.separator)\(second)"
    }
}
