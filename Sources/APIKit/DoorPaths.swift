package import ChatModel

/// The paths of our own doors that other modules write into answers and messages.
package enum DoorPaths {
    package static let prefix = "/api/v1"
    /// Links that need no session.
    package static let linkPrefix = "/f/"

    /// A file, for who has a session.
    package static func file(_ key: FileKey) -> String { "\(Self.prefix)/files/\(key)" }

    /// A file, or a place for one, for whoever has the link.
    package static func link(_ key: FileLinkKey) -> String { "\(Self.linkPrefix)\(key)" }

    /// Where an upload goes on.
    package static func upload(_ key: TransferKey) -> String { "\(Self.prefix)/uploads/\(key)" }
}
