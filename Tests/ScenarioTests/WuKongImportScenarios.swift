import ByteCodec
import ChatModel
import Execution
import HTTPClient
import Imports
import Server
import Store
import TeahouseTesting
import Testing
import WuKongPull

/// A WuKongIM server of version 2 as a pull meets it: conversations and history are those of a server of ours, asked through its
/// own HTTP API; what that API does not have (`/cluster`) is made here as WuKongIM's sources say.
private final class OldAnswers: Sendable {
    private let port: UInt16
    private let token: String
    private let people: [String]
    let groups: Lock<[String: [String]]>
    /// Answers in place of the usual ones.
    let fault = Lock<(@Sendable (ReceivedRequest) -> ReceiverReply?)?>(nil)
    /// Sequences that the source has lost.
    let lost = Lock<Set<Int64>>([])

    init(_ server: TestServer, people: [String], groups: [String: [String]]) throws {
        self.port = server.port
        self.token = try server.managerToken()
        self.people = people
        self.groups = Lock(groups)
    }

    private static func list(_ texts: [String]) -> String { "[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]" }

    func answer(_ request: ReceivedRequest) -> ReceiverReply {
        if let reply = self.fault.withLock({ $0 })?(request) { return reply }
        let path = String(request.target.prefix { $0 != "?" })
        let groups = self.groups.withLock { $0 }
        switch path {
        case "/cluster/users":
            let rows = self.people.enumerated().map { #"{"uid":"\#($1)","created_at":\#(1_000 - $0)}"# }
            return .body(#"{"more":0,"total":\#(rows.count),"data":[\#(rows.joined(separator: ","))]}"#)
        case "/cluster/channels":
            let rows = groups.keys.sorted().map {
                #"{"channel_id":"\#($0)","channel_type":2,"created_at":1700000000000000000}"#
            }
            return .body(#"{"more":0,"data":[\#(rows.joined(separator: ","))]}"#)
        case "/cluster/channels/tea/2/denylist": return .body(#"["tybalt"]"#)
        default:
            if path.hasPrefix("/cluster/") {
                let name = path.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
                return .body(path.hasSuffix("/2/subscribers") ? Self.list(groups[name] ?? []) : "[]")
            }
            return self.passOn(request)
        }
    }

    private func passOn(_ request: ReceivedRequest) -> ReceiverReply {
        let asked = try? HTTPTestClient.ask(
            port: self.port, request.method, request.target, headers: [("token", self.token)], body: request.body)
        guard let reply = asked else { return .close }
        let lost = self.lost.withLock { $0 }
        guard !lost.isEmpty, request.target == "/channel/messagesync", request.text.contains("\"tea\"") else {
            return .answer(reply.status, reply.text)
        }
        let rows = (reply.json["messages"]?.array ?? []).filter { !lost.contains($0["message_seq"]?.integer ?? 0) }
        let page = JSONValue.object([
            JSONValue.Member("more", reply.json["more"] ?? .null), JSONValue.Member("messages", .array(rows)),
        ])
        return .body(String(decoding: page.serialized(), as: UTF8.self))
    }
}

/// The server behind the answers, and the address that a pull asks.
private struct OldServer {
    let server: TestServer
    let receiver: HTTPReceiver
    let answers: OldAnswers

    init(people: [String], groups: [String: [String]]) throws {
        self.server = try TestServer()
        try self.server.add(people)
        for (name, members) in groups { try self.server.group(name, members) }
        let answers = try OldAnswers(self.server, people: people, groups: groups)
        self.answers = answers
        self.receiver = HTTPReceiver { answers.answer($0) }
    }

    var address: String { "http://127.0.0.1:\(self.receiver.port)" }
    var fault: Lock<(@Sendable (ReceivedRequest) -> ReceiverReply?)?> { self.answers.fault }

    @discardableResult
    func pull(into folder: String) throws -> WuKongPullReport {
        var options = WuKongPullOptions(source: self.address, folder: folder)
        options.rate = 1_000
        options.refusalPauseMilliseconds = 0
        return try WuKongPuller(options, HTTPCancellation()) { _ in }.run()
    }
}

/// Data of a WuKongIM server of version 2, pulled and brought into a server, and what its apps see of it.
struct WuKongImportScenarios {
    /// Romeo, juliet and tybalt in a group, and romeo with juliet; juliet has read the first two messages of the group.
    private static func source() throws -> OldServer {
        let old = try OldServer(
            people: ["romeo", "juliet", "tybalt", "eve"], groups: ["tea": ["romeo", "juliet", "tybalt"]])
        let romeo = try old.server.connect("romeo")
        let juliet = try old.server.connect("juliet")
        for number in 1...5 { try romeo.publish("tea \(number)", to: "tea", group: true, number: "n\(number)") }
        try juliet.publish("dear", to: "romeo")
        try romeo.publish("yes", to: "juliet")
        _ = try old.server.manage(
            "/conversations/clearUnread", #"{"uid":"juliet","channel_id":"tea","channel_type":2,"message_seq":2}"#)
        return old
    }

    @discardableResult
    private static func bring(
        _ folder: String, into server: TestServer
    ) throws -> (report: ImportReport, remarks: [String]) {
        var remarks: [String] = []
        let destination = StoreDestination(
            server.server.store, source: "wukongim", actor: AuditActor(uid: 1, name: "ming"))
        var run = FolderImport(folder, of: .wuKongIM, isDryRun: false, through: destination) { path, line, remark in
            remarks.append("\(path):\(line) \(remark.text)")
        } progress: { _, _ in
        }
        return (try run.run(), remarks)
    }

    private static func counts(_ report: ImportReport, _ table: ImportTable) -> ImportCounts {
        report.tables.first { $0.table == table }?.counts ?? ImportCounts()
    }

    /// Lines that apps know of the messages of a channel.
    private static func history(
        _ channel: String, _ type: Int, as name: String, of server: TestServer
    ) throws -> [String] {
        let question =
            #"{"login_uid":"\#(name)","channel_id":"\#(channel)","channel_type":\#(type),"start_message_seq":1,"#
            + #""end_message_seq":0,"limit":100,"pull_mode":1}"#
        let page = try server.manage("/channel/messagesync", question)
        return (page.json["messages"]?.array ?? []).map { row in
            let texts = ["message_idstr", "client_msg_no", "from_uid", "channel_id", "payload"].map {
                row[$0]?.string ?? "-"
            }
            let numbers = ["message_seq", "message_id", "timestamp", "channel_type"].map {
                row[$0]?.integer.map { String($0) } ?? "-"
            }
            return (numbers + texts).joined(separator: " ")
        }
    }

    private static func conversations(of name: String, at server: TestServer) throws -> [String: [Int64]] {
        let question = #"{"uid":"\#(name)","version":0,"last_msg_seqs":"","msg_count":1}"#
        var found: [String: [Int64]] = [:]
        for row in try server.manage("/conversation/sync", question).json.array ?? [] {
            found[row["channel_id"]?.string ?? ""] = ["unread", "readed_to_msg_seq", "last_msg_seq"].map {
                row[$0]?.integer ?? -1
            }
        }
        return found
    }

    @Test("an app finds its history with the numbers that it knows, its unread messages, and goes on behind them")
    func whole() throws {
        let old = try Self.source()
        let folder = TemporaryFolder()
        let saved = folder.path + "/saved"
        let pulled = try old.pull(into: saved)
        #expect(pulled.isWhole, "\(pulled.failures)")
        let server = try TestServer()
        let (report, remarks) = try Self.bring(saved, into: server)
        #expect(remarks == [] && report.refused == 0)
        #expect(Self.counts(report, .users).added == 4 && Self.counts(report, .channels).added == 2)
        #expect(Self.counts(report, .channelMessages).added == 7 && Self.counts(report, .channelLists).added == 1)
        for (channel, type, name) in [("tea", 2, "juliet"), ("romeo", 1, "juliet"), ("juliet", 1, "romeo")] {
            let here = try Self.history(channel, type, as: name, of: server)
            #expect(here.count == (type == 2 ? 5 : 2))
            #expect(try here == Self.history(channel, type, as: name, of: old.server))
        }
        for name in ["romeo", "juliet", "tybalt"] {
            #expect(
                try Self.conversations(of: name, at: server) == Self.conversations(of: name, at: old.server), "\(name)")
        }
        // One message by the number that the app has for it.
        let page = try old.server.manage(
            "/channel/messagesync", #"{"login_uid":"romeo","channel_id":"tea","channel_type":2,"limit":1}"#)
        let id = try #require(page.json["messages"]?.array?.first?["message_id"]?.integer)
        let one = try server.manage(
            "/messages", #"{"login_uid":"romeo","channel_id":"tea","channel_type":2,"message_ids":[\#(id)]}"#)
        #expect(one.json["messages"]?.array?.map { $0["message_id"]?.integer } == [id])
        // People go on, in both encodings.
        let juliet = try server.connect("juliet")
        let romeo = try server.connect("romeo")
        #expect(try romeo.publish("tea 6", to: "tea", group: true).sequence == 6)
        // A device that was never here gets what its person had not read first, as any new device does.
        var heard: [String] = []
        while heard.last != "tea 6", heard.count < 10 { heard.append(try juliet.receive().text) }
        #expect(heard.last == "tea 6" && heard.contains("tea 5"))
        #expect(!heard.contains("tea 1") && !heard.contains("tea 2"))
        #expect(try juliet.publish("still", to: "romeo").sequence == 3)
        // Who was on the deny list is.
        let tybalt = try server.connect("tybalt")
        #expect(try tybalt.publish("hear", to: "tea", group: true).reason != 1)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("the same again changes nothing, what is new comes behind, and holes of the source stay")
    func again() throws {
        let old = try Self.source()
        old.answers.lost.withLock { $0 = [1, 4] }
        let folder = TemporaryFolder()
        let saved = folder.path + "/saved"
        try old.pull(into: saved)
        let server = try TestServer()
        #expect(Self.counts(try Self.bring(saved, into: server).report, .channelMessages).added == 5)
        try old.pull(into: saved)
        let second = try Self.bring(saved, into: server).report
        for (table, counts) in second.tables {
            #expect(counts.added == 0 && counts.changed == 0 && counts.refused == 0, "\(table)")
        }
        let romeo = try old.server.connect("romeo")
        try romeo.publish("tea 6", to: "tea", group: true)
        try old.pull(into: saved)
        #expect(Self.counts(try Self.bring(saved, into: server).report, .channelMessages).added == 1)
        let tea = try server.history(.channel(.group, ChannelName("tea")!), seenBy: "romeo")
        #expect(tea.map(\.sequence) == [2, 3, 5, 6])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a conversation list makes nobody a member, and a list of subscribers that does not come takes nobody out")
    func privacy() throws {
        let old = try Self.source()
        let folder = TemporaryFolder()
        let saved = folder.path + "/saved"
        // Eve was in the group once: her list still has it.
        old.fault.withLock {
            $0 = { request in
                guard request.target == "/conversation/sync", request.text.contains("eve") else { return nil }
                return .body(
                    #"[{"channel_id":"tea","channel_type":2,"unread":1,"readed_to_msg_seq":3,"last_msg_seq":5}]"#)
            }
        }
        try old.pull(into: saved)
        let server = try TestServer()
        let (report, remarks) = try Self.bring(saved, into: server)
        #expect(Self.counts(report, .positions).refused == 1)
        #expect(remarks.filter { $0.hasPrefix("positions.jsonl") }.count == 1)
        func members() throws -> [String] {
            try server.server.store.readAndWait { store throws(StoreError) in
                guard let tea = try store.conversations.one(.channel(.group, ChannelName("tea")!), seenBy: .system)
                else { return [] }
                return try store.conversations.members(of: tea.id).map(\.name.text).sorted()
            }
        }
        #expect(try members() == ["juliet", "romeo", "tybalt"])
        old.fault.withLock {
            $0 = { $0.target.hasSuffix("/subscribers") ? .answer(400, #"{"msg":"broken"}"#) : nil }
        }
        #expect(try !old.pull(into: saved).isWhole)
        try Self.bring(saved, into: server)
        #expect(try members() == ["juliet", "romeo", "tybalt"])
        // A whole list takes out who is not in it any more.
        old.fault.withLock { $0 = nil }
        old.answers.groups.withLock { $0["tea"] = ["romeo", "juliet"] }
        try old.pull(into: saved)
        try Self.bring(saved, into: server)
        #expect(try members() == ["juliet", "romeo"])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("where a list of conversations fails nothing is read, and the next run mends it")
    func positions() throws {
        let old = try Self.source()
        let folder = TemporaryFolder()
        let saved = folder.path + "/saved"
        old.fault.withLock {
            $0 = { request in
                let isJuliet = request.target == "/conversation/sync" && request.text.contains("juliet")
                return isJuliet ? .answer(400, #"{"msg":"broken"}"#) : nil
            }
        }
        let pulled = try old.pull(into: saved)
        #expect(pulled.failures.map(\.what) == ["the conversations of juliet"])
        let server = try TestServer()
        try Self.bring(saved, into: server)
        #expect(try Self.conversations(of: "juliet", at: server)["tea"]?[1] == 0)
        old.fault.withLock { $0 = nil }
        #expect(try old.pull(into: saved).isWhole)
        try Self.bring(saved, into: server)
        #expect(
            try Self.conversations(of: "juliet", at: server)["tea"]
                == Self.conversations(of: "juliet", at: old.server)["tea"])
    }

    @Test("ctl brings the folder into a server that runs, teahouse import pulls and brings in one step")
    func commands() throws {
        let old = try Self.source()
        let folder = TemporaryFolder()
        let saved = folder.path + "/saved"
        let pull = ControlRun.run(["wukongim", "pull", "--from", old.address, "--into", saved, "--rate", "1000"])
        #expect(pull.code == .done, "\(pull.output) \(pull.error)")
        let server = try TestServer()
        let foreseen = server.ctl("import", "wukongim", saved, "--dry-run", "--json")
        #expect(foreseen.json["channelMessages"]?["added"]?.integer == 7, "\(foreseen.error)")
        #expect(server.ctl("import", "leancloud", saved).code == .noInput)
        let run = server.ctl("import", "wukongim", saved, "--json")
        #expect(run.code == .done && run.json["channelMessages"]?["added"]?.integer == 7, "\(run.error)")
        #expect(try Self.history("tea", 2, as: "juliet", of: server).count == 5)
        #expect(server.ctl("import", "list").output.contains("wukongim"))
        let other = try TestServer()
        other.stop()
        let words = ["import", "wukongim", folder.path + "/second", "--from", old.address, "--rate", "1000"]
        let both = ControlRun.run(words + ["--data", other.folder.path])
        #expect(both.code == .done, "\(both.output) \(both.error)")
        #expect(try other.findings() == [])
        try other.restart()
        #expect(
            try Self.history("tea", 2, as: "juliet", of: other) == Self.history("tea", 2, as: "juliet", of: old.server))
    }
}
