package import APIKit
package import ByteCodec
package import ChatModel
package import Transfers

enum FileWording {
    /// The header field that names the file an upload has become.
    static let fileField = "Teahouse-File"

    /// Header fields of an answer that pages of any origin may read. Source: the Fetch standard, "CORS protocol".
    static let anyOrigin = [("Access-Control-Allow-Origin", "*")]

    /// Header fields of the answer to a page's preflight before it uploads or reads by a link.
    static let linkOptions =
        anyOrigin + [
            ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT"), ("Access-Control-Max-Age", "86400"),
            (
                "Access-Control-Allow-Headers",
                "Content-Type, Cache-Control, Range, If-None-Match, If-Range, X-Requested-With"
            ),
        ]
}

extension APIFailure {
    /// Answer for a transfer that does not go on.
    ///
    /// Source for the numbers: tus 1.0.0 (409 for a wrong offset, 410 for what is over, 413, 460 for a wrong checksum);
    /// RFC 4918 sections 11.3 and 11.5 for 423 and 507.
    package init(_ error: TransferError) {
        switch error {
        case .notFound: self.init(404, "there is nothing by that name")
        case .refused(let error): self.init(error)
        case .wrongOffset(let offset): self.init(409, "the upload is at offset \(offset)")
        case .busy: self.init(423, "another request is uploading into it", retryAfterSeconds: 1)
        case .overloaded: self.init(503, "too many files are on their way: ask again", retryAfterSeconds: 1)
        case .tooLong(let limit): self.init(413, "more than the \(limit) bytes that may come")
        case .wrongChecksum: self.init(460, "what came does not have the checksum that was announced")
        case .cancelled: self.init(410, "the transfer was cancelled")
        case .over(.succeeded): self.init(409, "the upload is complete")
        case .over: self.init(410, "it is over: begin a new one")
        case .full: self.init(507, "there is no room for more files: the operator has to make some")
        case .damaged: self.init(500, "the content is damaged on the disk of the server: upload it again")
        case .failed: self.init(500, "the disk of the server failed: see its log")
        case .stopping: self.init(503, "the server is stopping: ask again", retryAfterSeconds: 5)
        }
    }
}

extension FileRecord {
    /// A file as our own gateways show it.
    package var json: JSONValue {
        var members = [
            JSONValue.Member("id", .string(self.key.text)),
            JSONValue.Member("url", .string(APIPaths.file(self.key))),
            JSONValue.Member("name", .string(self.name)),
            JSONValue.Member("type", .string(self.mediaType)),
            JSONValue.Member("size", .integer(self.size)),
            JSONValue.Member("owner", .string(self.ownerName.text)),
            JSONValue.Member("created_at", .integer(self.createdAtMilliseconds)),
        ]
        if let hash = self.object?.hash { members.append(JSONValue.Member("sha256", .string(hash.hex))) }
        if let metadata = self.metadata.flatMap({ try? JSONValue(parsing: $0) }) {
            members.append(JSONValue.Member("metadata", metadata))
        }
        return .object(members)
    }
}

extension TransferView {
    /// A transfer as our own gateways show it; also what their events carry.
    package var json: JSONValue {
        let record = self.record
        return .object([
            JSONValue.Member("id", .string(record.key.text)),
            JSONValue.Member("direction", .string(record.direction.word)),
            JSONValue.Member("class", .string(record.transferClass.word)),
            JSONValue.Member("state", .string(record.state.word)),
            JSONValue.Member("file", .string(record.file.text)),
            JSONValue.Member("name", .string(record.fileName)),
            JSONValue.Member("type", .string(record.mediaType)),
            JSONValue.Member("size", record.size.map { .integer($0) } ?? .null),
            JSONValue.Member("offset", .integer(record.offset)),
            JSONValue.Member("bytes_per_second", .integer(self.bytesPerSecond)),
            JSONValue.Member("remaining_seconds", self.remainingSeconds.map { .integer($0) } ?? .null),
            JSONValue.Member("is_live", .boolean(self.isLive)),
            JSONValue.Member("error", record.error.map { .string($0) } ?? .null),
            JSONValue.Member("owner", .string(record.ownerName.text)),
            JSONValue.Member("created_at", .integer(record.createdAtMilliseconds)),
            JSONValue.Member("updated_at", .integer(record.updatedAtMilliseconds)),
            JSONValue.Member("expires_at", record.expiresAtMilliseconds.map { .integer($0) } ?? .null),
        ])
    }
}
