/// Our own authority and the server certificate that it signs, in a folder.
struct CertificateAuthority {
    private static let certificateName = "ca.pem"
    private static let keyName = "ca.key"
    private static let leafName = "server.pem"
    private static let leafKeyName = "server.key"

    private let folder: PrivateFolder
    let certificate: Certificate
    private let key: PrivateKey

    /// Reads the authority, or makes it at the first start.
    ///
    /// - Throws: `authorityKeyMissing` when there is a certificate without a key: devices trust it, so nothing is made.
    init(folder: PrivateFolder, hostName: String, unixSeconds: Int64) throws(TransportError) {
        self.folder = folder
        let keyPath = folder.path(of: Self.keyName)
        let oldKey = try folder.read(Self.keyName)
        guard let pem = try folder.read(Self.certificateName) else {
            // A key alone is what a crash during the first start leaves.
            self.key = if let oldKey { try PrivateKey(pem: oldKey, path: keyPath) } else { try PrivateKey.new() }
            self.certificate = try CertificateMaker.authority(
                key: self.key, hostName: hostName, unixSeconds: unixSeconds)
            if oldKey == nil { try folder.write(Self.keyName, try self.key.pem()) }
            try folder.write(Self.certificateName, try self.certificate.pem())
            return
        }
        guard let oldKey else { throw .authorityKeyMissing(path: keyPath) }
        self.certificate = try Certificate(pem: pem, path: folder.path(of: Self.certificateName))
        self.key = try PrivateKey(pem: oldKey, path: keyPath)
        guard self.certificate.isFor(self.key) else {
            throw .badCertificate(path: folder.path(of: Self.certificateName), reason: "\(keyPath) is not its key")
        }
    }

    /// The server certificate and its key: the ones in the folder, or new ones when those are due, do not cover
    /// `names`, or are not from this authority.
    func leaf(names: [String], unixSeconds: Int64) throws(TransportError) -> (
        certificate: Certificate, key: PrivateKey, isNew: Bool
    ) {
        let wanted = CertificateMaker.permitted(names, by: self.certificate)
        if let old = self.readLeaf(), old.certificate.isFor(old.key), old.certificate.isSigned(by: self.certificate),
            !old.certificate.isDueForRenewal(unixSeconds: unixSeconds), wanted.allSatisfy(old.certificate.covers)
        {
            return (old.certificate, old.key, false)
        }
        let key = try PrivateKey.new()
        let certificate = try self.sign(key, names: wanted, unixSeconds: unixSeconds)
        try self.folder.write(Self.leafKeyName, try key.pem())
        try self.folder.write(Self.leafName, try certificate.pem() + self.certificate.pem())
        return (certificate, key, true)
    }

    /// Signs without asking whether its own constraints allow it: who verifies will.
    func sign(_ key: PrivateKey, names: [String], unixSeconds: Int64) throws(TransportError) -> Certificate {
        try CertificateMaker.leaf(
            key: key, names: names, authority: self.certificate, authorityKey: self.key, unixSeconds: unixSeconds)
    }

    /// A leaf that cannot be read is replaced like one that is due.
    private func readLeaf() -> (certificate: Certificate, key: PrivateKey)? {
        guard let pem = try? self.folder.read(Self.leafName), let keyPEM = try? self.folder.read(Self.leafKeyName),
            let certificate = try? Certificate(pem: pem, path: Self.leafName),
            let key = try? PrivateKey(pem: keyPEM, path: Self.leafKeyName)
        else { return nil }
        return (certificate, key)
    }
}
