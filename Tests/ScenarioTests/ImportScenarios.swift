import ByteCodec
import ChatModel
import Foundation
import Imports
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// A folder that was pulled from LeanCloud, brought into a server, and what clients see of it.
struct ImportScenarios {
    private static let team = "5f00000000000000000000a1"
    private static let pair = "5f00000000000000000000a2"
    private static let news = "5f00000000000000000000a3"
    private static let begin: Int64 = 1_770_000_000_000

    /// A folder as `leancloud pull` writes it.
    private struct Folder {
        let folder = TemporaryFolder()
        var files: [String: [String]] = [:]

        /// - Parameter messages: in the team, romeo's and juliet's in turn; every tenth in their own conversation.
        init(messages: Int = 30) {
            self.files["classes/_User.jsonl"] = ["romeo", "juliet"].map {
                #"{"objectId":"\#($0)","username":"\#($0)@play","nickname":"N \#($0)","createdAt":"2026-01-01T00:00:00.000Z"}"#
            }
            let dates = #""createdAt":"2026-01-02T00:00:00.000Z","updatedAt":"2026-01-03T00:00:00.000Z""#
            self.files["classes/_Conversation.jsonl"] = [
                #"{"objectId":"\#(team)",\#(dates),"name":"team","m":["romeo","juliet","tybalt"],"c":"romeo","mu":["juliet"],"attr":{"a":1},"level":3}"#,
                #"{"objectId":"\#(pair)",\#(dates),"m":["romeo","juliet"],"c":"romeo","unique":true}"#,
                #"{"objectId":"\#(news)",\#(dates),"name":"news","sys":true}"#,
                #"{"objectId":"broken","m":[]}"#,
            ]
            self.files["classes/_ConversationMemberInfo.jsonl"] = [
                #"{"objectId":"x1","cid":"\#(team)","clientId":"juliet","role":"Manager"}"#
            ]
            self.files["subscribers.jsonl"] = [#"{"conv_id":"\#(news)","subscriber":"reader"}"#]
            self.files["classes/Post.jsonl"] = [#"{"objectId":"p1","createdAt":"2026-01-01T00:00:00.000Z"}"#]
            self.files["messages/2026-02-02.jsonl"] =
                (0..<messages).map { ImportScenarios.line($0) } + [#"{"timestamp":5,"conv-id":"\#(team)"}"#]
        }

        func write() throws {
            var tables: [String] = []
            for (path, lines) in self.files {
                let file = URL(fileURLWithPath: "\(self.folder.path)/\(path)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
                tables.append(#"{"path":"\#(path)","rows":\#(lines.count)}"#)
            }
            let manifest = """
                {"format":1,"kind":"leancloud-pull","source":"https://x","app":"APP","tables":[\(tables.joined(separator: ","))]}
                """
            try manifest.write(
                to: URL(fileURLWithPath: "\(self.folder.path)/manifest.json"), atomically: true, encoding: .utf8)
        }
    }

    private static func id(_ number: Int) -> String {
        String(("m\(number)" + String(repeating: "_", count: 22)).prefix(22))
    }

    private static func line(_ number: Int, _ text: String? = nil) -> String {
        let conversation = number % 10 == 9 ? Self.pair : Self.team
        let from = number % 2 == 0 ? "romeo" : "juliet"
        let data = #"{\"_lctype\":-1,\"_lctext\":\"\#(text ?? "text \(number)")\"}"#
        return """
            {"timestamp":\(Self.begin + Int64(number / 2)),"conv-id":"\(conversation)","data":"\(data)","from":"\(from)",\
            "msg-id":"\(Self.id(number))","is-conv":true,"is-room":false,"to":"\(conversation)","bin":false}
            """
    }

    /// Stops after some batches, as a kill would.
    private struct BreakingDestination: ImportDestination {
        struct Broken: Error {}

        var destination: StoreDestination
        var batches: Int

        mutating func begin(origin: String) throws(any Error) { try self.destination.begin(origin: origin) }
        mutating func send(_ batch: ImportBatch) throws(any Error) -> ImportBatchOutcome {
            self.batches -= 1
            if self.batches < 0 { throw Broken() }
            return try self.destination.send(batch)
        }
        mutating func bring(_ content: ImportContent) throws(any Error) -> ImportedContent {
            try self.destination.bring(content)
        }
        mutating func foresee(
            _ batch: ImportBatch, expecting expected: Set<ObjectID>
        ) throws(any Error) -> ImportBatchOutcome { try self.destination.foresee(batch, expecting: expected) }
        mutating func finish(counts: String) throws(any Error) { try self.destination.finish(counts: counts) }
    }

    @discardableResult
    private static func bring(
        _ folder: Folder, into server: TestServer, isDryRun: Bool = false, batches: Int = .max
    ) throws -> (report: ImportReport, remarks: [String]) {
        var remarks: [String] = []
        let destination = BreakingDestination(
            destination: StoreDestination(
                server.server.store, actor: AuditActor(uid: 1, name: "ming"),
                contents: ContentImport(server.server.transfers), address: nil),
            batches: batches)
        var run = FolderImport(folder.folder.path, isDryRun: isDryRun, through: destination) { path, line, remark in
            remarks.append("\(path):\(line) \(remark.text)")
        } progress: { _, _ in
        }
        return (try run.run(), remarks)
    }

    private static func counts(_ report: ImportReport, _ table: ImportTable) -> ImportCounts {
        report.tables.first { $0.table == table }?.counts ?? ImportCounts()
    }

    /// Every message of a conversation as it is stored, but for what this store alone has given it.
    private static func content(_ cid: String, in server: TestServer) throws -> [String] {
        let id = try #require(ObjectID(cid))
        return try server.server.store.readAndWait { store throws(StoreError) in
            guard let found = try store.conversations.one(.object(id), seenBy: .system) else { return [] }
            var lines: [String] = []
            while true {
                let page = try store.messages.page(
                    in: found.id, after: Int64(lines.count), limit: 500, as: .unrestricted)
                if page.isEmpty { return lines }
                lines += page.map {
                    "\($0.sequence) \($0.id.rawValue) \($0.sentAtMilliseconds) \($0.senderName) "
                        + "\($0.content.envelope?.shownID ?? "") \(String(decoding: $0.content.body, as: UTF8.self))"
                }
            }
        }
    }

    private static func logs(
        _ client: LeanCloudClient, _ cid: String, _ fill: (inout LogsCommand) -> Void
    ) throws -> [LogItem] {
        let answer = try client.request(.logs) { command in
            var logs = LogsCommand()
            logs.cid = cid
            fill(&logs)
            command.logsMessage = logs
        }
        return try #require(answer.logsMessage).logs
    }

    @Test(
        "a LeanCloud client goes on from an id that it knows, a WuKongIM client counts sequences, and nothing is unread"
    )
    func clients() throws {
        let server = try TestServer()
        let folder = Folder()
        try folder.write()
        let (report, remarks) = try Self.bring(folder, into: server)
        #expect(Self.counts(report, .people).added == 2)
        #expect(Self.counts(report, .conversations).added == 3)
        #expect(Self.counts(report, .messages).added == 30)
        #expect(remarks.count == 2 && report.refused == 2)
        #expect(remarks.last?.hasPrefix("messages/2026-02-02.jsonl:31 ") == true)
        #expect(report.left.map(\.path) == ["classes/Post.jsonl"])

        let romeo = try server.leanCloud("romeo")
        let known = (id: Self.id(10), time: Self.begin + 5)
        let later = try Self.logs(romeo, Self.team) { logs in
            (logs.mid, logs.t, logs.direction, logs.limit) = (known.id, known.time, .new, 5)
        }
        #expect(later.map(\.msgId) == [11, 12, 13, 14, 15].map { Self.id($0) })
        #expect(later.first?.timestamp == Self.begin + 5 && later.first?.from == "juliet")
        let earlier = try Self.logs(romeo, Self.team) { logs in
            (logs.mid, logs.t, logs.limit) = (known.id, known.time, 3)
        }
        #expect(earlier.map(\.msgId) == [6, 7, 8].map { Self.id($0) })
        #expect(try Self.logs(romeo, Self.pair) { $0.limit = 100 }.count == 3)

        let sync = try server.manage(
            "/channel/messagesync", #"{"login_uid":"juliet","channel_id":"\#(Self.team)","channel_type":2,"limit":100}"#
        )
        let sequences = sync.json["messages"]?.array?.compactMap { $0["message_seq"]?.integer }
        #expect(sequences == (1...27).map { Int64($0) })
        let list = try server.manage("/conversation/sync", #"{"uid":"juliet","msg_count":1}"#)
        #expect(list.json.array?.count == 2)
        #expect(list.json.array?.allSatisfy { $0["unread"]?.integer == 0 } == true)
        // What is said now comes behind.
        let answer = try romeo.request(.direct) { command in
            var direct = DirectCommand()
            (direct.cid, direct.msg) = (Self.team, "now")
            command.directMessage = direct
        }
        #expect(answer.ackMessage?.uid != nil)
        #expect(try Self.content(Self.team, in: server).count == 28)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("run twice, or stopped at any batch and run again, it is the same", arguments: [0, 1, 3, 4, 6])
    func resumes(_ batches: Int) throws {
        let folder = Folder(messages: 900)
        try folder.write()
        let whole = try TestServer()
        try Self.bring(folder, into: whole)
        let broken = try TestServer()
        #expect(throws: (any Error).self) { try Self.bring(folder, into: broken, batches: batches) }
        let (report, _) = try Self.bring(folder, into: broken)
        let known = Self.counts(report, .messages)
        #expect(known.added + known.known == 900 && known.refused == 1)
        for cid in [Self.team, Self.pair] {
            #expect(try Self.content(cid, in: broken) == Self.content(cid, in: whole))
        }
        let (again, _) = try Self.bring(folder, into: broken)
        #expect(Self.counts(again, .messages).known == 900 && Self.counts(again, .conversations).known == 3)
        #expect(Self.counts(again, .people).added == 0)
        let records = try broken.server.store.readAndWait { store throws(StoreError) in
            try store.imports.list(limit: 10)
        }
        #expect(records.map(\.state) == [.whole, .whole])
        for server in [whole, broken] {
            server.stop()
            #expect(try server.findings() == [])
        }
    }

    @Test("a dry run changes nothing and counts what would come")
    func dryRun() throws {
        let server = try TestServer()
        let folder = Folder()
        try folder.write()
        let (report, remarks) = try Self.bring(folder, into: server, isDryRun: true)
        #expect(Self.counts(report, .messages).added == 30 && remarks.count == 2)
        let counts = try server.server.store.readAndWait { store throws(StoreError) in try store.messages.counts() }
        #expect(counts.conversations == 0 && counts.messages == 0)
    }

    @Test("what was edited, recalled and said at the source since is brought by the next import")
    func follows() throws {
        let server = try TestServer()
        var folder = Folder(messages: 10)
        try folder.write()
        try Self.bring(folder, into: server)
        folder.files["messages/2026-02-02.jsonl"]?[2] = Self.line(2, "edited")
        folder.files["messages/2026-02-02.jsonl"]?[4] = Self.line(4).replacingOccurrences(
            of: #"{\"_lctype\":-1,\"_lctext\":\"text 4\"}"#, with: #"{\"_lctype\":-127}"#)
        folder.files["messages/2026-02-02.jsonl"]?.append(Self.line(20))
        try folder.write()
        let counts = Self.counts(try Self.bring(folder, into: server).report, .messages)
        #expect(counts.changed == 2 && counts.added == 1 && counts.known == 8)
        let romeo = try server.leanCloud("romeo")
        let items = try Self.logs(romeo, Self.team) { $0.limit = 100 }
        #expect(items.count == 10)
        #expect(items[2].data?.contains("edited") == true)
        #expect(items[4].data?.contains("-127") == true)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("ctl brings the folder into the server that runs, names what cannot come, and lists the import")
    func control() throws {
        let server = try TestServer()
        let folder = Folder()
        try folder.write()
        let foreseen = server.ctl("import", "leancloud", folder.folder.path, "--dry-run", "--json")
        #expect(foreseen.json["messages"]?["added"]?.integer == 30 && foreseen.code == .refused)
        #expect(try Self.content(Self.team, in: server).isEmpty)
        let run = server.ctl("import", "leancloud", folder.folder.path, "--json")
        #expect(run.code == .refused && run.json["messages"]?["added"]?.integer == 30, "\(run.error)")
        #expect(run.error.contains("messages/2026-02-02.jsonl, line 31: it has no id"))
        #expect(try Self.content(Self.team, in: server).count == 27)
        let again = server.ctl("import", "leancloud", folder.folder.path, "--json")
        #expect(again.json["messages"]?["known"]?.integer == 30)
        let list = server.ctl("import", "list", "--json").json["imports"]?.array
        #expect(list?.map { $0["state"]?.string } == ["whole", "whole"] && list?.first?["origin"]?.string == "APP")
        #expect(server.ctl("import", "list").output.contains("leancloud"))
        #expect(server.ctl("import", "leancloud", server.folder.path).code == .noInput)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("teahouse import brings the folder into a server that does not run")
    func stopped() throws {
        let server = try TestServer()
        server.stop()
        var folder = Folder()
        folder.files["classes/_Conversation.jsonl"]?.removeLast()
        folder.files["messages/2026-02-02.jsonl"]?.removeLast()
        try folder.write()
        let words = ["import", "leancloud", folder.folder.path, "--data", server.folder.path]
        let run = ControlRun.run(words + ["--report", server.folder.path + "/remarks.jsonl"])
        #expect(run.code == .done && run.error == "", "\(run.output) \(run.error)")
        #expect(run.output.contains("classes/Post.jsonl"))
        #expect(try server.findings() == [])
        try server.restart()
        #expect(try Self.content(Self.team, in: server).count == 27)
        #expect(ControlRun.run(words).code == .alreadyRunning)
    }

    @Test("a folder without a manifest is none")
    func noFolder() throws {
        let server = try TestServer()
        let folder = Folder()
        #expect(throws: (any Error).self) { try Self.bring(folder, into: server) }
    }
}
