import Transport

/// Text for a program that is pointed at the port and does not ask for HTML: it names the server and says how to trust
/// it. Browsers get `Page`.
///
/// It tells nothing about people or content. Confined to its reactor.
final class LandingPage: Gateway {
    private let name: String
    private let tls: TLSStore?
    private let authorityPin: String?

    init(name: String, tls: TLSStore?) {
        self.name = name
        self.tls = tls
        self.authorityPin = tls.map { store in
            store.authorityPin.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.method == "GET" || request.method == "HEAD" else { return false }
        switch request.path {
        case "/": Self.send(Array(self.page.utf8), "text/plain; charset=utf-8", responder)
        case "/health": Self.send(Array("{\"status\":\"ok\"}".utf8), "application/json", responder)
        case "/ca.pem":
            guard let tls = self.tls else { return false }
            Self.send(tls.authorityPEM, "application/x-pem-file", responder)
        case "/ca.crt":
            guard let tls = self.tls else { return false }
            Self.send(tls.authorityDER, "application/x-x509-ca-cert", responder)
        case "/ca.mobileconfig":
            guard let tls = self.tls else { return false }
            let profile = AuthorityProfile.bytes(
                name: self.name, certificate: tls.authorityDER, fingerprint: tls.authorityFingerprint)
            Self.send(profile, AuthorityProfile.mediaType, responder)
        default: return false
        }
        return true
    }

    private static func send(_ body: [UInt8], _ type: String, _ responder: HTTPResponder) {
        responder.respond(
            status: 200,
            headers: [
                ("Content-Type", type), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", "default-src 'none'; sandbox"),
            ], body: body)
    }

    private var page: String {
        var page = """
            teahouse \(Version.text)

            This is a chat server. Point a WuKongIM or LeanCloud app at this address and port.
            这是一台聊天服务器。请让 WuKongIM 或 LeanCloud 应用连接此地址和端口。

            """
        if let pin = self.authorityPin {
            page += """

                For encrypted connections, install the certificate authority of this server: /ca.pem
                (phones: /ca.crt, /ca.mobileconfig; a page to print: /card)
                It can vouch for private names and addresses only. Compare its key with the operator first:
                加密连接需要安装本服务器的证书颁发机构：/ca.pem （手机：/ca.crt、/ca.mobileconfig；可打印的页面：/card）。它只能为私有名称和地址作证。请先与管理员核对其密钥：
                SHA-256 \(pin)

                """
        }
        return page
    }
}
