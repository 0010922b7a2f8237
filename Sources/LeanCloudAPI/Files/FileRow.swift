import APIKit
package import ByteCodec
package import ChatModel
import LeanCloudTranslation
import Transport

/// A file as a `_File` object.
package struct FileRow: Sendable {
    /// How clients reach this server: as the operator says, else by the name that this one asked for. That is one of
    /// this server's names or addresses, for others are refused with 421.
    let base: String
    /// The same as this client has just reached it.
    private let asked: String

    /// Bucket name that apps show for a file; they only show it.
    static let bucket = "teahouse"

    init(_ call: AppCall) {
        let asked = call.request.serverAddress
        self.base = call.services.messageAddress(asked: asked) ?? ""
        self.asked = asked ?? self.base
    }

    /// - Parameter address: how apps reach this server, `https://chat.example.com`, without a slash behind.
    package init(address: String) {
        self.base = address
        self.asked = address
    }

    /// Where the content is brought to: the server as this client has just reached it, whichever of its networks it is
    /// in.
    func uploadURL(_ file: AppFile) -> String { self.url(file, at: self.asked) }

    /// Where the file is read, for as long as it is there.
    func url(_ file: AppFile) -> String { self.url(file, at: self.base) }

    private func url(_ file: AppFile, at base: String) -> String {
        switch file.place {
        case .address(let text): return text
        case .link(let key, _): return APIPaths.link(key, name: file.name, base: base)
        }
    }

    /// The type that SDKs are told: never an empty one.
    ///
    /// COMPAT(LeanCloud JavaScript, C#, Flutter): they upload with the type of the answer, or put it into the message,
    /// and fail with an empty one.
    static func shownType(_ file: AppFile) -> String { file.mediaType.isEmpty ? MediaType.unknown : file.mediaType }

    /// Row of a file.
    package func json(_ file: AppFile) -> JSONValue {
        let created = LeanCloudDates.text(file.createdAtMilliseconds)
        var members = [
            JSONValue.Member("objectId", .string(file.objectID.text)), JSONValue.Member("name", .string(file.name)),
            JSONValue.Member("url", .string(self.url(file))),
            JSONValue.Member("mime_type", .string(Self.shownType(file))),
            JSONValue.Member(
                "metaData", file.metadata.flatMap { try? JSONValue(parsing: $0) } ?? .object([])),
            JSONValue.Member("createdAt", .string(created)), JSONValue.Member("updatedAt", .string(created)),
        ]
        if case .link(let key, _) = file.place {
            members.append(JSONValue.Member("bucket", .string(Self.bucket)))
            members.append(JSONValue.Member("key", .string(key.text)))
            members.append(JSONValue.Member("provider", .string(FilesRoutes.provider)))
        }
        return .object(members)
    }
}
