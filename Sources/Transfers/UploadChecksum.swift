/// A checksum that the uploader announced for one request's body.
package struct UploadChecksum: Hashable, Sendable {
    package enum Algorithm: String, Sendable, CaseIterable {
        case md5
        case sha1
        case sha256
    }

    package var algorithm: Algorithm
    package var digest: [UInt8]

    package init(algorithm: Algorithm, digest: [UInt8]) {
        self.algorithm = algorithm
        self.digest = digest
    }
}
