import ByteCodec
import Transfers
import Transport

/// The header fields of tus, the protocol of resumable uploads.
///
/// Source: https://tus.io/protocols/resumable-upload, version 1.0.0.
enum TusFields {
    static let version = "1.0.0"
    static let extensions = "creation,creation-with-upload,termination,checksum,expiration"
    static let checksumAlgorithms = "sha1,md5,sha256"
    /// Header fields of an answer that a page has to read.
    static let readable = [
        "Location", "Tus-Checksum-Algorithm", "Tus-Extension", "Tus-Max-Size", "Tus-Resumable", "Tus-Version",
        "Upload-Expires", "Upload-Length", "Upload-Metadata", "Upload-Offset", FileWording.fileField,
    ].joined(separator: ", ")
    /// The Content-Type of every body that carries bytes of an upload.
    static let contentType = "application/offset+octet-stream"

    /// Maximum bytes of `Upload-Metadata`.
    static let maximumMetadataBytes = 4 * 1024
    static let maximumMetadataPairs = 32

    /// `Upload-Length` and `Upload-Offset`: digits and nothing else.
    static func number(_ field: String) -> Int64? {
        guard !field.isEmpty, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(field)
    }

    /// One pair of `Upload-Metadata`.
    struct MetadataPair: Hashable {
        var key: String
        var value: [UInt8]

        /// The value as text; what is not UTF-8 in it becomes U+FFFD.
        var text: String { String(decoding: self.value, as: UTF8.self) }
    }

    /// `filename d29ybGQucGRm,is_confidential`.
    ///
    /// - Returns: `nil` when a key is empty, not ASCII or there twice, a value is no base64, or the field is too long.
    static func metadata(_ field: String) -> [MetadataPair]? {
        guard field.utf8.count <= Self.maximumMetadataBytes else { return nil }
        guard !ASCII.trimmed(field).isEmpty else { return [] }
        var pairs: [MetadataPair] = []
        for item in field.split(separator: ",", omittingEmptySubsequences: false) {
            let words = ASCII.trimmed(item).split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard pairs.count < Self.maximumMetadataPairs, let key = words.first.map(String.init), !key.isEmpty,
                key.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }), !pairs.contains(where: { $0.key == key }),
                let value = Base64.decode(Array(ASCII.trimmed(words.dropFirst().first ?? "").utf8))
            else { return nil }
            pairs.append(MetadataPair(key: key, value: value))
        }
        return pairs
    }

    /// Writes `Upload-Metadata` as `metadata` reads it.
    static func metadata(_ pairs: [MetadataPair]) -> String {
        pairs.map { pair in
            let value = String(decoding: Base64.encode(pair.value), as: UTF8.self)
            return value.isEmpty ? pair.key : "\(pair.key) \(value)"
        }.joined(separator: ",")
    }

    /// `sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=`.
    ///
    /// - Returns: `nil` for an algorithm that is not offered, and for a digest that is none.
    static func checksum(_ field: String) -> UploadChecksum? {
        let words = field.split(separator: " ")
        guard words.count == 2, let algorithm = UploadChecksum.Algorithm(rawValue: ASCII.lowercased(words[0])),
            let digest = Base64.decode(Array(words[1].utf8)), digest.count == Self.digestBytes(algorithm)
        else { return nil }
        return UploadChecksum(algorithm: algorithm, digest: digest)
    }

    private static func digestBytes(_ algorithm: UploadChecksum.Algorithm) -> Int {
        switch algorithm {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        }
    }
}
