import COpenSSL
package import Diagnostics
package import Execution

/// Settings of TLS, from the configuration.
package struct TLSSettings: Sendable {
    /// A certificate of the operator's own; both files in PEM form, the certificate with its chain.
    package struct Files: Sendable, Hashable {
        /// Path of the certificate chain, PEM.
        package let certificate: String
        /// Path of the private key, PEM.
        package let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Where our own authority lives; made when missing, but not its parents.
    package var folder: String
    /// Chosen by the name that a client asks for; our own certificate serves the rest.
    package var certificates: [Files]
    /// Further names for our own certificate, as far as the authority may sign them.
    package var hosts: [String]

    /// Beginning of the common name of an authority that a server made for itself.
    package static let authorityName = "teahouse authority"

    package init(folder: String, certificates: [Files] = [], hosts: [String] = []) {
        self.folder = folder
        self.certificates = certificates
        self.hosts = hosts
    }
}

/// The end of a certificate's life.
package struct CertificateReading: Hashable, Sendable {
    /// `own`, `authority`, or the path of the operator's file.
    package var name: String
    /// Seconds since 1970.
    package var expiresAtSeconds: Int64

    package init(name: String, expiresAtSeconds: Int64) {
        self.name = name
        self.expiresAtSeconds = expiresAtSeconds
    }
}

/// The certificates of this server, exchanged while it runs: a connection keeps the ones that it began with.
package final class TLSStore: Sendable {
    private struct State {
        var context: ServerContext
        var authorityPEM: [UInt8]
        var authorityDER: [UInt8]
        var pin: [UInt8]
        var expiries: [CertificateReading]
    }

    private let settings: TLSSettings
    private let log: Log
    private let clock: Clock
    private let state: Lock<State>

    /// Reads all certificates; makes our own authority at the first start, and the server certificate when it is due.
    package init(_ settings: TLSSettings, log: Log, clock: Clock = .system) throws(TransportError) {
        self.settings = settings
        self.log = log
        self.clock = clock
        self.state = Lock(try Self.load(settings, log, clock))
    }

    /// As at the start; when it throws, the old certificates stay in use.
    package func reload() throws(TransportError) {
        let fresh = try Self.load(self.settings, self.log, self.clock)
        self.state.withLock { $0 = fresh }
    }

    /// The authority's certificate in PEM form, for people to install.
    package var authorityPEM: [UInt8] { self.state.withLock { $0.authorityPEM } }

    /// The authority's certificate in DER form.
    package var authorityDER: [UInt8] { self.state.withLock { $0.authorityDER } }

    /// SHA-256 of the authority's certificate, 32 bytes: the fingerprint that phones and browsers show of it.
    package var authorityFingerprint: [UInt8] {
        let certificate = self.authorityDER
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(certificate, certificate.count, &digest)
        return digest
    }

    /// SHA-256 of the authority's public key (SubjectPublicKeyInfo), 32 bytes: what clients pin.
    package var authorityPin: [UInt8] { self.state.withLock { $0.pin } }

    /// When the certificates that are in use end: our own, our authority, and the operator's, by path.
    package var expiries: [CertificateReading] { self.state.withLock { $0.expiries } }

    func makeSession(descriptor: Int32) -> TLSSession? {
        let context = self.state.withLock { $0.context }
        return TLSSession(context: context.pointer, descriptor: descriptor)
    }

    private static func load(_ settings: TLSSettings, _ log: Log, _ clock: Clock) throws(TransportError) -> State {
        let now = clock.wallMilliseconds() / 1000
        let hostName = ASCII.lowercased(SocketAddress.hostName())
        let folder = try PrivateFolder(path: settings.folder)
        let authority = try CertificateAuthority(folder: folder, hostName: hostName, unixSeconds: now)
        let names = Self.leafNames(hostName: hostName, hosts: settings.hosts)
        let leaf = try authority.leaf(names: names, unixSeconds: now)
        if leaf.isNew { log.info("certificate_made", ["folder": .text(settings.folder)]) }
        if let rest = authority.certificate.remainingSeconds(unixSeconds: now), rest < 365 * 86_400 {
            log.warning(
                "authority_expires", ["days": .number(rest / 86_400), "folder": .text(settings.folder)])
        }
        var others: [ServerContext] = []
        var expiries: [CertificateReading] = []
        func note(_ name: String, _ certificate: OpaquePointer?) {
            guard let certificate,
                let rest = Certificate.remainingSeconds(of: certificate, unixSeconds: now)
            else { return }
            expiries.append(CertificateReading(name: name, expiresAtSeconds: now + rest))
        }
        note("own", leaf.certificate.pointer)
        note("authority", authority.certificate.pointer)
        for files in settings.certificates {
            let context = try ServerContext(files)
            note(files.certificate, SSL_CTX_get0_certificate(context.pointer))
            others.append(context)
        }
        let context = try ServerContext(leaf.certificate, leaf.key, chain: authority.certificate)
        try context.chooseByName(others)
        return State(
            context: context, authorityPEM: try authority.certificate.pem(),
            authorityDER: try authority.certificate.der(), pin: try authority.certificate.publicKeyPin(),
            expiries: expiries)
    }

    /// Names of this machine as its network knows it.
    ///
    /// Link-local IPv6 addresses are left out: browsers accept none in a URL, and containers make and
    /// drop them all day.
    private static func leafNames(hostName: String, hosts: [String]) -> [String] {
        let short = hostName.split(separator: ".").first.map(String.init) ?? hostName
        var names = ["localhost", hostName, short, "\(short).local"] + hosts.map { ASCII.lowercased($0) }
        names += ["127.0.0.1", "::1"]
        names += SocketAddress.ofInterfaces().map(\.text).filter { !$0.hasPrefix("fe80:") }
        var seen = Set<String>()
        return names.filter { name in
            (CertificateMaker.isHostName(name) || IPAddress(name) != nil) && seen.insert(name).inserted
        }
    }
}

/// An `SSL_CTX`: what new TLS connections are made from.
final class ServerContext: @unchecked Sendable {
    // SAFETY: filled in before it is shared, then only read; OpenSSL counts its references atomically.
    let pointer: OpaquePointer

    private init() throws(TransportError) {
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw openSSLError("make a TLS context") }
        guard copenssl_harden_server(pointer) == 1 else {
            SSL_CTX_free(pointer)
            throw openSSLError("set up a TLS context")
        }
        self.pointer = pointer
    }

    deinit { SSL_CTX_free(self.pointer) }

    /// - Parameter chain: sent along, so that a client that pins the authority sees it.
    convenience init(_ certificate: Certificate, _ key: PrivateKey, chain: Certificate) throws(TransportError) {
        try self.init()
        guard SSL_CTX_use_certificate(self.pointer, certificate.pointer) == 1,
            SSL_CTX_use_PrivateKey(self.pointer, key.pointer) == 1,
            copenssl_add_to_chain(self.pointer, chain.pointer) == 1
        else { throw openSSLError("use our own certificate") }
    }

    convenience init(_ files: TLSSettings.Files) throws(TransportError) {
        try self.init()
        guard SSL_CTX_use_certificate_chain_file(self.pointer, files.certificate) == 1 else {
            throw .badCertificate(path: files.certificate, reason: openSSLError("read it").description)
        }
        guard SSL_CTX_use_PrivateKey_file(self.pointer, files.key, SSL_FILETYPE_PEM) == 1 else {
            throw .badCertificate(path: files.key, reason: openSSLError("use it as the key").description)
        }
    }

    func chooseByName(_ others: [ServerContext]) throws(TransportError) {
        guard !others.isEmpty else { return }
        let pointers = others.map(\.pointer)
        guard copenssl_choose_by_name(self.pointer, pointers, pointers.count) == 1 else {
            throw openSSLError("remember certificates by name")
        }
    }
}
