package import ChatModel
import Transport

/// The paths of our own gateways that other modules write into answers and messages.
package enum APIPaths {
    /// Prefix of our own paths.
    package static let prefix = "/api/v1"
    /// Links that need no session.
    package static let linkPrefix = "/f/"

    /// A file, for who has a session.
    package static func file(_ key: FileKey) -> String { "\(Self.prefix)/files/\(key)" }

    /// A file, or a place for one, for whoever has the link.
    package static func link(_ key: FileLinkKey) -> String { "\(Self.linkPrefix)\(key)" }

    /// Whole address of a file for whoever has the link.
    ///
    /// - Parameters:
    ///   - name: of the file; it is there for people, and for programs that go by its ending.
    ///   - base: address of this server, without a slash behind.
    package static func link(_ key: FileLinkKey, name: String, base: String) -> String {
        base + Self.link(key) + (name.isEmpty ? "" : "/" + PercentEncoding.segment(name))
    }

    /// Under which WuKongIM's apps read what they uploaded. Source: TangSengDaoDao server, `GET
    /// /v1/file/preview/*path`.
    package static let previewPrefix = "/v1/file/preview/"

    /// Address of a file for WuKongIM's apps, which they put into the message: they read it under `/v1/`.
    ///
    /// - Parameters:
    ///   - name: of the file; it is there for people and for programs that go by its ending.
    ///   - base: address of this server, for apps of other SDKs too, which know no path to put before; `nil` for the path.
    package static func preview(_ key: FileLinkKey, name: String, base: String? = nil) -> String {
        let path = "file/preview/\(key)/\(PercentEncoding.segment(name))"
        return base.map { "\($0)/v1/\(path)" } ?? path
    }

    /// Where an upload goes on.
    package static func upload(_ key: TransferKey) -> String { "\(Self.prefix)/uploads/\(key)" }
}
