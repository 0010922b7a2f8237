import ByteCodec
import TeahouseTesting
import Testing

/// Files over TLS: the same gateways on the same port.
struct SecureFileScenarios {
    private static func server() throws -> TestServer { try TestServer.withFiles { $0.servesTLS = true } }

    @Test("the encrypted address is told to who asked over TLS, not to a browser that would refuse our certificate")
    func addresses() throws {
        let server = try Self.server()
        let token = try server.token("romeo")
        for path in ["/route?uid=romeo", "/v1/users/romeo/im", "/varz"] {
            let asked = path == "/varz" ? try server.managerToken() : token
            let plain = try server.http("GET", path, token: asked)
            #expect(plain.json["wss_addr"]?.string == "", "\(path)")
            #expect(plain.json["ws_addr"]?.string == "ws://127.0.0.1:\(server.port)", "\(path)")
            let encrypted = try server.https("GET", path, token: asked)
            #expect(encrypted.json["wss_addr"]?.string == "wss://127.0.0.1:\(server.port)", "\(path)")
        }
        let batch = try server.manage("/route/batch", #"["romeo"]"#)
        #expect(batch.json.array?.first?["wss_addr"]?.string == "")
    }

    @Test("a file goes up, and comes down whole, in parts and packed")
    func file() throws {
        let server = try Self.server()
        let ann = try server.token("ann")
        let content = Sample.text(1_500_000)
        let made = try server.https(
            "PUT", "/api/v1/files?name=%E8%8C%B6.txt", token: ann, [("Content-Type", "text/plain")], body: content)
        #expect(made.status == 201)
        let path = try #require(made.headers["location"])
        let whole = try server.https("GET", path, token: ann)
        #expect(whole.status == 200 && whole.body == content)
        // What is read without TLS is the same.
        #expect(try server.http("GET", path, token: ann).body == content)
        let part = try server.https("GET", path, token: ann, [("Range", "bytes=262100-900000")])
        #expect(part.status == 206 && part.body == Array(content[262_100...900_000]))
        let packed = try server.https("GET", path, token: ann, [("Accept-Encoding", "gzip")])
        #expect(packed.headers["content-encoding"] == "gzip" && packed.body.count < content.count / 2)
        #expect(packed.headers["content-length"] == String(packed.body.count))
        #expect(try server.https("GET", path).status == 401)
        #expect(try server.https("HEAD", path, token: ann).headers["etag"] == whole.headers["etag"])
    }

    @Test("tus: a connection that breaks in the middle of a record loses nothing that was taken")
    func tus() throws {
        let server = try Self.server()
        let ann = try server.token("ann")
        let content = Sample.noise(900_000)
        let tus = ("Tus-Resumable", "1.0.0")
        let begun = try server.https("POST", "/api/v1/files", token: ann, [tus, ("Upload-Length", "900000")])
        let place = try #require(begun.headers["location"])
        var client: SecureClient? = try SecureClient(server)
        let head =
            "PATCH \(place) HTTP/1.1\r\nHost: 127.0.0.1\r\ntoken: \(ann)\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
            + "Content-Type: application/offset+octet-stream\r\nContent-Length: 900000\r\n\r\n"
        try client?.send(Array(head.utf8) + content.prefix(400_000))
        _ = try server.transfer(place, token: ann) { $0["offset"]?.integer == 400_000 }
        client = nil
        _ = try server.transfer(place, token: ann) { $0["is_live"]?.boolean == false }
        #expect(try server.https("HEAD", place, token: ann, [tus]).headers["upload-offset"] == "400000")
        let rest = try server.https(
            "PATCH", place, token: ann,
            [tus, ("Upload-Offset", "400000"), ("Content-Type", "application/offset+octet-stream")],
            body: Array(content.dropFirst(400_000)))
        let file = try #require(rest.headers["teahouse-file"])
        #expect(try server.https("GET", "/api/v1/files/\(file)", token: ann).body == content)
    }

    @Test("an app that asked over TLS is sent to TLS: place, link and picture of the message")
    func links() throws {
        let server = try Self.server()
        let ann = try server.token("ann")
        let content = Sample.noise(100_000)
        let asked = try server.https("GET", "/v1/file/upload?path=/1/bob/a.bin&type=chat", token: ann)
        let url = try #require(asked.json["url"]?.string, "\(asked.text)")
        let base = "https://127.0.0.1:\(server.port)"
        #expect(url.hasPrefix(base + "/f/th-l"))
        let sent = try server.https(
            "POST", String(url.dropFirst(base.count)), [UploadScenarios.formType], body: UploadScenarios.form(content))
        #expect(sent.status == 200)
        let link = try #require(sent.json["link"]?.string)
        let path = try LinkScenarios.path(of: sent.json["path"]?.string, server, isEncrypted: true)
        for target in [link, path] {
            let read = try server.https("GET", target)
            #expect(read.status == 200 && read.body == content, "\(target)")
        }
        let part = try server.https("GET", link, [("Range", "bytes=-7")])
        #expect(part.status == 206 && part.body == Array(content.suffix(7)))
        let plain = try server.http("GET", "/v1/file/upload?path=/1/bob/a.bin&type=chat", token: ann)
        #expect(plain.json["url"]?.string?.hasPrefix("http://127.0.0.1:") == true)
    }
}
