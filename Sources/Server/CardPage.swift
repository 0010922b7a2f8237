import ByteCodec
import COpenSSL
import Execution
import Localization
import QRCode
import Transport

/// The printed card: one A4 page at `/card` with the server's name, its address as text and as a QR code, the
/// fingerprint of its authority, and three steps per phone system, in Chinese and English.
///
/// It says nothing that the server does not tell everybody. Confined to its reactor.
final class CardPage: Gateway {
    /// Facts of the server that the card shows. Any thread.
    struct Facts: Sendable {
        let name: String
        let tls: TLSStore?
        let address: ServerAddress
    }

    private static let path = "/card"
    /// Nothing is loaded, nothing runs; the one style is named by its hash.
    private static let policy: String = {
        let style = Array(CardPage.style.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(style, style.count, &digest)
        let hash = String(decoding: Base64.encode(digest), as: UTF8.self)
        return
            "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }()

    private let facts: Facts
    private var kept = KeptPage()

    init(_ facts: Facts) { self.facts = facts }

    func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.path == Self.path, request.method == "GET" || request.method == "HEAD" else { return false }
        let tls = self.facts.tls
        let card = Card(
            name: self.facts.name, address: self.facts.address.url ?? "http://localhost",
            fingerprint: tls.map { Array($0.authorityFingerprint) })
        responder.respond(
            status: 200,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                ("Content-Security-Policy", Self.policy),
            ], body: self.kept.bytes(of: card) { Array($0.html(style: Self.style).utf8) })
        return true
    }

    private static let style = """
        @page{size:A4;margin:14mm}*{box-sizing:border-box}
        html{-webkit-print-color-adjust:exact;print-color-adjust:exact}
        body{margin:0 auto;max-width:182mm;padding:8mm 0;color:#1d2320;background:#fff;
        font:11pt/1.45 system-ui,"Noto Sans CJK SC","Noto Sans SC","PingFang SC","Microsoft YaHei",sans-serif}
        h1{margin:0;font-size:32pt;line-height:1.2;overflow-wrap:anywhere}
        h2{margin:0 0 2mm;font-size:14pt}p{margin:0}
        .lead{color:#55605a;margin:1mm 0 6mm}
        .way{display:flex;gap:9mm;align-items:center;border:.4mm solid #1d2320;border-radius:3mm;padding:5mm 7mm}
        .way svg{width:52mm;height:52mm;flex:none}
        .way>div{min-width:0}
        .address{font:600 17pt/1.3 ui-monospace,"DejaVu Sans Mono",Menlo,monospace;
        overflow-wrap:anywhere;margin-top:3mm}
        .phones{display:grid;grid-template-columns:1fr 1fr;gap:9mm;margin-top:8mm}
        ol{margin:0;padding-left:6mm}li{margin-bottom:2.5mm;break-inside:avoid;overflow-wrap:anywhere}
        [lang=en]{display:block;color:#55605a;font-size:9.5pt}
        .key{margin-top:6mm;padding-top:4mm;border-top:.2mm solid #9aa39d}
        code{display:block;margin-top:2mm;font:11pt/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,monospace;
        overflow-wrap:anywhere}
        @media screen and (max-width:640px){body{padding:5mm}.way{flex-direction:column;align-items:flex-start}
        .phones{grid-template-columns:1fr}}
        @media print{body{padding:0}}
        """
}

/// The page of the card that was asked for last. A QR code takes milliseconds, in which everybody on the reactor would wait
/// for a stranger's request.
struct KeptPage {
    private var last: (card: Card, bytes: [UInt8])?

    /// Bytes of the page; they are made again only for another card.
    mutating func bytes(of card: Card, made: (Card) -> [UInt8]) -> [UInt8] {
        if let last, last.card == card { return last.bytes }
        let bytes = made(card)
        self.last = (card, bytes)
        return bytes
    }
}

/// Texts of one printed card.
struct Card: Equatable {
    var name: String
    /// Address that people type, without a slash at its end.
    var address: String
    /// SHA-256 of the authority's certificate; `nil` for a server without TLS.
    var fingerprint: [UInt8]?

    /// The phone systems that have steps of their own.
    private static let systems = ["ios", "android"]

    /// The page.
    func html(style: String) -> String {
        let title = Markup.escaped(self.name)
        let code = QRCode(self.address)?.svg ?? ""
        var page = """
            <!doctype html><html lang="zh-Hans"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width,initial-scale=1"><style>\(style)</style></head><body>
            <h1>\(title)</h1><p class="lead">\(self.both("card.lead"))</p>
            <section class="way">\(code)<div><p>\(self.both("card.way"))</p>\
            <p class="address">\(Markup.escaped(self.address))</p>\
            </div></section><section class="phones">
            """
        let steps = self.fingerprint == nil ? ["join", "sign", "keep"] : ["join", "trust", "keep"]
        for system in Self.systems {
            page += "<div><h2>\(self.both("card.\(system)"))</h2><ol>"
            page += steps.map { "<li>\(self.both("card.\(system).\($0)"))</li>" }.joined() + "</ol></div>\n"
        }
        page += "</section>"
        if let fingerprint {
            let pairs = fingerprint.map { Hex.encode([$0]).uppercased() }
            let halves = [pairs[..<16], pairs[16...]].map { $0.joined(separator: " ") }.joined(separator: "<br>")
            page += "<section class=\"key\"><p>\(self.both("card.fingerprint"))</p><code>\(halves)</code></section>"
        }
        return page + "</body></html>\n"
    }

    /// A text in Chinese, and below it in English.
    private func both(_ key: String) -> String {
        let secure =
            self.fingerprint != nil && self.address.hasPrefix("http://")
            ? "https://" + self.address.dropFirst("http://".utf8.count) : self.address
        let values = ["address": self.address, "secure": secure]
        func text(_ language: Language) -> String { Markup.escaped(Texts(installed: language)(key, values)) }
        return "\(text(.chinese))<span lang=\"en\">\(text(.english))</span>"
    }
}

/// Address by which people reach the server: the configured one, else one of this machine's on the network. Any thread.
final class ServerAddress: Sendable {
    private let configured: String?
    private let bound = Lock<[BoundAddress]>([])

    /// - Parameter configured: `files.public_url`; `nil` for none.
    init(configured: String?) { self.configured = configured }

    /// Tells where the server listens, with real ports.
    func open(_ bound: [BoundAddress]) { self.bound.withLock { $0 = bound } }

    /// `http://192.168.1.5:7677`, of this machine alone where it listens for nobody else; `nil` before it listens. The
    /// interfaces are asked each time, because their addresses change.
    var url: String? {
        if let configured { return configured }
        let bound = self.bound.withLock { $0 }
        return BoundAddress.reachable(among: bound, interfaces: SocketAddress.ofInterfaces()).map { "http://\($0)" }
    }
}
