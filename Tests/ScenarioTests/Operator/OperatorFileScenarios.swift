import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit
import Foundation
import Localization
import TeahouseTesting
import Testing

/// What an operator does with files, against a whole server.
struct OperatorFileScenarios {
    /// A key that is one, of nothing that there is.
    static func unknown(_ kind: String) -> String { "th-" + kind + String(repeating: "a", count: 26) }

    @Test("a file of the operator reaches who is in the conversation, and is read over HTTP")
    func uploadTo() throws {
        let server = try TestServer.withFiles()
        try server.group("tea", ["ann", "bob"])
        let (bob, eve) = (try server.token("bob"), try server.token("eve"))
        let online = try server.connect("bob", token: bob)
        let content = Sample.text(700_000)
        let path = try server.hand(content, as: "会议记录.txt")
        let sent = server.ctl("upload", path, "--as", "ann", "--to", "tea")
        #expect(sent.code == .done && sent.error.hasPrefix("message "), "\(sent.error)")
        let key = String(sent.output.dropLast())
        #expect(FileKey(key) != nil && sent.output == key + "\n")
        let received = try online.receive()
        #expect(received.from == "ann" && received.channel == "tea")
        let payload = try #require(received.parameters["payload"])
        #expect(payload["type"]?.integer == 8 && payload["name"]?.string == "会议记录.txt")
        let url = try #require(payload["url"]?.string)
        // As apps do: without a session, under the address of their API.
        #expect(
            url.hasPrefix("file/preview/th-l") && url.hasSuffix("/%E4%BC%9A%E8%AE%AE%E8%AE%B0%E5%BD%95.txt"), "\(url)")
        #expect(try server.http("GET", "/v1/" + url).body == content)
        #expect(try server.http("GET", "/api/v1/files/\(key)", token: bob).body == content)
        #expect(try server.http("GET", "/api/v1/files/\(key)", token: eve).status == 404)
        let shown = server.ctl("file", "show", key)
        #expect(shown.output.contains("NAME        会议记录.txt\n") && shown.output.contains("Uses (1):"))
        let direct = server.ctl("upload", path, "--as", "ann", "--to-user", "bob", "--json")
        #expect(direct.code == .done && direct.json["state"]?.string == "succeeded")
        #expect(direct.json["class"]?.string == "operator" && direct.json["size"]?.integer == 700_000)
        #expect(direct.json["fileName"]?.string == "会议记录.txt")
        #expect(try online.receive().channel == "ann")
    }

    @Test("an upload that broke off is gone on with where it was")
    func resumed() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let content = Sample.noise(500_000)
        let path = try server.hand(content, as: "茶.bin")
        var half: AdminClient? = try AdminClient(dataFolder: server.folder.path)
        let upload = AdminUpload(
            owner: UserName("ann")!, name: "茶.bin", mediaType: "application/octet-stream", size: 500_000,
            source: "0123456789abcdef")
        guard case .transfers(.one(let begun))? = try half?.ask(.transfers(.upload(upload))) else {
            Issue.record("no upload")
            return
        }
        let piece = AdminPiece(offset: 0, bytes: Array(content.prefix(100_000)))
        _ = try half?.ask(.transfers(.piece(piece)))
        half = nil
        _ = try server.transfer(begun.key.text, token: ann) { $0["is_live"]?.boolean == false }
        try server.restart()
        let done = server.ctl("upload", path, "--as", "ann", "--resume", begun.key.text)
        #expect(done.code == .done && done.error.contains("20%"), "\(done.error)")
        #expect(done.output == begun.file.text + "\n")
        #expect(try server.http("GET", "/api/v1/files/\(begun.file)", token: ann).body == content)
        #expect(server.ctl("upload", path, "--as", "ann", "--resume", begun.key.text).code != .done)
    }

    @Test("what cannot be uploaded or sent is an exit code and a reason, and no message")
    func refused() throws {
        let server = try TestServer.withFiles { $0.store.files.fileBytes = 2000 }
        try server.group("tea", ["ann", "bob"])
        let (small, large) = (try server.hand([1, 2, 3], as: "a"), try server.hand(Sample.noise(2001), as: "b"))
        let long = server.ctl("upload", large, "--as", "ann")
        #expect(long.code == .refused && long.error.contains("2000"), "\(long.error)")
        #expect(server.ctl("upload", small, "--as", "ann", "--to", "nowhere").code == .notFound)
        #expect(server.ctl("upload", small, "--as", "ann", "--to-user", "nobody").code == .notFound)
        #expect(server.ctl("upload", small, "--as", "nobody").code == .notFound)
        #expect(server.ctl("upload", server.folder.path + "/none", "--as", "ann").code == .inputOutput)
        #expect(server.ctl("upload", small).code == .usage)
        #expect(try server.history(.channel(.group, ChannelName("tea")!), seenBy: "ann").isEmpty)
        server.stop()
        #expect(server.ctl("upload", small, "--as", "ann").code == .notRunning)
    }

    @Test("files are listed in every order and language, as a table and as JSON")
    func listed() throws {
        let server = try TestServer.withFiles()
        let (ann, bob) = (try server.token("ann"), try server.token("阿兰"))
        _ = try server.upload(ann, Sample.noise(1000), name: "%E8%8C%B6.bin")
        _ = try server.upload(bob, Sample.text(300_000), name: "long.txt", type: "text/plain")
        // No file yet.
        _ = try server.beginUpload(ann, size: 99)
        let table = server.ctl("file", "list", "--sort", "size").output.split(separator: "\n").map { String($0) }
        let column = try #require(table[0].range(of: "OWNER"))
        let start = displayWidth(of: String(table[0][..<column.lowerBound]))
        // The names before that column take cells, not characters.
        for (line, owner) in zip(table[1...2], ["阿兰", "ann"]) {
            let found = try #require(line.range(of: owner + " "))
            #expect(displayWidth(of: String(line[..<found.lowerBound])) == start, "\(line)")
        }
        let json = server.ctl("file", "list", "--of", "ann", "--json")
        let files = try #require(json.json["files"]?.array)
        #expect(files.count == 1 && files.allSatisfy { $0["owner"]?.string == "ann" })
        #expect(files.contains { $0["name"]?.string == "茶.bin" && $0["complete"]?.boolean == true })
        #expect(server.ctl("file", "list", language: .chinese).output.contains("阿兰"))
        #expect(server.ctl("file", "list", "--of", "nobody").code == .notFound)
        #expect(server.ctl("file", "list", "--conversation", "nowhere").code == .notFound)
        #expect(server.ctl("file", "list", "--sort", "colour").code == .usage)
    }

    @Test("wrong keys: 64 for what is no key, 3 for what there is not", arguments: [false, true])
    func wrongKeys(_ wantsJSON: Bool) throws {
        let server = try TestServer.withFiles()
        let more = wantsJSON ? ["--json"] : []
        for word in ["show", "verify", "delete"] {
            for wrong in ["x", "th-f", Self.unknown("t"), "\u{1B}[2J"] {
                let run = server.ctl(["file", word, wrong] + more)
                #expect(run.code == .usage && run.output.isEmpty && run.isHarmless, "\(word) \(wrong)")
            }
            let run = server.ctl(["file", word, Self.unknown("f")] + more)
            #expect(run.code == .notFound && run.output.isEmpty, "\(word)")
            #expect(
                run.error.hasPrefix(wantsJSON ? #"{"error":{"code":"notFound","exit":3,"# : "teahouse: "), "\(word)")
        }
    }

    @Test("a damaged content is found, said and listed, and goes with its file")
    func care() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let good = try server.upload(ann, Sample.noise(1000))
        #expect(server.ctl("file", "verify", "--json").json["damagedCount"]?.integer == 0)
        let path = try server.upload(ann, Sample.noise(600_000, seed: 9), name: "%E5%9D%8F.bin")
        let key = String(try #require(path.split(separator: "/").last))
        let object = try #require(
            try DownloadScenarios.objects(server).max { left, right in
                try left.resourceValues(forKeys: [.fileSizeKey]).fileSize!
                    < right.resourceValues(forKeys: [.fileSizeKey]).fileSize!
            })
        let file = try FileHandle(forUpdating: object)
        try file.seek(toOffset: 300_000)
        try file.write(contentsOf: Array("no tea".utf8))
        try file.close()
        let all = server.ctl("file", "verify", "--json")
        #expect(all.code == .refused && all.json["objects"]?.integer == 2)
        #expect(all.json["damaged"]?.array?.count == 1)
        #expect(server.ctl("file", "verify", String(good.split(separator: "/").last!)).code == .done)
        #expect(server.ctl("file", "verify", key).code == .refused)
        let listed = server.ctl("file", "list", "--damaged")
        #expect(listed.output.contains("坏.bin") && listed.output.contains(key) && !listed.output.contains("a.bin"))
        #expect(server.ctl("file", "show", key, "--json").json["file"]?["damaged"]?.boolean == true)
        // A file of the last day stays, whoever collects.
        let dry = server.ctl("file", "gc", "--dry-run", "--json")
        #expect(dry.code == .done && dry.json["files"]?.integer == 0 && dry.json["objects"]?.integer == 0)
        #expect(server.ctl("file", "delete", key).code == .done)
        let collected = server.ctl("file", "gc", "--json")
        #expect(collected.json["objects"]?.integer == 1 && (collected.json["bytes"]?.integer ?? 0) >= 600_000)
        #expect(try DownloadScenarios.objects(server).count == 1)
        #expect(server.ctl("file", "delete", key).code == .notFound)
        #expect(try server.http("GET", path, token: ann).status == 404)
        #expect(try server.http("GET", good, token: ann).status == 200)
    }

    @Test("no name of a file or a person does anything to the terminal of who looks at it")
    func hostile() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        // Clears the screen, sets the title, rings, makes a link, turns text around; the last one in C1.
        let name = "\u{1B}[2J\u{1B}]0;x\u{7}\u{1B}]8;;http://x\u{1B}\\\u{202E}gpj\u{9B}31m茶.txt"
        let encoded = String(decoding: Base64.encode(Array(name.utf8)), as: UTF8.self)
        let metadata = "filename \(encoded),filetype \(encoded),note \(encoded)"
        // One that is there, one on its way, and one in a form.
        let place = try server.beginUpload(ann, size: 1, metadata: metadata)
        #expect(try server.patch(place, token: ann, at: 0, [1]).status == 204)
        _ = try server.beginUpload(ann, size: 10, metadata: metadata)
        let form = UploadScenarios.form([1], name: name.replacing("\"", with: ""))
        _ = try server.http("POST", "/api/v1/files", token: ann, headers: [UploadScenarios.formType], body: form)
        let path = try server.hand([1], as: "plain")
        let upload = server.ctl("upload", path, "--as", "ann", "--name", name, "--to-user", "ann")
        #expect(upload.isHarmless)
        let files = try #require(server.ctl("file", "list", "--json").json["files"]?.array)
        #expect(files.count >= 2)
        let watch = WatchRun(server)
        watch.wait { $0.contains("th-t") }
        for file in files {
            let key = try #require(file["key"]?.string)
            #expect(server.ctl("file", "show", key).isHarmless)
            #expect(server.ctl("file", "show", key, "--json").isHarmless)
        }
        for words in [
            ["file", "list"], ["file", "list", "--json"], ["file", "gc", "--dry-run"], ["transfer", "list", "--all"],
            ["transfer", "list", "--all", "--json"], ["conversation", "list"], ["upload", name, "--as", "ann"],
            ["upload", path, "--as", name], ["file", "list", "--conversation", name], ["profile", "show", name],
            ["transfer", "cancel", name],
        ] {
            let run = server.ctl(words)
            #expect(run.isHarmless, "\(words.prefix(2)): \(run.output.debugDescription)")
            #expect(!run.output.isEmpty || !run.error.isEmpty)
        }
        server.stop()
        _ = watch.end()
        #expect(ControlRun(code: .done, output: watch.wait { _ in true }, error: "").isHarmless)
    }
}
