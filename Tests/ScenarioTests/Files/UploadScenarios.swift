import ByteCodec
import TeahouseTesting
import Testing

/// Files on their way in, over real sockets.
struct UploadScenarios {
    @Test("tus: created, sent in two parts, asked after, and there")
    func inTwoParts() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.text(700_000)
        let metadata = "filename dGVhLnR4dA==,filetype dGV4dC9wbGFpbg==,note"
        let place = try server.beginUpload(ann, size: content.count, metadata: metadata)
        #expect(place.hasPrefix("/api/v1/uploads/th-t"))
        let first = try server.patch(place, token: ann, at: 0, Array(content.prefix(300_001)))
        #expect(first.status == 204 && first.body.isEmpty)
        #expect(first.headers["upload-offset"] == "300001" && first.headers["tus-resumable"] == "1.0.0")
        #expect(first.headers["upload-expires"]?.hasSuffix(" GMT") == true)
        let file = try #require(first.headers["teahouse-file"])
        let asked = try server.tus("HEAD", place, token: ann)
        #expect(asked.status == 200 && asked.headers["cache-control"] == "no-store")
        #expect(asked.headers["upload-offset"] == "300001" && asked.headers["upload-length"] == "700000")
        #expect(asked.headers["upload-metadata"] == metadata)
        let last = try server.patch(place, token: ann, at: 300_001, Array(content.dropFirst(300_001)))
        #expect(last.status == 204 && last.headers["upload-offset"] == "700000")
        #expect(last.headers["upload-expires"] == nil && last.headers["teahouse-file"] == file)
        let after = try server.tus("HEAD", place, token: ann)
        #expect(after.headers["upload-offset"] == "700000" && after.headers["teahouse-file"] == file)
        let read = try server.http("GET", "/api/v1/files/\(file)", token: ann)
        #expect(read.body == content)
        #expect(read.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(read.headers["content-disposition"] == "inline; filename=\"tea.txt\"")
    }

    @Test("tus: an upload may bring its first bytes, or all of them, or have none")
    func creationWithUpload() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(5000)
        let type = ("Content-Type", "application/offset+octet-stream")
        let some = try server.tus(
            "POST", "/api/v1/files", token: ann, [("Upload-Length", "5000"), type], body: Array(content.prefix(1000)))
        #expect(some.status == 201 && some.headers["upload-offset"] == "1000")
        let place = try #require(some.headers["location"])
        let rest = try server.patch(place, token: ann, at: 1000, Array(content.dropFirst(1000)))
        let file = try #require(rest.headers["teahouse-file"])
        #expect(try server.http("GET", "/api/v1/files/\(file)", token: ann).body == content)
        let all = try server.tus("POST", "/api/v1/files", token: ann, [("Upload-Length", "5000"), type], body: content)
        #expect(all.status == 201 && all.headers["upload-offset"] == "5000")
        let second = try #require(all.headers["teahouse-file"])
        #expect(second != file)
        #expect(try server.http("GET", "/api/v1/files/\(second)", token: ann).body == content)
        let none = try server.tus("POST", "/api/v1/files", token: ann, [("Upload-Length", "0")])
        #expect(none.status == 201 && none.headers["upload-offset"] == "0")
        let empty = try #require(none.headers["teahouse-file"])
        let read = try server.http("GET", "/api/v1/files/\(empty)", token: ann)
        #expect(read.status == 200 && read.body.isEmpty && read.headers["content-length"] == "0")
    }

    @Test("a picture whose type is malformed opens as a picture", arguments: ["put", "form", "tus"])
    func malformedType(_ way: String) throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
        let file: String
        switch way {
        case "put":
            let reply = try server.http(
                "PUT", "/api/v1/files?name=photo", token: ann, headers: [("Content-Type", "undefined")], body: png)
            file = try #require(reply.json["id"]?.string)
            #expect(reply.json["type"]?.string == "image/png")
        case "form":
            let place = "form-data; name=\"file\"; filename=\"photo\""
            let head = "--b\r\nContent-Disposition: \(place)\r\nContent-Type: x\r\n\r\n"
            let reply = try server.http(
                "POST", "/api/v1/files", token: ann, headers: [("Content-Type", "multipart/form-data; boundary=b")],
                body: Array(head.utf8) + png + Array("\r\n--b--\r\n".utf8))
            file = try #require(reply.json["id"]?.string)
            #expect(reply.json["type"]?.string == "image/png")
        default:
            // "photo" and "undefined" in base64.
            let place = try server.beginUpload(
                ann, size: png.count, metadata: "filename cGhvdG8=,filetype dW5kZWZpbmVk")
            let half = try server.patch(place, token: ann, at: 0, Array(png.prefix(4)))
            #expect(half.status == 204)
            let reply = try server.patch(place, token: ann, at: 4, Array(png.dropFirst(4)))
            file = try #require(reply.headers["teahouse-file"])
        }
        let read = try server.http("GET", "/api/v1/files/\(file)", token: ann)
        #expect(read.body == png && read.headers["content-type"] == "image/png")
        #expect(read.headers["content-disposition"] == "inline; filename=\"photo\"")
    }

    @Test("tus: what is offered")
    func options() throws {
        let server = try TestServer.withFiles()
        let reply = try server.http("OPTIONS", "/api/v1/files")
        #expect(reply.status == 204)
        #expect(reply.headers["tus-version"] == "1.0.0" && reply.headers["tus-resumable"] == "1.0.0")
        #expect(reply.headers["tus-extension"] == "creation,creation-with-upload,termination,checksum,expiration")
        #expect(reply.headers["tus-checksum-algorithm"] == "sha1,md5,sha256")
        #expect(reply.headers["tus-max-size"] == String(4 << 30))
    }

    @Test("tus: a wrong offset, type, version or name changes nothing")
    func refusedPatches() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let eve = try server.token("eve")
        let place = try server.beginUpload(ann, size: 100)
        let bytes = [UInt8](repeating: 7, count: 10)
        let offset = try server.patch(place, token: ann, at: 5, bytes)
        #expect(offset.status == 409 && offset.headers["tus-resumable"] == "1.0.0")
        #expect(try server.tus("PATCH", place, token: ann, [("Upload-Offset", "0")], body: bytes).status == 415)
        let version = try server.http(
            "PATCH", place, token: ann, headers: [("Tus-Resumable", "0.2.2"), ("Upload-Offset", "0")], body: bytes)
        #expect(version.status == 412 && version.headers["tus-version"] == "1.0.0")
        for (path, token) in [(place, eve), ("/api/v1/uploads/th-t" + String(repeating: "a", count: 26), ann)] {
            #expect(try server.patch(path, token: token, at: 0, bytes).status == 404)
            let asked = try server.tus("HEAD", path, token: token)
            #expect(asked.status == 404 && asked.headers["upload-offset"] == nil)
            #expect(try server.tus("DELETE", path, token: token).status == 404)
        }
        #expect(try server.tus("HEAD", place, token: ann).headers["upload-offset"] == "0")
        let overridden = try server.tus(
            "POST", place, token: ann,
            [
                ("X-HTTP-Method-Override", "PATCH"), ("Upload-Offset", "0"),
                ("Content-Type", "application/offset+octet-stream"),
            ], body: bytes)
        #expect(overridden.status == 204 && overridden.headers["upload-offset"] == "10")
    }

    @Test("tus: an upload that is ended is gone")
    func terminated() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let place = try server.beginUpload(ann, size: 100)
        #expect(try server.patch(place, token: ann, at: 0, [1, 2, 3]).status == 204)
        #expect(try server.tus("DELETE", place, token: ann).status == 204)
        #expect(try server.tus("HEAD", place, token: ann).status == 410)
        #expect(try server.patch(place, token: ann, at: 3, [4]).status == 410)
        #expect(try server.tus("DELETE", place, token: ann).status == 410)
        #expect(try server.openTransfers(token: ann) == [])
    }

    @Test(
        "tus: a body with the right checksum is taken, with a wrong one nothing of it stays",
        arguments: [
            ("sha1", "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), ("md5", "kAFQmDzST7DWlj99KOF/cg=="),
            ("sha256", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        ])
    func checksums(_ algorithm: String, _ digest: String) throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let place = try server.beginUpload(ann, size: 6)
        let sum = ("Upload-Checksum", "\(algorithm) \(digest)")
        #expect(try server.patch(place, token: ann, at: 0, Array("abd".utf8), [sum]).status == 460)
        #expect(try server.tus("HEAD", place, token: ann).headers["upload-offset"] == "0")
        let right = try server.patch(place, token: ann, at: 0, Array("abc".utf8), [sum])
        #expect(right.status == 204 && right.headers["upload-offset"] == "3")
        let unknown = try server.patch(place, token: ann, at: 3, [1], [("Upload-Checksum", "crc32 AAAA")])
        #expect(unknown.status == 400)
        let last = try server.patch(place, token: ann, at: 3, Array("abc".utf8), [sum])
        #expect(last.status == 204 && last.headers["upload-expires"] == nil)
    }

    @Test("a connection that breaks loses nothing that came")
    func cut() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(600_000)
        let place = try server.beginUpload(ann, size: content.count)
        let request = try SlowRequest(server, place, token: ann, at: 0, length: content.count)
        try request.send(Array(content.prefix(400_000)))
        _ = try server.transfer(place, token: ann) { $0["offset"]?.integer == 400_000 }
        request.drop()
        _ = try server.transfer(place, token: ann) { $0["is_live"]?.boolean == false }
        #expect(try server.tus("HEAD", place, token: ann).headers["upload-offset"] == "400000")
        try server.restart()
        #expect(try server.tus("HEAD", place, token: ann).headers["upload-offset"] == "400000")
        let rest = try server.patch(place, token: ann, at: 400_000, Array(content.dropFirst(400_000)))
        let file = try #require(rest.headers["teahouse-file"])
        #expect(try server.http("GET", "/api/v1/files/\(file)", token: ann).body == content)
    }

    @Test("who declares little and sends much is refused, and the upload is where it was")
    func bomb() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let place = try server.beginUpload(ann, size: 1024)
        let reply = try server.patch(place, token: ann, at: 0, [UInt8](repeating: 0, count: 300_000))
        #expect(reply.status == 413)
        #expect(try server.tus("HEAD", place, token: ann).headers["upload-offset"] == "0")
        #expect(try server.patch(place, token: ann, at: 0, [UInt8](repeating: 7, count: 1024)).status == 204)
        let short = try server.beginUpload(ann, size: 10)
        let small = try server.patch(short, token: ann, at: 0, [UInt8](repeating: 0, count: 11))
        #expect(small.status == 413)
    }

    @Test("one connection at a time goes on with an upload")
    func busy() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let place = try server.beginUpload(ann, size: 10)
        let request = try SlowRequest(server, place, token: ann, at: 0, length: 10)
        try request.send([1, 2, 3])
        _ = try server.transfer(place, token: ann) { $0["offset"]?.integer == 3 }
        let second = try server.patch(place, token: ann, at: 3, [4])
        #expect(second.status == 423 && second.headers["retry-after"] == "1")
        try request.send([4, 5, 6, 7, 8, 9, 10])
        let reply = try request.reply()
        #expect(reply.status == 204 && reply.headers["upload-offset"] == "10")
    }

    @Test("a whole file as the body, however its length is told, under a name that is only a name")
    func put() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(200_000)
        let reply = try server.http(
            "PUT", "/api/v1/files/..%2F..%2F%E8%8C%B6.bin", token: ann, body: content)
        #expect(reply.status == 201)
        #expect(reply.json["name"]?.string == "\u{8336}.bin" && reply.json["size"]?.integer == 200_000)
        let path = try #require(reply.json["url"]?.string)
        #expect(reply.headers["location"] == path)
        #expect(reply.headers["teahouse-file"] == reply.json["id"]?.string)
        #expect(try server.http("GET", path, token: ann).body == content)
        let chunked = try SlowRequest(server, "PUT", "/api/v1/files?name=b", token: ann, [], length: nil)
        try chunked.send(Array("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n".utf8))
        let made = try chunked.reply()
        #expect(made.status == 201 && made.json["size"]?.integer == 11)
        let other = try #require(made.json["url"]?.string)
        #expect(try server.http("GET", other, token: ann).text == "hello world")
        #expect(try server.http("PUT", "/api/v1/files?name=c", token: ann).status == 411)
    }

    @Test("a whole file that breaks off leaves nothing behind")
    func cutPut() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let request = try SlowRequest(server, "PUT", "/api/v1/files?name=a", token: ann, [], length: 1000)
        try request.send([1, 2, 3])
        var open: [JSONValue] = []
        try waitUntil {
            open = try server.openTransfers(token: ann)
            return !open.isEmpty
        }
        let key = try #require(open.first?["id"]?.string)
        request.drop()
        _ = try server.transfer(key, token: ann) { $0["state"]?.string == "cancelled" }
        #expect(try server.openTransfers(token: ann) == [])
    }

    static func form(_ content: [UInt8], name: String = "a.txt", before: String = "") -> [UInt8] {
        let head = "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n"
        return Array((before + head).utf8) + content + Array("\r\n--b0--\r\n".utf8)
    }

    static let formType = ("Content-Type", "multipart/form-data; boundary=b0")

    @Test("a form brings a file among its fields")
    func form() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(300_000) + Array("\r\n--b\r\n".utf8)
        let field = "--b0\r\nContent-Disposition: form-data; name=\"contenttype\"\r\n\r\ntext/csv\r\n"
        let reply = try server.http(
            "POST", "/api/v1/files", token: ann, headers: [Self.formType],
            body: Self.form(content, name: "\u{8336} %22x%22.csv", before: field))
        #expect(reply.status == 201)
        #expect(reply.json["name"]?.string == "\u{8336} \"x\".csv" && reply.json["type"]?.string == "text/csv")
        let path = try #require(reply.json["url"]?.string)
        #expect(try server.http("GET", path, token: ann).body == content)
    }

    @Test("a form that is none, or has no file, leaves nothing behind")
    func badForms() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let ask: ([UInt8], (String, String)) throws -> HTTPReply = { body, type in
            try server.http("POST", "/api/v1/files", token: ann, headers: [type], body: body)
        }
        let noFile = "--b0\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b0--"
        #expect(try ask(Array(noFile.utf8), Self.formType).status == 400)
        let cut = Self.form(Sample.noise(1000)).dropLast(12)
        #expect(try ask(Array(cut), Self.formType).status == 400)
        let two = Self.form([1]).dropLast(4) + Array("\r\n".utf8) + Self.form([2])
        #expect(try ask(Array(two), Self.formType).status == 400)
        #expect(try ask([1], ("Content-Type", "multipart/form-data")).status == 400)
        #expect(try ask([1], ("Content-Type", "text/plain")).status == 415)
        for open in try server.openTransfers(token: ann) {
            let key = try #require(open["id"]?.string)
            _ = try server.transfer(key, token: ann) { $0["state"]?.string == "cancelled" }
        }
    }

    @Test("who has no token, or a wrong one, or another's right, uploads nothing")
    func strangers() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        try server.add("bob")
        let long = [UInt8](repeating: 1, count: 200_000)
        for token in [nil, "wrong"] as [String?] {
            for body in [[1], long] as [[UInt8]] {
                let reply = try server.http("PUT", "/api/v1/files?name=a", token: token, body: body)
                #expect(reply.status == 401 && reply.json["status"]?.integer == 401)
                #expect(reply.json["error"]?.string?.isEmpty == false)
            }
            #expect(try server.tus("POST", "/api/v1/files", token: token, [("Upload-Length", "1")]).status == 401)
        }
        #expect(try server.http("PUT", "/api/v1/files?name=a&uid=bob", token: ann, body: [1]).status == 403)
        let bearer = try server.http(
            "PUT", "/api/v1/files?name=a", headers: [("Authorization", "Bearer \(ann)")], body: [1])
        #expect(bearer.status == 201 && bearer.json["owner"]?.string == "ann")
        let manager = try server.managerToken()
        let forBob = try server.http("PUT", "/api/v1/files?name=a&uid=bob", token: manager, body: [1])
        #expect(forBob.status == 201 && forBob.json["owner"]?.string == "bob")
        #expect(try server.http("PUT", "/api/v1/files?name=a&uid=nobody", token: manager, body: [1]).status == 404)
    }

    @Test("who waits to be told to go on is told once it is known that they may, and not at all when they may not")
    func expectContinue() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let ask: (String, [UInt8]) throws -> String = { token, body in
            let client = try server.socket()
            let head =
                "PUT /api/v1/files?name=a HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\ntoken: \(token)\r\n"
                + "Connection: close\r\nExpect: 100-continue\r\nContent-Length: 100000\r\n\r\n"
            try client.send(raw: Array(head.utf8) + body)
            return try client.everything()
        }
        let welcome = try ask(ann, [UInt8](repeating: 1, count: 100_000))
        #expect(welcome.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n"))
        #expect(try ask("wrong", []).hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
    }

    @Test("suspended means held back: the connection waits, and goes on where it was")
    func suspended() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(3_000_000)
        let place = try server.beginUpload(ann, size: content.count)
        let key = try #require(place.split(separator: "/").last)
        let request = try SlowRequest(server, place, token: ann, at: 0, length: content.count)
        try request.send(Array(content.prefix(1000)))
        _ = try server.transfer(place, token: ann) { $0["offset"]?.integer == 1000 }
        let held = try server.http("POST", "/api/v1/transfers/\(key)/suspend", token: ann)
        #expect(held.status == 200 && held.json["state"]?.string == "suspended")
        // More than all buffers on the way take would wait here for ever.
        try request.send(Array(content[1000..<100_000]))
        let still = try server.http("GET", "/api/v1/transfers/\(key)", token: ann).json
        #expect(still["offset"]?.integer == 1000 && still["is_live"]?.boolean == true)
        let resumed = try server.http("POST", "/api/v1/transfers/\(key)/resume", token: ann)
        #expect(resumed.status == 200 && resumed.json["state"]?.string != "suspended")
        try request.send(Array(content.dropFirst(100_000)))
        let reply = try request.reply()
        #expect(reply.status == 204)
        let file = try #require(reply.headers["teahouse-file"])
        #expect(try server.http("GET", "/api/v1/files/\(file)", token: ann).body == content)
    }

    @Test("the bounds of a person: uploads at once, bytes of a file, bytes in all")
    func bounds() throws {
        let server = try TestServer.withFiles { options in
            options.store.files.openUploads = 1
            options.store.files.fileBytes = 2000
            options.store.files.personBytes = 3000
        }
        let ann = try server.token("ann")
        let place = try server.beginUpload(ann, size: 10)
        let second = try server.tus("POST", "/api/v1/files", token: ann, [("Upload-Length", "10")])
        #expect(second.status == 429 && second.headers["retry-after"] != nil)
        #expect(second.headers["tus-resumable"] == "1.0.0")
        #expect(try server.tus("DELETE", place, token: ann).status == 204)
        #expect(try server.http("PUT", "/api/v1/files?name=a", token: ann, body: Sample.noise(2001)).status == 413)
        _ = try server.upload(ann, Sample.noise(2000))
        let full = try server.http("PUT", "/api/v1/files?name=a", token: ann, body: Sample.noise(1500))
        #expect(full.status == 507 && full.json["error"]?.string?.contains("3000") == true)
        _ = try server.upload(ann, Sample.noise(900))
    }

    @Test("a cancelled upload tells its connection")
    func cancelled() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let place = try server.beginUpload(ann, size: 1_000_000)
        let key = try #require(place.split(separator: "/").last)
        let request = try SlowRequest(server, place, token: ann, at: 0, length: 1_000_000)
        try request.send([1, 2, 3])
        _ = try server.transfer(place, token: ann) { $0["offset"]?.integer == 3 }
        let eve = try server.token("eve")
        #expect(try server.http("POST", "/api/v1/transfers/\(key)/cancel", token: eve).status == 404)
        let done = try server.http("POST", "/api/v1/transfers/\(key)/cancel", token: ann)
        #expect(done.status == 200 && done.json["state"]?.string == "cancelled")
        #expect(try request.reply().status == 410)
    }
}
