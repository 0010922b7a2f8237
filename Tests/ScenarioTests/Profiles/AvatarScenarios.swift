import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing
import Transport

/// Pictures of people at our own gateway: an address, or initials.
struct AvatarScenarios {
    @Test("who has no picture has initials: an SVG that can do nothing")
    func initials() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        try server.name("romeo", "Romeo Montague")
        let reply = try server.http("GET", "/api/v1/avatars/romeo", token: ann)
        #expect(reply.status == 200 && reply.headers["content-type"] == "image/svg+xml")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        #expect(reply.headers["content-security-policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
        #expect(reply.text.hasPrefix("<svg ") && reply.text.hasSuffix(">RM</text></svg>"))
        #expect(try server.http("GET", "/api/v1/avatars/romeo", token: ann).body == reply.body)
        let head = try server.http("HEAD", "/api/v1/avatars/romeo", token: ann)
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.headers["content-length"] == String(reply.body.count))
        try server.name("juliet", "Romeo Montague")
        let other = try server.http("GET", "/api/v1/avatars/juliet?size=small", token: ann)
        // The same letters on another colour.
        #expect(other.text.hasSuffix(">RM</text></svg>") && other.body != reply.body)
    }

    @Test(
        "no name gets out of the picture or into the header",
        arguments: [
            ("<script>alert(1)</script>", "&lt;"), ("</text><script>", "&lt;"), ("\"& x'", "&quot;X"),
            ("& <", "&amp;&lt;"),
            ("]]> -->", "]-"), ("\u{FFFF}\u{FFFE}", "?"), ("\u{202E} \u{2028}", "\u{202E}"),
            ("\u{738B}\u{5C0F}\u{660E}", "\u{660E}"), ("\u{1F468}\u{200D}\u{1F469} \u{1F375}", nil),
            ("%0d%0aX: y", "%Y"),
        ] as [(String, String?)])
    func hostile(_ name: String, _ letters: String?) throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        // As the shown name, and as the id.
        try server.name("eve", name)
        try server.add(name)
        for id in ["eve", name] {
            let reply = try server.http("GET", "/api/v1/avatars/\(PercentEncoding.segment(id))", token: ann)
            #expect(reply.status == 200 && reply.headers["content-type"] == "image/svg+xml", "\(id)")
            if let letters { #expect(reply.text.hasSuffix(">\(letters)</text></svg>"), "\(reply.text)") }
            #expect(reply.text.split(separator: "<").map { $0.prefix(4) } == ["svg ", "rect", "text", "/tex", "/svg"])
            #expect(!reply.text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0xFFFE || $0.value == 0xFFFF })
            #expect(
                Set(reply.headers.keys).isSubset(of: [
                    "content-type", "content-length", "cache-control", "x-content-type-options",
                    "content-security-policy", "connection", "date",
                ]), "\(reply.headers)")
        }
    }

    @Test("an address that cannot stand in a header is not followed; any other is")
    func addresses() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let id = try server.id("ann")
        for address in [
            "https://x.example/a\r\nSet-Cookie: a=b", "https://x.example/a b", "https://x.example/\u{8336}",
        ] {
            try server.write { store throws(StoreError) in
                try store.people.setProfile(of: id, ProfilePatch(avatar: address))
            }
            let reply = try server.http("GET", "/api/v1/avatars/ann", token: ann)
            #expect(reply.status == 200 && reply.text.hasSuffix(">A</text></svg>"), "\(reply.text)")
            #expect(reply.headers["location"] == nil && reply.headers["set-cookie"] == nil)
        }
        try server.write { store throws(StoreError) in
            try store.people.setProfile(of: id, ProfilePatch(avatar: "https://x.example/a.png"))
        }
        let full = try server.http("GET", "/api/v1/avatars/ann?size=small", token: ann)
        #expect(full.status == 302 && full.headers["location"] == "https://x.example/a.png")
    }

    @Test("an id that nobody can have is 404, anybody else's looks like that of somebody without a picture")
    func nobody() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let long = String(repeating: "x", count: 65)
        #expect(try server.http("GET", "/api/v1/avatars/\(long)", token: ann).status == 404)
        let nobody = try server.http("GET", "/api/v1/avatars/nobody", token: ann)
        #expect(nobody.status == 200 && nobody.text.hasSuffix(">N</text></svg>"))
    }
}
