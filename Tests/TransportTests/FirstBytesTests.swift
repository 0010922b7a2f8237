import Testing

@testable import Transport

@Suite("First bytes")
struct FirstBytesTests {
    static func judge(_ bytes: [UInt8], isProxy: Bool = false, isInsideTLS: Bool = false) -> FirstBytes {
        bytes.withUnsafeBytes { FirstBytes.judge($0, isProxy: isProxy, isInsideTLS: isInsideTLS) }
    }

    @Test(
        "tell the protocol",
        arguments: [
            ([0x16, 0x03, 0x01], .tls(skip: 0)),
            ([0x20, 0x16, 0x03], .tls(skip: 1)),
            ([0x16], .undecided(minimum: 2)),
            ([0x16, 0x04], .binary(skip: 0)),
            ([0x0D, 0x0A, 0x7B], .json(skip: 2)),
            ([0x7B], .json(skip: 0)),
            ([0x47], .http(skip: 0)),
            ([0x67], .unknown), ([0x70], .unknown),
            ([0x20, 0x09, 0x50], .http(skip: 2)),
            ([0x10], .binary(skip: 0)),
            ([0x1F, 0xFF], .binary(skip: 0)),
            ([], .undecided(minimum: 1)),
            ([0x20, 0x20], .undecided(minimum: 3)),
            ([0x00], .unknown), ([0x80], .unknown), ([0x31], .unknown), ([0x5B], .unknown), ([0xFF], .unknown),
            (Array(repeating: 0x20, count: 65), .unknown),
        ] as [([UInt8], FirstBytes)])
    func protocols(bytes: [UInt8], expected: FirstBytes) { #expect(Self.judge(bytes) == expected) }

    @Test("inside TLS are never TLS again")
    func nested() { #expect(Self.judge([0x16, 0x03, 0x01], isInsideTLS: true) == .unknown) }

    static let client = PeerAddress(address: IPAddress("192.168.1.5")!, port: 56324)
    static let second: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    @Test(
        "of a configured proxy may be a PROXY header",
        arguments: [
            ("PROXY TCP4 192.168.1.5 192.168.1.1 56324 7677\r\nGET", .proxy(length: 47, client)),
            ("PROXY UNKNOWN\r\n", .proxy(length: 15, nil)),
            ("PROXY TCP4 192.168.1.5 192.168.1.1 56324 7677\r", .undecided(minimum: 47)),
            ("PROX", .undecided(minimum: 5)),
            ("P", .undecided(minimum: 2)),
            ("POST", .http(skip: 0)),
            ("PROXY TCP4 nobody 192.168.1.1 56324 7677\r\n", .unknown),
            ("PROXY TCP4 192.168.1.5 192.168.1.1 99999 7677\r\n", .unknown),
            ("PROXY TCP4 192.168.1.5\n", .unknown),
            ("PROXY " + String(repeating: "x", count: 110), .unknown),
        ] as [(String, FirstBytes)])
    func proxy(text: String, expected: FirstBytes) { #expect(Self.judge(Array(text.utf8), isProxy: true) == expected) }

    @Test("PROXY from anybody else is HTTP, which refuses it")
    func stranger() { #expect(Self.judge(Array("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n".utf8)) == .http(skip: 0)) }

    @Test("of a configured proxy may be a binary PROXY header, at every cut")
    func secondVersion() {
        // Version 2, command PROXY; TCP over IPv4; 12 bytes: source, destination, ports.
        let header = Self.second + [0x21, 0x11, 0, 12, 192, 168, 1, 5, 192, 168, 1, 1, 0xDC, 0x04, 0x1D, 0xFD]
        #expect(Self.judge(header + [0x7B], isProxy: true) == .proxy(length: 28, Self.client))
        for count in 1..<header.count {
            guard case .undecided(let minimum) = Self.judge(Array(header[..<count]), isProxy: true) else {
                Issue.record("decided after \(count) bytes")
                return
            }
            #expect(minimum > count)
        }
        let six = Self.second + [0x21, 0x21, 0, 36] + IPAddress("fd00::2")!.bytes + IPAddress("fd00::1")!.bytes
        #expect(
            Self.judge(six + [0, 80, 0, 81], isProxy: true)
                == .proxy(length: 52, PeerAddress(address: IPAddress("fd00::2")!, port: 80)))
        #expect(Self.judge(Self.second + [0x20, 0, 0, 0], isProxy: true) == .proxy(length: 16, nil))
        #expect(Self.judge(Self.second + [0x11, 0x11, 0, 12], isProxy: true) == .unknown)
        #expect(Self.judge(Self.second + [0x21, 0x11, 0xFF, 0xFF], isProxy: true) == .unknown)
    }
}

@Suite("Addresses")
struct IPAddressTests {
    @Test(
        "know their scope",
        arguments: [
            ("127.0.0.1", .loopback), ("127.255.0.1", .loopback), ("::1", .loopback), ("::ffff:127.0.0.1", .loopback),
            ("10.1.2.3", .privateNetwork), ("172.16.0.1", .privateNetwork), ("172.31.255.255", .privateNetwork),
            ("192.168.0.1", .privateNetwork), ("169.254.1.1", .privateNetwork), ("100.64.0.1", .privateNetwork),
            ("100.127.255.255", .privateNetwork), ("fd00::1", .privateNetwork), ("fc00::1", .privateNetwork),
            ("fe80::1", .privateNetwork), ("febf::1", .privateNetwork), ("8.8.8.8", .publicNetwork),
            ("172.32.0.1", .publicNetwork), ("172.15.0.1", .publicNetwork), ("100.128.0.1", .publicNetwork),
            ("192.169.0.1", .publicNetwork), ("2001:db8::1", .publicNetwork), ("fec0::1", .publicNetwork),
        ] as [(String, PeerAddress.Scope)])
    func scope(text: String, expected: PeerAddress.Scope) { #expect(IPAddress(text)?.scope == expected) }

    @Test("are written as they are read", arguments: ["192.168.1.5", "fd00::2", "2001:db8:1:2:3:4:5:6"])
    func text(text: String) { #expect(IPAddress(text)?.text == text) }

    @Test("are throttled by the /64 in IPv6 and one by one in IPv4")
    func throttleKey() throws {
        func key(_ text: String) throws -> String {
            PeerAddress(address: try #require(IPAddress(text)), port: 1).throttleKey
        }
        #expect(try key("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64")
        #expect(try key("2001:db8:1:2::9") == "2001:db8:1:2::/64")
        #expect(try key("::ffff:192.168.1.5") == "192.168.1.5")
    }

    @Test(
        "are not read from other text",
        arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "fe80::1%eth0", "01.2.3.4 "])
    func notAddresses(text: String) { #expect(IPAddress(text) == nil) }
}

@Suite("Host and origin rules")
struct HostRuleTests {
    let rule = HostRule(
        configured: ["Chat.Example.com", "10.0.0.9"], hostName: "Box.office.lan",
        addresses: [IPAddress("192.168.1.5")!, IPAddress("fd00::5")!])

    @Test(
        "allow this machine's names and addresses",
        arguments: [
            "localhost", "LOCALHOST:7677", "127.0.0.1", "127.0.0.1:80", "[::1]:7677", "box", "box.local:1",
            "box.office.lan",
            "box.office.lan.", "chat.example.com", "192.168.1.5:7677", "[fd00::5]", "10.0.0.9", "172.20.0.2",
        ])
    func allowed(host: String) { #expect(self.rule.allows(host, local: IPAddress("172.20.0.2"))) }

    @Test(
        "refuse other names and addresses",
        arguments: [
            "evil.example", "localhost.evil.example", "box.evil.local", "192.168.1.6", "[fd00::6]", "8.8.8.8", "",
            "localhost:port", "localhost:99999", "a b", "evil.example@localhost", "[::1", "office.lan",
        ])
    func refused(host: String) { #expect(!self.rule.allows(host, local: nil)) }

    @Test(
        "judge origins",
        arguments: [
            (nil, "box:7677", .own),
            ("http://box:7677", "box:7677", .own),
            ("https://BOX", "box:443", .own),
            ("http://box:80", "box", .own),
            ("http://box:7678", "box:7677", .foreign),
            ("http://evil.example", "box:7677", .foreign),
            ("http://box:7677.evil.example", "box:7677", .foreign),
            ("https://app.example.com", "box:7677", .configured),
            ("https://APP.example.com", "box:7677", .configured),
            ("http://app.example.com", "box:7677", .foreign),
            ("null", "box:7677", .foreign),
            ("file://", "box:7677", .foreign),
            ("", "box:7677", .foreign),
            ("http://box:7677", nil, .foreign),
        ] as [(String?, String?, OriginRule.Verdict)])
    func origins(origin: String?, authority: String?, expected: OriginRule.Verdict) {
        let rule = OriginRule(origins: ["https://app.example.com"])
        #expect(rule.judge(origin: origin, authority: authority) == expected)
    }

    @Test("take pages without an origin only when that is configured")
    func null() { #expect(OriginRule(origins: ["null"]).judge(origin: "null", authority: "box") == .configured) }
}
