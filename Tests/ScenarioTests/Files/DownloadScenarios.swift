import ByteCodec
import ChatModel
import Execution
import Foundation
import TeahouseTesting
import Testing
import Transfers

/// Files on their way out, over real sockets.
struct DownloadScenarios {
    @Test("the whole content, with all that a browser and a proxy must know")
    func whole() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(600_000)
        let path = try server.upload(ann, content, name: "%E8%8C%B6.bin")
        let reply = try server.http("GET", path, token: ann)
        #expect(reply.status == 200 && reply.body == content)
        let hash = try #require(reply.headers["etag"])
        #expect(hash.utf8.count == 66 && hash.hasPrefix("\"") && hash.hasSuffix("\""))
        #expect(reply.headers["content-length"] == "600000" && reply.headers["accept-ranges"] == "bytes")
        #expect(reply.headers["content-type"] == "application/octet-stream")
        #expect(
            reply.headers["content-disposition"] == "attachment; filename=\"_.bin\"; filename*=UTF-8''%E8%8C%B6.bin")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        #expect(reply.headers["content-security-policy"] == "sandbox; default-src 'none'")
        #expect(reply.headers["cross-origin-resource-policy"] == "same-origin")
        #expect(reply.headers["referrer-policy"] == "no-referrer")
        #expect(reply.headers["cache-control"] == "private, no-cache")
        #expect(reply.headers["vary"] == "Accept-Encoding, Referer")
        let head = try server.http("HEAD", path, token: ann)
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "600000")
        #expect(head.headers["etag"] == hash)
        #expect(try server.http("GET", path + "/any%20name.bin", token: ann).body == content)
    }

    @Test("a page of a configured origin may show what it may read, one of another origin may not")
    func origins() throws {
        let server = try TestServer.withFiles { $0.transport.origins = ["https://app.example.com"] }
        let ann = try server.token("ann")
        let path = try server.upload(ann, Sample.noise(1000), name: "tea.png")
        func policy(_ headers: [(String, String)]) throws -> String? {
            try server.http("GET", path, token: ann, headers: headers).headers["cross-origin-resource-policy"]
        }
        // Source: the Fetch standard; a browser asks for a picture without Origin, and names the page in Referer.
        #expect(try policy([("Referer", "https://app.example.com/")]) == "cross-origin")
        #expect(try policy([("Referer", "https://APP.example.com/chat?to=ling")]) == "cross-origin")
        #expect(try policy([("Referer", "https://app.example.com")]) == "cross-origin")
        for other in [
            "https://app.example.com.evil.net/", "https://evil.net/https://app.example.com/",
            "http://app.example.com/", "https://app.example.com:8443/", "https://app.example.com@evil.net/", "null", "",
        ] {
            #expect(try policy([("Referer", other)]) == "same-origin", "\(other)")
        }
        #expect(try policy([]) == "same-origin")
        let read = try server.http("GET", path, token: ann, headers: [("Origin", "https://app.example.com")])
        #expect(read.headers["cross-origin-resource-policy"] == "cross-origin")
        #expect(read.headers["access-control-allow-origin"] == "https://app.example.com")
        let evil = try server.http("GET", path, token: ann, headers: [("Origin", "https://evil.net")])
        #expect(evil.status == 403)
    }

    @Test("one range, the last bytes, what is not there, and what is no range")
    func ranges() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        for content in [Sample.noise(800_000), Sample.text(800_000)] {
            let path = try server.upload(ann, content)
            let ask: (String) throws -> HTTPReply = { range in
                try server.http("GET", path, token: ann, headers: [("Range", range), ("Accept-Encoding", "gzip")])
            }
            var random = SystemRandomNumberGenerator()
            for _ in 0..<20 {
                let first = Int.random(in: 0..<content.count, using: &random)
                let last = min(content.count - 1, first + [0, 1, 999, 262_144].randomElement(using: &random)!)
                let reply = try ask("bytes=\(first)-\(last)")
                #expect(reply.status == 206 && reply.body == Array(content[first...last]), "\(first)-\(last)")
                #expect(reply.headers["content-range"] == "bytes \(first)-\(last)/800000")
                #expect(reply.headers["content-encoding"] == nil)
            }
            #expect(try ask("bytes=-5").body == Array(content.suffix(5)))
            #expect(try ask("bytes=799999-900000").body == Array(content.suffix(1)))
            let beyond = try ask("bytes=800000-")
            #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */800000")
            for wrong in [
                "bytes=5-1", "bytes=0-1,5-6", "lines=1-2",
                "bytes=" + Array(repeating: "0-", count: 500).joined(separator: ","),
            ] {
                let reply = try ask(wrong)
                #expect(reply.status == 200 && reply.body == content && reply.headers["content-encoding"] == nil)
            }
        }
    }

    @Test("gzip is the stored bytes, with a tag of its own")
    func gzip() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.text(900_000)
        let path = try server.upload(ann, content, name: "a.txt", type: "text/plain")
        let packed = try server.http("GET", path, token: ann, headers: [("Accept-Encoding", "br, gzip")])
        #expect(packed.status == 200 && packed.headers["content-encoding"] == "gzip")
        #expect(packed.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(packed.headers["content-length"] == String(packed.body.count) && packed.body.count < content.count / 2)
        #expect(packed.body.starts(with: [0x1F, 0x8B]))
        let plain = try server.http("GET", path, token: ann)
        #expect(plain.body == content && plain.headers["content-encoding"] == nil)
        let tag = try #require(plain.headers["etag"])
        let packedTag = String(tag.dropLast()) + "-gz\""
        #expect(packed.headers["etag"] == packedTag)
        let head = try server.http("HEAD", path, token: ann, headers: [("Accept-Encoding", "gzip")])
        #expect(head.headers["etag"] == packedTag && head.headers["content-length"] == String(packed.body.count))
        let known = try server.http(
            "GET", path, token: ann, headers: [("Accept-Encoding", "gzip"), ("If-None-Match", packedTag)])
        #expect(known.status == 304 && known.body.isEmpty && known.headers["etag"] == packedTag)
        let noise = try server.upload(ann, Sample.noise(300_000))
        let asIs = try server.http("GET", noise, token: ann, headers: [("Accept-Encoding", "gzip")])
        #expect(asIs.headers["content-encoding"] == nil && asIs.body == Sample.noise(300_000))
    }

    @Test("conditions: not again what is known, nothing of what has changed")
    func conditions() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(1000)
        let path = try server.upload(ann, content)
        let tag = try #require(try server.http("GET", path, token: ann).headers["etag"])
        let ask: ([(String, String)]) throws -> HTTPReply = { try server.http("GET", path, token: ann, headers: $0) }
        let known = try ask([("If-None-Match", "\"x\", W/\(tag)")])
        #expect(known.status == 304 && known.headers["cache-control"] == "private, no-cache")
        #expect(try ask([("If-None-Match", "\"x\"")]).status == 200)
        #expect(try ask([("If-Match", "\"x\"")]).status == 412)
        #expect(try ask([("If-Match", tag)]).status == 200)
        let part = try ask([("Range", "bytes=10-"), ("If-Range", tag)])
        #expect(part.status == 206 && part.body == Array(content.dropFirst(10)))
        let other = try ask([("Range", "bytes=10-"), ("If-Range", "\"x\"")])
        #expect(other.status == 200 && other.body == content)
    }

    @Test("what a browser may show is what it says it is; the rest is saved")
    func inline() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Sample.noise(1000)
        let page = Array("<script>alert(1)</script>".utf8)
        for (bytes, declared, type, isInline) in [
            (png, "image/png", "image/png", true), (page, "image/png", "application/octet-stream", false),
            (png, "text/html", "application/octet-stream", false),
            (page, "text/html", "application/octet-stream", false),
            (page, "image/svg+xml", "application/octet-stream", false),
            (page, "text/plain", "text/plain; charset=utf-8", true), (png, "audio/amr", "audio/amr", false),
        ] {
            let path = try server.upload(ann, bytes, name: "x", type: declared)
            let whole = try server.http("GET", path, token: ann)
            let part = try server.http("GET", path, token: ann, headers: [("Range", "bytes=5-6")])
            for reply in [whole, part] {
                #expect(reply.headers["content-type"] == type, "\(declared)")
                #expect(reply.headers["content-disposition"]?.hasPrefix(isInline ? "inline;" : "attachment;") == true)
            }
        }
    }

    @Test("a file is read by who sees a message with it, and by nobody else; after a recall by nobody")
    func access() throws {
        let server = try TestServer.withFiles()
        let (ann, bob, eve) = (try server.token("ann"), try server.token("bob"), try server.token("eve"))
        try server.group("tea", ["ann", "bob"])
        let path = try server.upload(ann, Sample.noise(100))
        let status: (String?) throws -> Int = { try server.http("GET", path, token: $0).status }
        #expect(try status(ann) == 200)
        #expect(try status(bob) == 404)
        #expect(try status(try server.managerToken()) == 200)
        #expect(try status(nil) == 401)
        #expect(try status("wrong") == 401)
        let client = try server.connect("ann", token: ann)
        let sent = try client.publish("see \(path)", to: "tea", group: true)
        #expect(sent.reason == 1)
        #expect(try status(bob) == 200)
        #expect(try status(eve) == 404)
        let recalled = try server.http(
            "POST", "/v1/message/revoke?channel_id=tea&channel_type=2&message_id=\(sent.messageID)", token: ann)
        #expect(recalled.status == 200)
        #expect(try status(bob) == 404)
    }

    @Test("a file that is removed is gone; only its owner and the manager remove it")
    func removed() throws {
        let server = try TestServer.withFiles()
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        let path = try server.upload(ann, Sample.noise(100))
        #expect(try server.http("DELETE", path, token: bob).status == 404)
        #expect(try server.http("GET", path, token: ann).status == 200)
        #expect(try server.http("DELETE", path, token: ann).status == 204)
        #expect(try server.http("GET", path, token: ann).status == 404)
        #expect(try server.http("DELETE", path, token: ann).status == 404)
    }

    @Test("a file that is not complete cannot be read")
    func incomplete() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let place = try server.beginUpload(ann, size: 10)
        #expect(try server.patch(place, token: ann, at: 0, [1, 2]).status == 204)
        let file = try server.transfer(place, token: ann) { _ in true }["file"]?.string
        #expect(try server.http("GET", "/api/v1/files/\(try #require(file))", token: ann).status == 409)
    }

    /// The content files of a server.
    static func objects(_ server: TestServer) throws -> [URL] {
        let root = URL(fileURLWithPath: server.folder.path + "/files/objects")
        let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
        return (found?.compactMap { $0 as? URL } ?? []).filter { url in
            url.pathExtension != "idx" && (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        }
    }

    @Test("a damaged content breaks the answer off: it is never taken for the whole")
    func damaged() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(2_000_000)
        let path = try server.upload(ann, content)
        let object = try #require(try Self.objects(server).first)
        let file = try FileHandle(forUpdating: object)
        try file.seek(toOffset: 1_500_000)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: 1_500_000)
        try file.write(contentsOf: [byte ^ 1])
        try file.close()
        let reply = try server.http("GET", path, token: ann)
        #expect(reply.status == 200 && reply.headers["content-length"] == "2000000")
        #expect(reply.body.count < 1_500_001 && reply.body == Array(content.prefix(reply.body.count)))
        let again = try server.http("GET", path, token: ann, headers: [("Range", "bytes=1500000-1500010")])
        #expect(again.status == 500 && again.json["status"]?.integer == 500)
    }

    @Test("an answer is one task: nobody sees how the server looks at the beginning of a file")
    func oneTask() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let path = try server.upload(ann, Sample.noise(100_000))
        let told = Lock<Set<TransferKey>>([])
        let watch = server.server.transfers.watch(owner: nil) { views in
            told.withLock { $0.formUnion(views.map(\.record.key)) }
        }
        #expect(try server.http("HEAD", path, token: ann).status == 200)
        #expect(told.withLock { $0.isEmpty })
        #expect(try server.http("GET", path, token: ann).status == 200)
        #expect(told.withLock { $0.count } == 1)
        watch.end()
    }

    @Test("a download is a task that can be held and ended")
    func held() throws {
        // While the clock stands still a quarter of a second of the rate goes out, and then nothing.
        let hands = ManualClock()
        let server = try TestServer.withFiles { options in
            options.clock = hands.clock
            options.store.clock = hands.clock
            options.accounts.clock = hands.clock
            options.files.transfers.caps = [.attachment: BandwidthCap(downloadBytesPerSecond: 1_000_000)]
        }
        let ann = try server.token("ann")
        let content = Sample.noise(3_000_000)
        let path = try server.upload(ann, content)
        let client = try server.socket()
        try client.send(
            raw: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\ntoken: \(ann)\r\n\r\n")
        var keys: [String] = []
        try waitUntil {
            keys = try server.openTransfers(token: ann).compactMap { task in
                task["direction"]?.string == "download" && (task["offset"]?.integer ?? 0) > 0 ? task["id"]?.string : nil
            }
            return !keys.isEmpty
        }
        let key = try #require(keys.first)
        let held = try server.http("POST", "/api/v1/transfers/\(key)/suspend", token: ann)
        #expect(held.json["state"]?.string == "suspended")
        let resumed = try server.http("POST", "/api/v1/transfers/\(key)/resume", token: ann)
        #expect(resumed.status == 200)
        let cancelled = try server.http("POST", "/api/v1/transfers/\(key)/cancel", token: ann)
        #expect(cancelled.status == 200)
        let reply = try HTTPTestClient.parse(try client.allBytes())
        #expect(reply.status == 200 && reply.body.count < content.count)
        #expect(reply.body == Array(content.prefix(reply.body.count)))
    }
}
