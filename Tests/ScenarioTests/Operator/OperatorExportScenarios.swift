import AdminAPI
import ByteCodec
import ChatModel
import CommandLineKit
import Foundation
import Store
import TeahouseTesting
import Testing

/// `teahouse ctl audit export-messages` and `teahouse ctl user export`, against a whole server.
struct OperatorExportScenarios {
    private static let why = ["--why", "case 7", "--operator", "阿兰"]
    /// A name that would be markup.
    private static let hostile = "<script>alert(1)</script>"
    /// A picture of one pixel.
    private static let picture =
        Base64.decode(
            Array(
                ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
                    + "gg==").utf8)) ?? []

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    private func lines(_ path: String) throws -> [JSONValue] {
        try self.text(path).split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    /// Paths of the files below a folder.
    private func files(_ folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        return all.filter { !["messages", "pages", "files"].contains($0) }.sorted()
    }

    /// Lines of `sha256sum --check`.
    private func check(_ folder: String) throws -> [String] {
        let output = try #require(popen("cd '\(folder)' && sha256sum --check --strict SHA256SUMS 2>&1", "r"))
        defer { pclose(output) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while case let count = fread(&piece, 1, piece.count, output), count > 0 { text += piece[..<count] }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    @discardableResult
    private func send(_ server: TestServer, _ from: String, _ text: String, to target: [String]) throws -> String {
        let sent = server.ctl(["send", "--from", from, "--json", text] + target)
        return String(try #require(sent.json["sequence"]?.integer, "\(sent.error)"))
    }

    /// A group with an edited, a recalled and a plain message, a picture and a page; and a talk of two.
    private func furnished() throws -> TestServer {
        let server = try TestServer.withFiles()
        #expect(server.ctl("user", "add", "ming", "--display-name", "小明").code == .done)
        #expect(server.ctl("user", "add", "lan", "--display-name", Self.hostile).code == .done)
        #expect(server.ctl("user", "add", "eve").code == .done)
        try server.group("茶", ["ming", "lan"])
        let group = ["--group", "茶"]
        let edited = try self.send(server, "ming", "三点喝茶 & <b>水</b>", to: group)
        #expect(server.ctl("message", "edit", "茶", edited, "四点喝茶").code == .done)
        let recalled = try self.send(server, "lan", "a secret", to: group)
        #expect(server.ctl("message", "recall", "茶", recalled).code == .done)
        try self.send(server, "lan", "\u{202E}after\u{1B}[31m all", to: group)
        let picture = try server.hand(Self.picture, as: "茶 <1>.png")
        #expect(server.ctl("upload", picture, "--as", "ming", "--to", "茶").code == .done)
        let page = try server.hand(Array("<script>alert(2)</script>".utf8), as: "page.html")
        #expect(server.ctl("upload", page, "--as", "lan", "--to", "茶").code == .done)
        try self.send(server, "eve", "only for ming", to: ["--to", "ming"])
        return server
    }

    @Test("auditors get everything that was said and its files, readable, with sums that hold, and the reason is kept")
    func auditors() throws {
        let server = try self.furnished()
        let shelf = TemporaryFolder()
        let folder = shelf.path + "/case 7"
        let made = server.ctl(["audit", "export-messages", folder, "--people", "lan"] + Self.why)
        #expect(made.code == .done && made.output == folder + "\n" && made.isHarmless, "\(made.error)")
        #expect(made.error.contains("1 conversations, 5 messages, 2 people, 2 files"), "\(made.error)")
        #expect(!FileManager.default.fileExists(atPath: folder + ".partial"))
        // Every file but the list itself is in the list.
        let checked = try self.check(folder)
        #expect(
            checked.allSatisfy { $0.hasSuffix(": OK") } && checked.count == self.files(folder).count - 1, "\(checked)")
        let messages = try self.lines(folder + "/messages/0001-茶.jsonl")
        #expect(messages.compactMap { $0["sequence"]?.integer } == [1, 2, 3, 4, 5])
        #expect(messages[0]["text"]?.string == "四点喝茶" && messages[0]["edits"]?.integer == 1)
        #expect(messages[0]["former"]?.array?.first?["text"]?.string == "三点喝茶 & <b>水</b>")
        #expect(messages[0]["sender"]?.string == "ming" && messages[0]["senderName"]?.string == "小明")
        #expect(messages[1]["recalled"] == .boolean(true) && messages[1]["text"] == nil)
        #expect(messages[1]["former"]?.array?.first?["text"]?.string == "a secret")
        let path = try #require(messages[3]["files"]?.array?.first?["path"]?.string)
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)"))) == Self.picture)
        // A browser would run it under this name.
        #expect(messages[4]["files"]?.array?.first?["path"]?.string?.hasSuffix("-page.html.txt") == true)
        let page = try self.text(folder + "/pages/0001-茶.html")
        let index = try self.text(folder + "/index.html")
        for html in [page, index] {
            #expect(!html.contains("<script") && !html.contains("\u{1B}"), "\(html)")
            #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        }
        #expect(page.contains("四点喝茶") && page.contains("三点喝茶 &amp; &lt;b&gt;水&lt;/b&gt;"))
        #expect(page.contains("edited, 1 times") && page.contains(">recalled<") && page.contains("a secret"))
        #expect(page.contains("<img src=\"../\(path)\""))
        #expect(index.contains("href=\"pages/0001-茶.html\"") && index.contains("case 7") && index.contains("阿兰"))
        let facts = try self.lines(folder + "/export.json")[0]
        #expect(facts["reason"]?.string == "case 7" && facts["holds"]?["messages"]?.integer == 5)
        #expect(try self.lines(folder + "/people.jsonl").compactMap { $0["name"]?.string } == ["lan", "ming"])
        #expect(try self.lines(folder + "/conversations.jsonl").count == 1)
        let log = server.ctl("audit", "list", "--what", "export.begin", "--json").json["entries"]?.array
        #expect(log?.count == 1 && log?.first?["reason"]?.string == "case 7")
        // A changed file is found.
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/index.html"))
        #expect(try self.check(folder).contains("index.html: FAILED"))
    }

    @Test("a time, a conversation and nothing choose; what is taken, wrong or without a reason makes no folder")
    func choices() throws {
        let server = try self.furnished()
        let shelf = TemporaryFolder()
        func export(_ name: String, _ words: String...) -> ControlRun {
            server.ctl(["audit", "export-messages", "\(shelf.path)/\(name)", "--json"] + words + Self.why)
        }
        func messages(_ run: ControlRun) -> Int64? { run.json["messages"]?.integer }
        #expect(messages(export("all")) == 6)
        #expect(messages(export("one", "--conversation", "ming,eve")) == 1)
        #expect(messages(export("both", "--conversation", "ming,eve", "--people", "lan")) == 6)
        #expect(messages(export("past", "--to", "2001-01-01")) == 0)
        #expect(messages(export("late", "--from", "2001-01-01", "--people", "eve,lan")) == 6)
        let silent = server.ctl("audit", "export-messages", shelf.path + "/silent")
        #expect(silent.code == .refused && silent.error.contains("say why you export"), "\(silent.error)")
        #expect(export("nobody", "--people", "nobody").code == .notFound)
        #expect(export("nothing", "--from", "2026-01-02", "--to", "2026-01-01").code == .usage)
        let taken = export("all")
        #expect(taken.code == .inputOutput && taken.error.contains("is there already"), "\(taken.error)")
        try FileManager.default.createDirectory(atPath: shelf.path + "/empty", withIntermediateDirectories: true)
        #expect(messages(export("empty")) == 6)
        try FileManager.default.createDirectory(atPath: shelf.path + "/x.partial", withIntermediateDirectories: true)
        #expect(export("x").error.contains("was left by an export"))
        let made = try FileManager.default.contentsOfDirectory(atPath: shelf.path).sorted()
        #expect(made == ["all", "both", "empty", "late", "one", "past", "x.partial"])
        // Refused and wrong ones left no entry.
        let log = server.ctl("audit", "list", "--what", "export.begin", "--json").json["entries"]?.array
        #expect(log?.count == 6)
    }

    @Test("a person gets what they see, their account and their files, and nothing of others")
    func person() throws {
        let server = try self.furnished()
        let shelf = TemporaryFolder()
        let folder = shelf.path + "/ming"
        #expect(server.ctl("message", "edit", "茶", "3", "words of lan").code == .done)
        let made = server.ctl(["user", "export", "ming", folder] + Self.why, .chinese)
        #expect(made.code == .done && made.error.contains("2 个会话"), "\(made.error)")
        #expect(try self.check(folder).allSatisfy { $0.hasSuffix(": OK") })
        let account = try self.lines(folder + "/person.json")[0]
        #expect(account["account"]?["user"]?["name"]?.string == "ming" && account["details"] != nil)
        let messages = try self.lines(folder + "/messages/0001-茶.jsonl")
        #expect(messages.allSatisfy { $0["former"] == nil } && messages[2]["text"]?.string == "words of lan")
        #expect(messages[1]["text"] == nil && !self.files(folder).isEmpty)
        for name in self.files(folder) where name.hasSuffix(".html") || name.hasSuffix(".jsonl") {
            #expect(try !self.text("\(folder)/\(name)").contains("a secret"), "\(name)")
        }
        #expect(try self.lines(folder + "/files.jsonl").compactMap { $0["name"]?.string } == ["茶 <1>.png"])
        let eve = shelf.path + "/eve"
        #expect(server.ctl(["user", "export", "eve", eve] + Self.why).code == .done)
        #expect(try self.lines(eve + "/people.jsonl").compactMap { $0["name"]?.string } == ["eve", "ming"])
        #expect(try self.lines(eve + "/conversations.jsonl").count == 1)
        #expect(self.files(eve).allSatisfy { !$0.hasPrefix("files/") })
    }

    @Test("a long conversation has several pages in its order, each with links to those beside it")
    func long() throws {
        let server = try TestServer()
        let group = try server.group("tea", ["ann", "bob"])
        try server.fill(group, by: "ann", count: 2_001, bytes: 10)
        let shelf = TemporaryFolder()
        let folder = shelf.path + "/tea"
        let made = server.ctl(["audit", "export-messages", folder, "--conversation", "tea"] + Self.why)
        #expect(made.code == .done && made.error.contains("2001 messages"), "\(made.error)")
        let sequences = try self.lines(folder + "/messages/0001-tea.jsonl").compactMap { $0["sequence"]?.integer }
        #expect(sequences == Array(1...2_001))
        let (one, two) = (
            try self.text(folder + "/pages/0001-tea.html"), try self.text(folder + "/pages/0001-tea-2.html")
        )
        #expect(one.contains("id=\"m2000\"") && !one.contains("id=\"m2001\"") && one.contains("0001-tea-2.html"))
        #expect(two.contains("id=\"m2001\"") && !two.contains("id=\"m2000\"") && two.contains("0001-tea.html"))
        #expect(try self.check(folder).allSatisfy { $0.hasSuffix(": OK") })
    }

    @Test("a connection reads what its export is of, and nothing else or without one")
    func scope() throws {
        let server = try self.furnished()
        let client = try AdminClient(dataFolder: server.folder.path)
        client.who = AdminOperator(name: "阿兰", source: .ctl, reason: "case 7")
        func refused(_ request: AdminExportRequest) -> AdminError.Code? {
            do throws(AdminError) {
                _ = try client.ask(.exports(request))
                return nil
            } catch {
                return error.code
            }
        }
        let (tea, talk): (Int64, Int64) = try server.server.store.readAndWait { transaction throws(StoreError) in
            let all = try transaction.conversations.all(limit: 10)
            return (
                all.first { $0.kind == .group }?.id.rawValue ?? 0, all.first { $0.head == 1 }?.id.rawValue ?? 0
            )
        }
        #expect(refused(.messages(conversation: tea, after: 0)) == .invalid)
        var scope = AdminExportScope()
        scope.people = [UserName("eve")!]
        #expect(refused(.begin(scope)) == nil)
        #expect(refused(.messages(conversation: talk, after: 0)) == nil)
        #expect(refused(.messages(conversation: tea, after: 0)) == .notFound)
        let listed = server.ctl("file", "list", "--json").json["files"]?.array ?? []
        let keys = listed.compactMap { $0["key"]?.string }.compactMap { FileKey($0) }
        let key = try #require(keys.first)
        for sequence in Int64(0)...5 {
            #expect(refused(.read(AdminExportPlace(file: key, conversation: tea, sequence: sequence))) == .notFound)
            #expect(refused(.read(AdminExportPlace(file: key, conversation: talk, sequence: sequence))) == .notFound)
        }
        #expect(refused(.read(AdminExportPlace(file: key))) == .notFound)
        // Times outside of which it lies.
        var late = AdminExportScope()
        late.fromMilliseconds = 4_000_000_000_000
        #expect(refused(.begin(late)) == nil)
        guard case .exports(.messages(let none, nil)) = try client.ask(.exports(.messages(conversation: tea, after: 0)))
        else {
            Issue.record("no page")
            return
        }
        #expect(none.isEmpty)
        for sequence in Int64(1)...5 {
            #expect(refused(.read(AdminExportPlace(file: key, conversation: tea, sequence: sequence))) == .notFound)
        }
    }
}
