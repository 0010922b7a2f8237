import COpenSSL
import Glibc
import TeahouseTesting

/// HTTPS to a server by a client that trusts the server's own authority and nobody else.
final class SecureClient {
    private let socket: ClientSocket
    private let context: OpaquePointer
    private let session: OpaquePointer

    /// Connects and shakes hands.
    ///
    /// - Throws: `TestClientError` when the server's certificate is not good for 127.0.0.1 by that authority.
    init(_ server: TestServer) throws {
        let authority = try server.http("GET", "/ca.pem").body
        self.socket = try ClientSocket(port: server.port)
        guard let context = SSL_CTX_new(TLS_client_method()), let session = SSL_new(context) else {
            throw TestClientError(description: "no TLS context")
        }
        self.context = context
        self.session = session
        let bio = BIO_new_mem_buf(authority, Int32(authority.count))
        let certificate = PEM_read_bio_X509(bio, nil, nil, nil)
        BIO_free(bio)
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate)
        X509_free(certificate)
        SSL_set_verify(session, SSL_VERIFY_PEER, nil)
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), "127.0.0.1")
        SSL_set_fd(session, self.socket.descriptor)
        guard SSL_connect(session) == 1 else {
            ERR_clear_error()
            throw TestClientError(description: "the handshake failed")
        }
    }

    deinit {
        SSL_free(self.session)
        SSL_CTX_free(self.context)
    }

    func send(_ bytes: [UInt8]) throws {
        guard SSL_write(self.session, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            ERR_clear_error()
            throw TestClientError(description: "\(bytes.count) bytes could not be sent")
        }
    }

    /// Everything until the server closes.
    func allBytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = SSL_read(self.session, &room, Int32(room.count))
            ERR_clear_error()
            guard count > 0 else { return bytes }
            bytes += room[..<Int(count)]
        }
    }
}

extension TestServer {
    /// One request over TLS.
    func https(
        _ method: String, _ target: String, token: String? = nil, _ headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws -> HTTPReply {
        let client = try SecureClient(self)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(self.port)\r\nConnection: close\r\n"
        if let token { head += "token: \(token)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        try client.send(Array((head + "\r\n").utf8) + body)
        return try HTTPTestClient.parse(try client.allBytes())
    }
}
