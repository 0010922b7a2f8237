import Execution
package import Transport

/// A look at the certificate that a server shows for a name: a handshake, and nothing is sent.
package struct CertificateLook: Sendable {
    /// Certificate that was shown.
    package let certificate: PeerCertificate
    /// Why who trusts only the authorities named does not trust it; `nil` when they do. Names are not compared.
    package let problem: String?

    /// Connects and looks.
    ///
    /// - Parameters:
    ///   - name: asked for in the handshake (SNI).
    ///   - caFile: authorities to trust besides the system's, PEM.
    /// - Throws: `tls` when there is no handshake to be had.
    package init(
        _ name: String, at address: IPAddress, port: UInt16, caFile: String? = nil, timeoutMilliseconds: Int64,
        cancellation: HTTPCancellation
    ) throws(HTTPClientError) {
        let patience = Patience(
            host: name, deadline: Clock.system.now().advanced(byMilliseconds: timeoutMilliseconds),
            cancellation: cancellation.descriptor)
        let connection = try OutgoingConnection(to: address, port: port, patience)
        (self.certificate, self.problem) = try connection.lookAtCertificate(
            try TrustStore(caFile: caFile), name: name, patience)
    }

    /// Addresses that a name has now, as this machine looks it up.
    ///
    /// - Throws: `cannotResolve`.
    package static func addresses(of name: String) throws(HTTPClientError) -> [IPAddress] {
        try OutgoingSlot.resolve(name)
    }
}
