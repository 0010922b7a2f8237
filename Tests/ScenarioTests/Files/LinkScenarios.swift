import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Files for who has no session: links to read, and places to upload.
struct LinkScenarios {
    /// A place to upload one file for somebody.
    static func place(_ server: TestServer, for name: String) throws -> String {
        let key = FileLinkKey(random: (0..<26).map { _ in UInt8.random(in: 0...255) })
        let link = UploadLink(
            key: key, owner: try server.id(name), transferClass: .attachment, conversation: nil, purpose: nil)
        try server.write { transaction throws(StoreError) in try transaction.files.makeUploadLink(link) }
        return "/f/\(key)"
    }

    static func form(_ server: TestServer, _ path: String, _ content: [UInt8], name: String = "a.txt") throws
        -> HTTPReply
    {
        try server.http(
            "POST", path, headers: [UploadScenarios.formType], body: UploadScenarios.form(content, name: name))
    }

    /// Path of the address that an app puts into its message.
    static func path(of address: String?, _ server: TestServer, isEncrypted: Bool = false) throws -> String {
        let base = "\(isEncrypted ? "https" : "http")://127.0.0.1:\(server.port)"
        let address = try #require(address)
        try #require(address.hasPrefix(base + "/v1/file/preview/th-l"), "\(address)")
        return String(address.dropFirst(base.count))
    }

    @Test("a place takes one file, without a session, and answers how it can be read")
    func upload() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(100_000)
        let place = try Self.place(server, for: "ann")
        let reply = try Self.form(server, place, content, name: "\u{8336} 1.bin")
        #expect(reply.status == 200 && reply.json["owner"]?.string == "ann")
        let path = try Self.path(of: reply.json["path"]?.string, server)
        let link = try #require(reply.json["link"]?.string)
        #expect(path.hasSuffix("/%E8%8C%B6%201.bin"))
        for target in [link, link + "/any.name", path] {
            let read = try server.http("GET", target)
            #expect(read.status == 200 && read.body == content, "\(target)")
            #expect(read.headers["content-security-policy"] == "sandbox; default-src 'none'")
            #expect(read.headers["cache-control"] == "private, no-cache")
        }
        let url = try #require(reply.json["url"]?.string)
        #expect(try server.http("GET", url, token: ann).body == content)
        #expect(try Self.form(server, place, content).status == 404)
        #expect(try server.http("PUT", place + "/b.txt", body: [1]).status == 404)
    }

    @Test("a place takes a whole body too")
    func put() throws {
        let server = try TestServer.withFiles()
        _ = try server.token("ann")
        let place = try Self.place(server, for: "ann")
        let reply = try server.http("PUT", place + "/tea.txt", body: Array("hello".utf8))
        #expect(reply.status == 200 && reply.json["name"]?.string == "tea.txt")
        let link = try #require(reply.json["link"]?.string)
        #expect(try server.http("GET", link).text == "hello")
        let part = try server.http("GET", link, headers: [("Range", "bytes=1-2")])
        #expect(part.status == 206 && part.text == "el")
    }

    @Test("a place that nobody made, or that was used, takes nothing")
    func noPlace() throws {
        let server = try TestServer.withFiles()
        try server.add("ann")
        let unknown = "/f/th-l" + String(repeating: "a", count: 26)
        let place = try Self.place(server, for: "ann")
        let text = [("Content-Type", "text/plain")]
        for (status, reply) in [
            (404, try Self.form(server, unknown, Sample.noise(10))),
            (404, try Self.form(server, unknown, Sample.noise(300_000))),
            (404, try server.http("PUT", unknown, body: [1])), (404, try server.http("GET", unknown)),
            (404, try server.http("GET", place)), (415, try server.http("POST", place, body: [1])),
            (415, try server.http("POST", place, headers: text, body: Sample.noise(300_000))),
            (405, try server.http("DELETE", place)),
        ] {
            #expect(reply.status == status, "\(reply.text)")
            // As each SDK reads it: our own and LeanCloud's, WuKongIM's apps, LeanCloud's alone.
            let reason = try #require(reply.json["error"]?.string)
            #expect(!reason.isEmpty && reply.json["msg"]?.string == reason && reply.json["code"]?.integer == 1)
        }
    }

    @Test("a link lives and dies with the message that has it")
    func message() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        try server.group("tea", ["ann", "bob"])
        let reply = try Self.form(server, try Self.place(server, for: "ann"), Sample.noise(100))
        let address = try #require(reply.json["path"]?.string)
        let link = try #require(reply.json["link"]?.string)
        let client = try server.connect("ann", token: ann)
        let sent = try client.publish(address, to: "tea", group: true)
        #expect(sent.reason == 1)
        #expect(try server.http("GET", link).status == 200)
        let recalled = try server.http(
            "POST", "/v1/message/revoke?channel_id=tea&channel_type=2&message_id=\(sent.messageID)", token: ann)
        #expect(recalled.status == 200)
        #expect(try server.http("GET", link).status == 404)
        #expect(try server.http("GET", try Self.path(of: address, server)).status == 404)
    }

    @Test("a form by a place that breaks off leaves nothing behind")
    func cut() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let place = try Self.place(server, for: "ann")
        let broken = Array(UploadScenarios.form(Sample.noise(1000)).dropLast(12))
        let reply = try server.http("POST", place, headers: [UploadScenarios.formType], body: broken)
        #expect(reply.status == 400)
        for open in try server.openTransfers(token: ann) {
            _ = try server.transfer(try #require(open["id"]?.string), token: ann) { $0["state"]?.string == "cancelled" }
        }
    }
}
