import Accounts
import ByteCodec
import ChatModel
import CommandLineKit
import Foundation
import HTTPClient
import LeanCloudPull
import LeanCloudWire
import Server
import Store
import TeahouseTesting
import Testing

/// `teahouse export leancloud`: what it writes of a stopped server is what a pull brings from the running one.
struct LeanCloudExportScenarios {
    /// An app with people, conversations of several kinds, messages in every state, devices and files.
    private struct App {
        let server: TestServer
        let masterKey: String

        init() throws {
            self.server = try TestServer {
                $0.appID = "teahouse-test-app-gzGzoHsz"
                $0.accounts.app.signIn = .open
                $0.accounts.passwords.memoryBytes = 8_192
                $0.accounts.passwords.passes = 1
            }
            self.masterKey = try #require(self.server.ctl("app", "keys", "--json").json["masterKey"]?.string)
        }

        var address: String { "http://127.0.0.1:\(self.server.port)" }

        @discardableResult
        func ask(_ method: String, _ target: String, _ json: String = "") throws -> JSONValue {
            let fields = [
                ("X-LC-Id", self.server.leanCloudAppID), ("X-LC-Key", self.masterKey + ",master"),
                ("Content-Type", "application/json"),
            ]
            let reply = try self.server.http(method, target, headers: fields, body: Array(json.utf8))
            try #require((200...201).contains(reply.status), "\(method) \(target): \(reply.status) \(reply.text)")
            return reply.json
        }

        func conversation(_ path: String, _ json: String) throws -> String {
            try #require(self.ask("POST", "/1.2/rtm/\(path)", json)["objectId"]?.string)
        }

        func say(_ path: String, _ json: String) throws { try self.ask("POST", "/1.2/rtm/\(path)/messages", json) }

        /// Everything that a folder can hold.
        func fill() throws {
            for name in ["ming", "lan"] {
                try self.ask(
                    "POST", "/1.1/users", #"{"username":"\#(name)@tea","password":"a cup of longjing","tea":7}"#)
            }
            try self.server.write { transaction throws(StoreError) in
                _ = try transaction.people.createUser(
                    UserName("5f0000000000000000000001")!,
                    passwordHash: ImportedPassword(
                        salt: "salt", hash: String(repeating: "A", count: 86) + "==")!.stored)
            }
            let group = try self.conversation(
                "conversations", #"{"name":"茶馆","m":["ming","lan","小明"],"attr":{"color":"green"},"rank":3}"#)
            let pair = try self.conversation("conversations", #"{"m":["ming","lan"],"unique":true}"#)
            let room = try self.conversation("chatrooms", #"{"name":"hall"}"#)
            let service = try self.conversation("service-conversations", #"{"name":"news"}"#)
            try self.ask("POST", "/1.2/rtm/service-conversations/\(service)/subscribers", #"{"client_id":"ming"}"#)
            for number in 0..<25 {
                try self.say(
                    "conversations/\(number % 3 == 0 ? pair : group)",
                    #"{"from_client":"ming","message":"{\"_lctype\":-1,\"_lctext\":\"cup \#(number)\"}"}"#)
            }
            try self.say("chatrooms/\(room)", #"{"from_client":"lan","message":"in the hall"}"#)
            try self.ask(
                "POST", "/1.2/rtm/service-conversations/\(service)/broadcasts",
                #"{"from_client":"lan","message":"to all"}"#)
            try self.ask(
                "POST", "/1.2/rtm/conversations/\(group)/member-infos", #"{"clientId":"ming","role":"Manager"}"#)
            let lan = try self.server.leanCloudSocket()
            try lan.open("lan")
            let fills: [(inout DirectCommand) -> Void] = [
                { $0.binaryMsg = [0, 255, 7] }, { $0.msg = "edited later" }, { $0.msg = "taken back" },
            ]
            for (number, fill) in fills.enumerated() {
                let sent = try lan.request(.direct) {
                    var message = DirectCommand()
                    message.cid = group
                    message.r = true
                    message.mentionPids = ["ming"]
                    fill(&message)
                    $0.directMessage = message
                }
                let ack = try #require(sent.ackMessage)
                let id = try #require(ack.uid)
                let path = "/1.2/rtm/conversations/\(group)/messages/\(id)"
                let time = try #require(ack.t)
                if number == 1 {
                    try self.ask(
                        "PUT", path, #"{"from_client":"lan","message":"changed","timestamp":\#(time)}"#)
                } else if number == 2 {
                    try self.ask("PUT", path + "/recall", #"{"from_client":"lan","timestamp":\#(time)}"#)
                }
            }
            lan.drop()
            try self.ask("POST", "/1.1/installations", #"{"deviceType":"ios","deviceToken":"abc","channels":["x"]}"#)
            for (name, text) in [("story.txt", "of the teahouse"), ("茶.txt", String(repeating: "tea ", count: 5_000))] {
                let bytes = Base64.encode(Array(text.utf8))
                try self.ask(
                    "POST", "/1.1/files",
                    #"{"name":"\#(name)","base64":"\#(String(decoding: bytes, as: UTF8.self))"}"#)
            }
        }

        /// A file that is not here.
        func addFarFile() throws {
            try self.ask("POST", "/1.1/files", #"{"name":"far.png","url":"http://127.0.0.1:1/far.png"}"#)
        }
    }

    /// Files of a folder by their paths; without what tells of the run.
    private func contents(_ folder: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            var isFolder: ObjCBool = false
            let whole = folder + "/" + path
            guard FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue,
                !path.hasPrefix(".pull/")
            else { continue }
            found[path] = try Data(contentsOf: URL(fileURLWithPath: whole))
        }
        return found
    }

    private func lines(_ data: Data?) -> [JSONValue] {
        String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n").map {
            (try? JSONValue(parsing: Array($0.utf8))) ?? .null
        }
    }

    @Test("of a stopped server comes what a pull brings from the running one, byte for byte, and the hashes beside it")
    func same() throws {
        let app = try App()
        try app.fill()
        let place = TemporaryFolder()
        let (pulled, exported) = (place.path + "/pulled", place.path + "/exported")
        var options = PullOptions(
            source: app.address, app: app.server.leanCloudAppID, masterKey: app.masterKey, folder: pulled)
        options.rate = 1_000
        options.privateFiles = true
        options.everyConversation = true
        _ = try Puller(options, HTTPCancellation()) { _ in }.run()
        let address = app.address
        app.server.stop()
        let run = self.export(app.server.folder.path, exported, "--address", address + "/")
        #expect(run.code == .done, "\(run.output) \(run.error)")
        let (there, here) = (try self.contents(pulled), try self.contents(exported))
        for path in Set(there.keys).union(here.keys).sorted()
        where ![
            "README.txt", "SHA256SUMS", "manifest.json", "report.json", "users/_User.jsonl", "odd/users.jsonl",
            "classes/_ConversationMemberInfo.jsonl",
        ]
        .contains(path) && !self.isEmptyClass(path, there, here) {
            #expect(there[path] == here[path], "\(path)")
        }
        #expect(self.lines(here["odd/_User.jsonl"]).count == 1, "小明, whose id is no object id of LeanCloud's")
        #expect(self.lines(here["files.jsonl"]).map { $0["state"]?.string } == ["ok", "ok"])
        let messages = here.filter { $0.key.hasPrefix("messages/") }.values.flatMap { self.lines($0) }
        #expect(messages.count >= 29, "\(messages.count)")
        #expect(messages.contains { $0["bin"]?.boolean == true && $0["data"]?.string == "AP8H" })
        #expect(messages.contains { $0["patch-timestamp"]?.integer ?? 0 > 0 })
        #expect(self.lines(here["subscribers.jsonl"]).map { $0["subscriber"]?.string } == ["ming"])
        let roles = self.lines(here["classes/_ConversationMemberInfo.jsonl"])
        #expect(roles.contains { $0["clientId"]?.string == "ming" && $0["role"]?.string == "Manager" })
        let hashed = self.lines(here["users/_User.jsonl"]).filter { $0["password"] != nil }
        #expect(hashed.map { $0["objectId"]?.string } == ["5f0000000000000000000001"])
        #expect(hashed.first?["salt"]?.string == "salt")
        #expect(run.output.contains("password that only teahouse can check"))
    }

    /// Members of a row that another server keeps, in the order of their names.
    private func kept(_ row: JSONValue, _ names: [String]) -> String {
        names.sorted().map { name in
            var value = row[name] ?? .null
            if let texts = value.array?.compactMap(\.string), !texts.isEmpty {
                value = .array(texts.sorted().map { .string($0) })
            }
            return "\(name)=" + String(decoding: value.serialized(), as: UTF8.self)
        }.joined(separator: " ")
    }

    /// Rows of all files whose paths begin so.
    private func rows(_ folder: [String: Data], _ path: String) -> [JSONValue] {
        folder.filter { $0.key.hasPrefix(path) }.sorted { $0.key < $1.key }.flatMap { self.lines($0.value) }
    }

    @Test("exported, imported into an empty server and exported there: conversations, history and people come back")
    func thereAndBack() throws {
        let app = try App()
        try app.fill()
        app.server.stop()
        let place = TemporaryFolder()
        let (first, data, second) = (place.path + "/first", place.path + "/data", place.path + "/second")
        #expect(self.export(app.server.folder.path, first).code == .done)
        let brought = ControlRun.run(["import", "leancloud", first, "--data", data])
        #expect(brought.code == .done, "\(brought.output) \(brought.error)")
        let again = self.export(data, second)
        #expect(again.code == .done, "\(again.output) \(again.error)")
        let (there, here) = (try self.contents(first), try self.contents(second))
        let compared: [(path: String, names: [String])] = [
            ("messages/", ["timestamp", "conv-id", "msg-id", "from", "data", "bin", "patch-timestamp", "is-room"]),
            (
                "classes/_Conversation.jsonl",
                ["objectId", "name", "m", "c", "attr", "rank", "createdAt", "unique", "tr", "sys", "mu"]
            ),
            ("classes/_ConversationMemberInfo.jsonl", ["cid", "clientId", "role"]),
            ("subscribers.jsonl", ["conv_id", "subscriber"]),
        ]
        for (path, names) in compared {
            // What sorts rows of a class, an id of this store's own, may be another one there.
            let left = self.rows(there, path).map { self.kept($0, names) }.sorted()
            let right = self.rows(here, path).map { self.kept($0, names) }.sorted()
            #expect(!left.isEmpty && left == right, "\(path): \(left) and \(right)")
        }
        let people = ["objectId", "username", "tea", "salt", "password"]
        let known = Set(self.rows(here, "users/_User.jsonl").map { self.kept($0, people) })
        for row in self.rows(there, "users/_User.jsonl") { #expect(known.contains(self.kept(row, people))) }
    }

    /// A class that one of the two has no file of, and the other no rows.
    private func isEmptyClass(_ path: String, _ left: [String: Data], _ right: [String: Data]) -> Bool {
        path.hasPrefix("classes/") && left[path, default: Data()].isEmpty && right[path, default: Data()].isEmpty
    }

    private func export(_ data: String, _ into: String, _ more: String...) -> ControlRun {
        ControlRun.run(["export", "leancloud", into, "--data", data] + more)
    }

    @Test("the sums stand; a folder that holds something, a running server and no data are refused")
    func refused() throws {
        let app = try App()
        try app.fill()
        try app.addFarFile()
        let place = TemporaryFolder()
        let running = self.export(app.server.folder.path, place.path + "/a")
        #expect(running.code == .alreadyRunning, "\(running)")
        app.server.stop()
        let first = self.export(app.server.folder.path, place.path + "/a", "--json")
        #expect(first.code == .done && first.json["whole"]?.boolean == true, "\(first)")
        #expect(first.output.contains("1 files are at addresses elsewhere"))
        let sums = Process()
        sums.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        sums.arguments = ["sha256sum", "--quiet", "-c", "SHA256SUMS"]
        sums.currentDirectoryURL = URL(fileURLWithPath: place.path + "/a")
        try sums.run()
        sums.waitUntilExit()
        #expect(sums.terminationStatus == 0)
        let again = self.export(app.server.folder.path, place.path + "/a")
        #expect(again.code == .refused && again.error.contains("not empty"))
        #expect(self.export(place.path + "/nothing", place.path + "/b").code == .noInput)
        let bare = self.export(app.server.folder.path, place.path + "/c", "--no-files")
        #expect(bare.code == .done, "\(bare)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/c/files.jsonl"))
    }
}
