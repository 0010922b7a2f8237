import Testing
import Transport

@testable import HTTPClient

@Suite("Addresses")
struct HTTPAddressTests {
    @Test(
        "have a scheme, a host, a port and a target",
        arguments: [
            ("http://10.0.0.2/a?b=c", false, "10.0.0.2", UInt16(80), "/a?b=c"),
            ("HTTPS://Hooks.Example", true, "hooks.example", 443, "/"),
            ("https://[fd00::2]:8443/x", true, "fd00::2", 8443, "/x"),
            ("http://host:81?q", false, "host", 81, "/?q"),
        ])
    func parses(text: String, isEncrypted: Bool, host: String, port: UInt16, target: String) throws {
        let address = try HTTPAddress(text)
        #expect(address.isEncrypted == isEncrypted)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.target == target)
    }

    @Test(
        "are refused when they are none",
        arguments: [
            "", "host/path", "ftp://host/", "http://", "http://host:0/", "http://host:65536/", "http://host:/",
            "http://user:secret@host/", "http://host/#part", "http://host/a b", "http://host/\n", "http://[::1/",
            "http://[::1]x/", "http://hóst/", "http://host/" + String(repeating: "x", count: 2048),
        ])
    func refuses(text: String) {
        #expect(throws: HTTPClientError.self) { try HTTPAddress(text) }
    }

    @Test("are shown without their query, and take one more part of it")
    func query() throws {
        let address = try HTTPAddress("http://host/a?key=secret")
        #expect("\(address)" == "http://host/a")
        #expect(address.adding(query: "event=x").target == "/a?key=secret&event=x")
        #expect(try HTTPAddress("http://host").adding(query: "event=x").target == "/?event=x")
    }
}

@Suite("Address rule")
struct AddressRuleTests {
    @Test(
        "refuses what no operator means",
        arguments: [
            "169.254.169.254", "169.254.1.1", "fe80::1", "fd00:ec2::254", "100.100.100.200", "0.0.0.0", "0.1.2.3", "::",
            "224.0.0.1", "239.255.255.250", "ff02::1", "255.255.255.255", "240.0.0.1", "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1",
        ])
    func refuses(text: String) throws {
        #expect(AddressRule().refusal(of: try #require(IPAddress(text)), port: 80) != nil)
    }

    @Test(
        "lets requests go to loopback, private networks and the world",
        arguments: [
            "127.0.0.1", "::1", "10.1.2.3", "192.168.1.5", "172.16.0.1", "fd12::5", "93.184.216.34", "2001:db8::1",
        ])
    func allows(text: String) throws {
        #expect(AddressRule().refusal(of: try #require(IPAddress(text)), port: 80) == nil)
    }

    @Test("refuses our own doors, and nothing else on this machine")
    func ownDoors() throws {
        let here = try #require(IPAddress("192.168.1.5"))
        let rule = AddressRule(ownPorts: [7677], ownAddresses: [here])
        #expect(rule.refusal(of: here, port: 7677) == "teahouse itself")
        #expect(rule.refusal(of: try #require(IPAddress("127.0.0.9")), port: 7677) == "teahouse itself")
        #expect(rule.refusal(of: here, port: 80) == nil)
        #expect(rule.refusal(of: try #require(IPAddress("192.168.1.6")), port: 7677) == nil)
    }
}
