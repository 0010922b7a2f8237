import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit
import TeahouseTesting
import Testing

/// What an operator does with uploads and downloads that are under way, against a whole server.
struct OperatorTransferScenarios {
    /// An upload of somebody that has begun and waits for its connection to bring more.
    private final class Running {
        let server: TestServer
        let token: String
        let content = Sample.noise(1_000_000)
        let key: String
        let request: SlowRequest

        init() throws {
            self.server = try TestServer.withFiles()
            self.token = try self.server.token("ann")
            let place = try self.server.beginUpload(
                self.token, size: self.content.count, metadata: "filename 6Iy26aaGLmJpbg==")
            self.key = String(place.split(separator: "/").last ?? "")
            self.request = try SlowRequest(
                self.server, place, token: self.token, at: 0, length: self.content.count)
            try self.request.send(Array(self.content.prefix(250_000)))
            _ = try self.server.transfer(self.key, token: self.token) { $0["offset"]?.integer == 250_000 }
        }

        /// The transfer as the operator sees it.
        func seen() throws -> JSONValue {
            let list = self.server.ctl("transfer", "list", "--all", "--json")
            let all = list.json["transfers"]?.array ?? []
            return try #require(all.first { $0["key"]?.string == self.key }, "\(list.output)\(list.error)")
        }
    }

    @Test("suspended by the operator, an upload keeps its connection, takes nothing more, and goes on")
    func suspended() throws {
        let running = try Running()
        let server = running.server
        let list = server.ctl("transfer", "list")
        #expect(list.output.contains("茶馆.bin") && list.output.contains("25%") && list.output.contains(running.key))
        #expect(server.ctl("transfer", "list", "--of", "ann").output.contains(running.key))
        let held = server.ctl("transfer", "suspend", running.key)
        #expect(held.code == .done && held.output.contains(running.key) && held.output.contains("suspended"))
        #expect(server.ctl("transfer", "suspend", running.key).code == .done)
        try running.request.send(Array(running.content[250_000..<350_000]))
        for _ in 0..<20 {
            let seen = try running.seen()
            #expect(seen["state"]?.string == "suspended" && seen["live"]?.boolean == true)
            #expect(seen["offset"]?.integer == 250_000)
        }
        let resumed = server.ctl("transfer", "resume", running.key, "--json")
        #expect(resumed.code == .done && resumed.json["key"]?.string == running.key)
        #expect(resumed.json["state"]?.string == "progressing" || resumed.json["state"]?.string == "waiting")
        // The same connection, and the bytes that waited in it.
        try running.request.send(Array(running.content.dropFirst(350_000)))
        let reply = try running.request.reply()
        #expect(reply.status == 204 && reply.headers["upload-offset"] == "1000000")
        let file = try #require(reply.headers["teahouse-file"])
        #expect(try server.http("GET", "/api/v1/files/\(file)", token: running.token).body == running.content)
        #expect(try running.seen()["state"]?.string == "succeeded")
        for word in ["suspend", "resume", "cancel"] {
            #expect(server.ctl("transfer", word, running.key).code == .refused, "\(word)")
        }
    }

    @Test("cancelled by the operator, an upload ends, its connection is told, and nothing of it stays")
    func cancelled() throws {
        let running = try Running()
        let server = running.server
        #expect(server.ctl("transfer", "suspend", running.key).code == .done)
        let ended = server.ctl("transfer", "cancel", running.key, "--json")
        #expect(ended.code == .done && ended.json["state"]?.string == "cancelled")
        #expect(try running.request.reply().status == 410)
        #expect(server.ctl("transfer", "list").output == "nothing to show\n")
        #expect(try running.seen()["state"]?.string == "cancelled")
        let upload = "/api/v1/uploads/\(running.key)"
        #expect(try server.tus("HEAD", upload, token: running.token).status == 410)
        #expect(server.ctl("transfer", "resume", running.key).code == .refused)
        #expect(server.ctl("file", "list", "--json").json["files"]?.array?.isEmpty == true)
    }

    @Test("what the operator uploads can be held too: the next piece is answered when it goes on")
    func heldUpload() throws {
        let server = try TestServer.withFiles()
        try server.add("ann")
        let content = Sample.noise(1_000_000)
        let path = try server.hand(content, as: "茶.bin")
        let beginning = try AdminClient(dataFolder: server.folder.path)
        let upload = AdminUpload(
            owner: UserName("ann")!, name: "茶.bin", mediaType: "application/octet-stream", size: 1_000_000,
            source: "0123456789abcdef")
        guard case .transfers(.one(let begun)) = try beginning.ask(.transfers(.upload(upload))) else {
            Issue.record("no upload")
            return
        }
        #expect(server.ctl("transfer", "suspend", begun.key.text).code == .done)
        let piece = AdminPiece(offset: 0, bytes: Array(content.prefix(1000)))
        _ = try beginning.send(.transfers(.piece(piece)))
        // Nothing is answered while it is held: a question of somebody else is, however often it is asked.
        for _ in 0..<10 { #expect(server.ctl("transfer", "list").output.contains("suspended")) }
        #expect(try beginning.nextAnswer(withinMilliseconds: 1)?.id == nil)
        #expect(server.ctl("transfer", "resume", begun.key.text).code == .done)
        guard case .transfers(.taken(let taken)) = try beginning.nextAnswer().answer.get() else {
            Issue.record("the piece was not taken")
            return
        }
        #expect(taken == 1000)
        let done = server.ctl("upload", path, "--as", "ann", "--json")
        #expect(done.code == .done && done.json["offset"]?.integer == 1_000_000)
    }

    @Test("a download that is held goes on where it was, and the client gets every byte")
    func download() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let piece = Sample.noise(1_000_000)
        let content = (0..<16).flatMap { _ in piece }
        let path = try server.upload(ann, content, name: "%E9%BE%99%E4%BA%95.bin")
        let client = try server.socket()
        try client.send(
            raw: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\ntoken: \(ann)\r\n\r\n")
        var key: String?
        try waitUntil {
            let list = server.ctl("transfer", "list", "--json").json["transfers"]?.array ?? []
            key = list.first { ($0["offset"]?.integer ?? 0) > 0 }?["key"]?.string
            return key != nil
        }
        let found = try #require(key)
        let held = server.ctl("transfer", "suspend", found)
        #expect(held.code == .done)
        let list = server.ctl("transfer", "list").output
        #expect(list.contains("龙井.bin") && list.contains("suspended") && list.contains("download"))
        #expect(server.ctl("transfer", "resume", found).code == .done)
        let reply = try HTTPTestClient.parse(try client.allBytes())
        #expect(reply.status == 200 && reply.body == content)
    }

    @Test("who watches sees every state, with Chinese names, as lines and as JSON")
    func watched() throws {
        let running = try Running()
        let server = running.server
        let (lines, json) = (WatchRun(server), WatchRun(server, ["--json"]))
        lines.wait { $0.contains("\(running.key)  upload  ann  茶馆.bin  25%  progressing") }
        #expect(server.ctl("transfer", "suspend", running.key).code == .done)
        lines.wait { $0.contains("25%  suspended\n") }
        json.wait { $0.contains(#""state":"suspended""#) }
        #expect(server.ctl("transfer", "resume", running.key).code == .done)
        try running.request.send(Array(running.content.dropFirst(250_000)))
        #expect(try running.request.reply().status == 204)
        let printed = lines.wait { $0.contains("100%  succeeded\n") }
        #expect(printed.contains("100%  succeeded\n"))
        let events = json.wait { $0.contains(#""state":"succeeded""#) }
        for line in events.split(separator: "\n") { _ = try JSONValue(parsing: Array(line.utf8)) }
        server.stop()
        #expect(lines.end() != .done && json.end() != .done)
    }

    @Test("wrong keys: 64 for what is no key, 3 for what there is not", arguments: [false, true])
    func wrongKeys(_ wantsJSON: Bool) throws {
        let server = try TestServer.withFiles()
        let more = wantsJSON ? ["--json"] : []
        for word in ["suspend", "resume", "cancel"] {
            for wrong in ["x", "th-t", OperatorFileScenarios.unknown("f"), "\u{1B}[2J"] {
                let run = server.ctl(["transfer", word, wrong] + more)
                #expect(run.code == .usage && run.output.isEmpty && run.isHarmless, "\(word) \(wrong)")
            }
            let run = server.ctl(["transfer", word, OperatorFileScenarios.unknown("t")] + more)
            #expect(run.code == .notFound && run.output.isEmpty, "\(word)")
            #expect(
                run.error.hasPrefix(wantsJSON ? #"{"error":{"code":"notFound","exit":3,"# : "teahouse: "), "\(word)")
        }
        #expect(server.ctl("transfer", "list", "--of", "nobody").code == .notFound)
        #expect(server.ctl("transfer", "watch", "--of", "nobody").code == .notFound)
    }
}
