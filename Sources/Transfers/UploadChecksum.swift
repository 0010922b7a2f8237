/// A checksum that the uploader announced for one request's body.
package struct UploadChecksum: Hashable, Sendable {
    /// Algorithm of a checksum.
    package enum Algorithm: String, Sendable, CaseIterable {
        case md5
        case sha1
        case sha256
    }

    /// Algorithm of the checksum.
    package var algorithm: Algorithm
    /// Digest of the whole file.
    package var digest: [UInt8]

    package init(algorithm: Algorithm, digest: [UInt8]) {
        self.algorithm = algorithm
        self.digest = digest
    }
}
