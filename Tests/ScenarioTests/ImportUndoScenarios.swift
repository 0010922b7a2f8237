import ByteCodec
import ChatModel
import Foundation
import LeanCloudTranslation
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// An import that is tried, taken back, and done again; and a folder that comes from the server itself.
struct ImportUndoScenarios {
    private static let team = "5f00000000000000000000a1"
    private static let hall = "5f00000000000000000000a2"
    private static let news = "5f00000000000000000000a3"
    private static let begin: Int64 = 1_770_000_000_000

    /// Writes a folder as `leancloud pull` does.
    ///
    /// - Parameter members: of the team, beside romeo and juliet.
    private static func folder(members: Int = 0) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let dates = #""createdAt":"2026-01-02T00:00:00.000Z","updatedAt":"2026-01-03T00:00:00.000Z""#
        let names = ["romeo", "juliet"] + (0..<members).map { "guest-\($0)" }
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        var files: [String: [String]] = [:]
        files["classes/_User.jsonl"] = [
            #"{"objectId":"romeo","username":"romeo@play","sessionToken":"romeos-own-token","createdAt":"2026-01-01T00:00:00.000Z"}"#,
            #"{"objectId":"juliet","username":"juliet@play","avatar":{"__type":"Pointer","className":"_File","objectId":"5f00000000000000000000f1"},"createdAt":"2026-01-01T00:00:00.000Z"}"#,
        ]
        files["classes/_Conversation.jsonl"] = [
            #"{"objectId":"\#(team)",\#(dates),"lm":{"__type":"Date","iso":"2026-02-03T00:00:00.000Z"},"name":"team","m":[\#(list)],"c":"romeo","mu":["juliet"]}"#,
            #"{"objectId":"\#(hall)",\#(dates),"name":"hall","tr":true}"#,
            #"{"objectId":"\#(news)",\#(dates),"name":"news","sys":true}"#,
        ]
        files["classes/_ConversationMemberInfo.jsonl"] = [
            #"{"objectId":"x1","cid":"\#(team)","clientId":"juliet","role":"Manager"}"#
        ]
        files["subscribers.jsonl"] = [#"{"conv_id":"\#(news)","subscriber":"reader"}"#]
        files["classes/_File.jsonl"] = [
            #"{"objectId":"5f00000000000000000000f1",\#(dates),"name":"a.png","url":"https://files.example.com/a.png","metaData":{"__source":"external"}}"#
        ]
        files["classes/_Installation.jsonl"] = [
            #"{"objectId":"5f00000000000000000000d1",\#(dates),"deviceType":"ios","installationId":"i-1","deviceToken":"t-1","channels":["romeo"],"locale":"it"}"#
        ]
        files["messages/2026-02-02.jsonl"] = (0..<30).map { Self.line($0) }
        var tables: [String] = []
        for (path, lines) in files {
            let file = URL(fileURLWithPath: "\(folder.path)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            tables.append(#"{"path":"\#(path)","rows":\#(lines.count)}"#)
        }
        let manifest = """
            {"format":1,"kind":"leancloud-pull","source":"https://x","app":"APP","tables":[\(tables.joined(separator: ","))]}
            """
        try manifest.write(
            to: URL(fileURLWithPath: "\(folder.path)/manifest.json"), atomically: true, encoding: .utf8)
        return folder
    }

    /// Every fifth message is binary, every third in the hall.
    private static func line(_ number: Int) -> String {
        let conversation = number % 3 == 2 ? Self.hall : Self.team
        let isBinary = number % 5 == 4
        let data = isBinary ? "AAECA/8=" : #"{\"_lctype\":-1,\"_lctext\":\"text \#(number)\"}"#
        let id = String(("m\(number)" + String(repeating: "_", count: 22)).prefix(22))
        return """
            {"timestamp":\(Self.begin + Int64(number)),"conv-id":"\(conversation)","data":"\(data)",\
            "from":"\(number % 2 == 0 ? "romeo" : "juliet")","msg-id":"\(id)","is-conv":true,"is-room":false,\
            "to":"\(conversation)","bin":\(isBinary)}
            """
    }

    private static func counts(_ server: TestServer) throws -> (conversations: Int64, messages: Int64) {
        let counts = try server.server.store.readAndWait { store throws(StoreError) in try store.messages.counts() }
        return (Int64(counts.conversations), Int64(counts.messages))
    }

    @Test("an import into a running server is taken back, told in the list and the audit log, and comes again")
    func running() throws {
        let server = try TestServer()
        let folder = try Self.folder()
        #expect(server.ctl("import", "leancloud", folder.path).code == .done)
        let before = try Self.counts(server)
        #expect(before.messages == 30)
        let undo = server.ctl("import", "undo", "1", "--json")
        #expect(undo.code == .done && undo.json["messages"]?.integer == 30, "\(undo.output) \(undo.error)")
        #expect(undo.json["people"]?.integer == 3 && undo.json["devices"]?.integer == 1)
        #expect(undo.json["conversations"]?.integer == 3 && undo.json["kept"]?.integer == 0)
        #expect(try Self.counts(server) == (0, 0))
        #expect(server.ctl("import", "list").output.contains("taken back"))
        #expect(server.ctl("audit", "list").output.contains("import.undo"))
        let twice = server.ctl("import", "undo", "1")
        #expect(twice.code == .refused && twice.error.contains("taken back already"))
        #expect(server.ctl("import", "undo", "9").code != .done)
        #expect(server.ctl("import", "leancloud", folder.path).code == .done)
        #expect(try Self.counts(server) == before)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a folder lets nobody in as somebody who was here before it", arguments: [true, false])
    func tokens(_ wasHere: Bool) throws {
        let server = try TestServer()
        if wasHere { try server.add("romeo") }
        let folder = try Self.folder()
        // The second time both are known.
        for _ in 1...2 {
            #expect(server.ctl("import", "leancloud", folder.path).code == .done)
            let count = try server.server.store.readAndWait { store throws(StoreError) in
                try store.people.user(named: UserName("romeo")!).map { (user) throws(StoreError) in
                    try store.people.tokens(of: user.id).count
                }
            }
            #expect(count == (wasHere ? 0 : 1))
        }
        withExtendedLifetime(folder) {}
    }

    @Test("where somebody has written an import is not taken back, and the reason names the conversation")
    func written() throws {
        let server = try TestServer()
        let folder = try Self.folder()
        #expect(server.ctl("import", "leancloud", folder.path).code == .done)
        withExtendedLifetime(folder) {}
        let romeo = try server.leanCloud("romeo")
        let answer = try romeo.request(.direct) { command in
            var direct = DirectCommand()
            (direct.cid, direct.msg) = (Self.team, "now")
            command.directMessage = direct
        }
        #expect(answer.ackMessage?.uid != nil)
        let undo = server.ctl("import", "undo", "1")
        #expect(undo.code == .refused && undo.error.contains(Self.team), "\(undo.output) \(undo.error)")
        #expect(try Self.counts(server).messages == 31)
        #expect(server.ctl("import", "list", "--json").json["imports"]?.array?.first?["state"]?.string == "whole")
        server.stop()
        #expect(try server.findings() == [])
    }

    /// Every file of a folder with its bytes, but for SQLite's own that it makes and removes.
    private static func files(_ path: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
            guard !isFolder.boolValue else { continue }
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        return files
    }

    @Test("a dry run leaves every byte of a stopped server's folder as it was, and makes none")
    func dryRun() throws {
        let server = try TestServer()
        try server.add("romeo")
        server.stop()
        let folder = try Self.folder()
        let before = try Self.files(server.folder.path)
        let words = ["import", "leancloud", folder.path, "--dry-run", "--json", "--data"]
        let run = ControlRun.run(words + [server.folder.path])
        #expect(run.code == .done && run.json["messages"]?["added"]?.integer == 30, "\(run.output) \(run.error)")
        #expect(run.json["people"]?["changed"]?.integer == 1)
        #expect(try Self.files(server.folder.path) == before)
        #expect(ControlRun.run(["import", "list", "--data", server.folder.path]).code == .done)
        #expect(try Self.files(server.folder.path) == before)
        let missing = server.folder.path + "/none"
        #expect(ControlRun.run(words + [missing]).json["people"]?["added"]?.integer == 2)
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test("a stopped server takes an import back, and its own export changes nothing in it")
    func stopped() throws {
        let server = try TestServer()
        let nurse = try server.leanCloud("nurse")
        let answer = try nurse.request(.conv, .start) { command in
            var conversation = ConvCommand()
            conversation.m = ["nurse", "peter"]
            conversation.unique = true
            command.convMessage = conversation
        }
        let cid = try #require(answer.convMessage?.cid)
        for text in ["one", "two"] {
            _ = try nurse.request(.direct) { command in
                var direct = DirectCommand()
                (direct.cid, direct.msg) = (cid, text)
                command.directMessage = direct
            }
        }
        server.stop()
        let folder = try Self.folder(members: 600)
        let path = server.folder.path
        #expect(ControlRun.run(["import", "leancloud", folder.path, "--data", path]).code == .done)
        let leaving = TemporaryFolder()
        let exported = ControlRun.run(["export", "leancloud", leaving.path + "/out", "--data", path])
        #expect(exported.code == .done, "\(exported.output) \(exported.error)")
        let again = ControlRun.run(["import", "leancloud", leaving.path + "/out", "--data", path, "--json"])
        #expect(again.code == .done, "\(again.output) \(again.error)")
        for table in ["people", "conversations", "messages", "devices"] {
            let counts = again.json[table]
            #expect(counts?["added"]?.integer == 0 && counts?["refused"]?.integer == 0, "\(table): \(again.output)")
        }
        #expect(again.json["messages"]?["known"]?.integer == 32)
        #expect(again.json["people"]?["changed"]?.integer == 0, "\(again.output)")
        // The later one goes first.
        let later = ControlRun.run(["import", "undo", "2", "--data", path, "--json"])
        #expect(later.code == .done && later.json["messages"]?.integer == 0, "\(later.output) \(later.error)")
        let undo = ControlRun.run(["import", "undo", "1", "--data", path, "--json"])
        #expect(undo.code == .done && undo.json["messages"]?.integer == 30, "\(undo.output) \(undo.error)")
        #expect(undo.json["people"]?.integer == 603)
        #expect(try server.findings() == [])
        try server.restart()
        #expect(try Self.counts(server).messages == 2)
        #expect(ControlRun.run(["import", "undo", "1", "--data", path]).code == .alreadyRunning)
    }

    @Test("kinds, roles, mutes, many members, order of the list and binary bodies come as they were")
    func edges() throws {
        let server = try TestServer()
        let folder = try Self.folder(members: 600)
        #expect(server.ctl("import", "leancloud", folder.path).code == .done)
        withExtendedLifetime(folder) {}
        let team = try #require(ObjectID(Self.team))
        let (kinds, members, activeAt, row) = try server.server.store.readAndWait { store throws(StoreError) in
            var kinds: [ConversationKind] = []
            for name in [Self.team, Self.hall, Self.news] {
                let id = ObjectID(name) ?? .zero
                if let found = try store.conversations.one(.object(id), seenBy: .system) { kinds.append(found.kind) }
            }
            guard let found = try store.conversations.one(.object(team), seenBy: .system) else {
                throw StoreError.notFound("the team")
            }
            let rows = try store.apps.objectRows([found.id], seenBy: .system)
            let row = rows.map { String(decoding: LeanCloudRows.row($0, at: 0).serialized(), as: UTF8.self) }
            return (kinds, try store.conversations.members(of: found.id), found.activeAtMilliseconds, row.first ?? "")
        }
        #expect(kinds == [.group, .room, .service])
        #expect(members.count == 602)
        #expect(members.filter { $0.role == .manager }.map(\.name.text) == ["juliet"])
        #expect(members.filter { $0.role == .owner }.map(\.name.text) == ["romeo"])
        // `lm` is later than the last message that the source still has.
        #expect(activeAt == 1_770_076_800_000)
        #expect(row.contains(#""mu":["juliet"]"#), "\(row)")
        let picture = try server.server.store.readAndWait { store throws(StoreError) in
            try store.people.user(named: UserName("juliet")!).flatMap { (user) throws(StoreError) in
                try store.people.profile(of: user.id)?.avatar
            }
        }
        #expect(picture == "https://files.example.com/a.png")
        let client = try server.leanCloud("juliet")
        let answer = try client.request(.logs) { command in
            var logs = LogsCommand()
            (logs.cid, logs.limit) = (team.text, 100)
            command.logsMessage = logs
        }
        let items = try #require(answer.logsMessage).logs
        #expect(items.count == 20)
        #expect(items.filter { $0.bin == true }.count == 4)
        #expect(items.first { $0.bin == true }?.data == "AAECA/8=")
        let shown = try server.manage("/conversation/sync", #"{"uid":"juliet","msg_count":1}"#)
        #expect(shown.json.array?.allSatisfy { $0["unread"]?.integer == 0 } == true)
        server.stop()
        #expect(try server.findings() == [])
    }
}
