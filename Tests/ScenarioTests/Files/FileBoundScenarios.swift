import ByteCodec
import ChatModel
import Execution
import Store
import TeahouseTesting
import Testing
import Transfers

/// Bounds and bans of an operator, and that nothing else suffers.
struct FileBoundScenarios {
    @Test("links that are switched off: none is made or served, and sessions read, write and send as before")
    func linksOff() throws {
        let servesLinks = Lock(true)
        let server = try TestServer.withFiles { options in
            let serves = servesLinks.withLock { $0 }
            options.store.files.makesLinks = serves
            options.files.routes.servesLinks = serves
        }
        let ann = try server.token("ann")
        let bob = try server.token("bob")
        try server.group("tea", ["ann", "bob"])
        let content = Sample.noise(1000)
        let reply = try LinkScenarios.form(server, try LinkScenarios.place(server, for: "ann"), content)
        let link = try #require(reply.json["link"]?.string)
        let path = try LinkScenarios.path(of: reply.json["path"]?.string, server)
        let url = try #require(reply.json["url"]?.string)
        let unused = try LinkScenarios.place(server, for: "ann")
        #expect(try server.http("GET", link).status == 200)
        servesLinks.withLock { $0 = false }
        try server.restart()
        for target in [link, path, "/v1/users/ann/avatar", "/v1/groups/tea/avatar"] {
            #expect(try server.http("GET", target).status == 404, "\(target)")
        }
        #expect(try LinkScenarios.form(server, unused, content).status == 404)
        #expect(try server.http("PUT", unused + "/a", body: [1]).status == 404)
        #expect(throws: StoreError.self) { try LinkScenarios.place(server, for: "ann") }
        let asked = try server.http("GET", "/v1/file/upload?path=/2/tea/a.bin&type=chat", token: ann)
        #expect(asked.status >= 400 && asked.json["url"] == nil)
        // Everything with a session.
        #expect(try server.http("GET", url, token: ann).body == content)
        let made = try server.upload(ann, content, name: "b.bin")
        let client = try server.connect("ann", token: ann)
        #expect(try client.publish("see \(made)", to: "tea", group: true).reason == 1)
        #expect(try server.http("GET", made, token: bob).body == content)
        let place = try server.beginUpload(ann, size: 10)
        #expect(try server.patch(place, token: ann, at: 0, [UInt8](repeating: 1, count: 10)).status == 204)
        // The operator's messages have no link then.
        let hand = try server.hand(content, as: "茶.bin")
        #expect(server.ctl("upload", hand, "--as", "ann", "--to", "tea").code == .done)
        let last = try #require(try server.history(.channel(.group, ChannelName("tea")!), seenBy: "bob").first)
        let body = String(decoding: last.content.body, as: UTF8.self)
        #expect(body.contains("th-f") && !body.contains("th-l"))
        // Back on, what was there is there again.
        servesLinks.withLock { $0 = true }
        try server.restart()
        #expect(try server.http("GET", link).body == content)
    }

    @Test("a person's room counts what is only begun, comes back when that is given up, and is nobody else's")
    func room() throws {
        let server = try TestServer.withFiles { $0.store.files.personBytes = 10_000 }
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        let place = try server.beginUpload(ann, size: 8000)
        let full = try server.http("PUT", "/api/v1/files?name=a", token: ann, body: Sample.noise(2001))
        #expect(full.status == 507)
        let tus = try server.tus("POST", "/api/v1/files", token: ann, [("Upload-Length", "2001")])
        #expect(tus.status == 507 && tus.headers["tus-resumable"] == "1.0.0")
        _ = try server.upload(bob, Sample.noise(9000))
        // Messages do not need room for files.
        let client = try server.connect("ann", token: ann)
        #expect(try client.publish("tea?", to: "bob").reason == 1)
        #expect(try server.tus("DELETE", place, token: ann).status == 204)
        let made = try server.upload(ann, Sample.noise(2001))
        #expect(try server.http("DELETE", made, token: ann).status == 204)
        _ = try server.upload(ann, Sample.noise(9999, seed: 4))
        // The operator is not held by a person's bounds; what was put there counts all the same.
        let hand = try server.hand(Sample.noise(2001), as: "a")
        #expect(server.ctl("upload", hand, "--as", "ann").code == .done)
        #expect(try server.http("PUT", "/api/v1/files?name=a", token: ann, body: [1]).status == 507)
    }

    @Test("the room of all files together holds everybody, also the operator")
    func roomOfAll() throws {
        let server = try TestServer.withFiles { $0.store.files.allBytes = 10_000 }
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        _ = try server.upload(ann, Sample.noise(9000))
        #expect(try server.http("PUT", "/api/v1/files?name=a", token: bob, body: Sample.noise(1001)).status == 507)
        let hand = try server.hand(Sample.noise(1001), as: "a")
        let refused = server.ctl("upload", hand, "--as", "ann")
        #expect(refused.code == .refused && refused.error.contains("10000"), "\(refused.error)")
        _ = try server.upload(bob, Sample.noise(1000))
    }

    @Test("so many unfinished uploads and no more, of one person; the next one is told when to come back")
    func open() throws {
        let server = try TestServer.withFiles { $0.store.files.openUploads = 3 }
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        let places = try (0..<3).map { _ in try server.beginUpload(ann, size: 10) }
        for _ in 0..<2 {
            let more = try server.tus("POST", "/api/v1/files", token: ann, [("Upload-Length", "10")])
            #expect(more.status == 429 && Int(more.headers["retry-after"] ?? "") ?? 0 > 0)
        }
        #expect(try server.http("PUT", "/api/v1/files?name=a", token: ann, body: [1]).status == 429)
        _ = try server.beginUpload(bob, size: 10)
        #expect(try server.patch(places[0], token: ann, at: 0, [UInt8](repeating: 1, count: 10)).status == 204)
        _ = try server.beginUpload(ann, size: 10)
    }

    @Test("a body without a declared length ends at the bound of a file, and leaves nothing")
    func undeclared() throws {
        let server = try TestServer.withFiles { options in
            options.store.files.fileBytes = 50_000
            options.files.transfers.fileBytes = 50_000
            options.files.routes.fileBytes = 50_000
        }
        let ann = try server.token("ann")
        let request = try SlowRequest(server, "PUT", "/api/v1/files?name=b", token: ann, [], length: nil)
        let chunk = Array("4000\r\n".utf8) + Sample.noise(0x4000) + Array("\r\n".utf8)
        try request.send(chunk + chunk + chunk + chunk)
        #expect(try request.reply().status == 413)
        for open in try server.openTransfers(token: ann) {
            _ = try server.transfer(try #require(open["id"]?.string), token: ann) {
                $0["state"]?.string != "progressing"
            }
        }
        #expect(server.ctl("file", "list", "--json").json["files"]?.array?.isEmpty == true)
        #expect(try DownloadScenarios.objects(server).isEmpty)
    }

    @Test(
        "content that is gzip already is kept as the bytes it is; a request whose body is said to be packed is refused")
    func gzipBomb() throws {
        let server = try TestServer.withFiles { options in
            // What it would become does not fit anywhere.
            options.store.files.personBytes = 5_000_000
        }
        let (ann, eve) = (try server.token("ann"), try server.token("eve"))
        let zeros = [UInt8](repeating: 0, count: 4_000_000)
        let source = try server.upload(eve, zeros)
        let bomb = try server.http("GET", source, token: eve, headers: [("Accept-Encoding", "gzip")]).body
        #expect(bomb.count < 20_000 && bomb.starts(with: [0x1F, 0x8B]))
        // Concatenated members are one gzip file of 40 MB. Source: RFC 1952, section 2.2.
        let many = (0..<10).flatMap { _ in bomb }
        let ask: ([(String, String)]) throws -> HTTPReply = { headers in
            try server.http("PUT", "/api/v1/files?name=bomb.gz", token: ann, headers: headers, body: many)
        }
        let packed = try ask([("Content-Type", "text/plain"), ("Content-Encoding", "gzip")])
        #expect(packed.status == 415 && packed.headers["location"] == nil)
        let made = try ask([("Content-Type", "application/gzip")])
        #expect(made.status == 201 && made.json["size"]?.integer == Int64(many.count))
        let path = try #require(made.headers["location"])
        let read = try server.http("GET", path, token: ann)
        #expect(read.body == many && read.headers["content-encoding"] == nil)
        let key = try #require(path.split(separator: "/").last)
        let shown = server.ctl("file", "show", String(key), "--json").json["file"]
        #expect((shown?["storedSize"]?.integer ?? .max) <= Int64(many.count) + 4096)
    }

    @Test("a capped kind takes what its rate allows and no byte more; another kind does not wait for it")
    func capped() throws {
        let hands = ManualClock()
        let rate: Int64 = 100_000
        let server = try TestServer.withFiles { options in
            options.clock = hands.clock
            options.store.clock = hands.clock
            options.accounts.clock = hands.clock
            options.files.transfers.caps = [.attachment: BandwidthCap(uploadBytesPerSecond: rate)]
        }
        let ann = try server.token("ann")
        // Less than what waits in memory for the disk: sending it does not wait here.
        let content = Sample.noise(400_000)
        let place = try server.beginUpload(ann, size: content.count)
        let request = try SlowRequest(server, place, token: ann, at: 0, length: content.count)
        try request.send(content)
        // While the clock stands still: a quarter of a second was saved up, and what was read from the socket at once,
        // at most 64 KiB, may leave a debt.
        let start: Int64 = rate / 4 + 65_536
        _ = try server.transfer(place, token: ann) { ($0["offset"]?.integer ?? 0) > 0 }
        let hand = try server.hand(Sample.noise(1_000_000, seed: 6), as: "operator.bin")
        #expect(server.ctl("upload", hand, "--as", "ann").code == .done)
        var milliseconds: Int64 = 0
        var offset: Int64 = 0
        while offset < Int64(content.count) && milliseconds < 60_000 {
            let seen = try server.http("GET", "/api/v1/transfers/\(place.split(separator: "/").last!)", token: ann).json
            offset = seen["offset"]?.integer ?? 0
            #expect(offset <= start + rate * milliseconds / 1000)
            hands.advance(milliseconds: 100)
            milliseconds += 100
            let looked = ConditionLock(false)
            server.server.transfers.lookAtClock { looked.change { $0 = true } }
            looked.wait(until: { $0 }, then: { _ in })
        }
        #expect(try request.reply().status == 204)
        #expect(milliseconds >= (Int64(content.count) - start) * 1000 / rate)
    }
}
