import ByteCodec
import ChatModel
import CommandLineKit
import Foundation
import Imports
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// Files of an app that was pulled from LeanCloud: their contents, their addresses, and where they were before.
struct ImportFileScenarios {
    private static let team = "5f00000000000000000000a1"
    private static let former = "https://files.example.com"
    private static let address = "https://chat.example.com"

    /// Contents with the hashes that `sha256sum` says.
    private static let letter = (
        text: String(repeating: "the letter of romeo\n", count: 50),
        hash: "3db46e81f5e9110ce77c1e8809e7cf549e247371dd57736097f518e9d78db0d1"
    )
    private static let picture = (
        text: "the picture", hash: "01064c082a57b792544bbb6d2cb9cef502a54cfd915642ad70fcbd562758afdd"
    )

    /// A folder as `leancloud pull` writes it, with files.
    private final class Folder {
        let folder = TemporaryFolder()
        var files: [String: [String]] = [:]

        init() throws {
            let (former, team) = (ImportFileScenarios.former, ImportFileScenarios.team)
            func file(_ id: String, _ key: String, _ name: String, _ more: String = "") -> String {
                """
                {"objectId":"\(id)","name":"\(name)","url":"\(former)/\(key)","key":"\(key)","bucket":"b","provider":"qiniu",\
                "mime_type":"text/plain","metaData":{"owner":"romeo","size":1000\(more)},\
                "createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}
                """
            }
            self.files["classes/_File.jsonl"] = [
                file("5f00000000000000000000f1", "k1/letter.txt", "letter.txt"),
                file("5f00000000000000000000f2", "k2.png", "画.png"),
                file("5f00000000000000000000f3", "k3.txt", "gone.txt"),
                #"{"objectId":"5f00000000000000000000f4","name":"e","url":"https://elsewhere.example/e.png","metaData":{"__source":"external"},"createdAt":"2026-01-01T00:00:00.000Z"}"#,
            ]
            self.files["files.jsonl"] = [
                Self.entry("5f00000000000000000000f1", "k1/letter.txt", ImportFileScenarios.letter),
                Self.entry("5f00000000000000000000f2", "k2.png", ImportFileScenarios.picture),
                #"{"objectId":"5f00000000000000000000f3","state":"gone","why":"HTTP 404","url":"\#(former)/k3.txt"}"#,
            ]
            self.files["classes/_User.jsonl"] = ["romeo", "juliet"].map {
                #"{"objectId":"\#($0)","username":"\#($0)@play","picture":"\#(former)/k2.png","createdAt":"2026-01-01T00:00:00.000Z"}"#
            }
            let dates = #""createdAt":"2026-01-02T00:00:00.000Z","updatedAt":"2026-01-03T00:00:00.000Z""#
            self.files["classes/_Conversation.jsonl"] = [
                #"{"objectId":"\#(team)",\#(dates),"name":"team","m":["romeo","juliet"],"c":"romeo","attr":{"cover":"\#(former)/k2.png"}}"#
            ]
            self.files["messages/2026-02-02.jsonl"] = ["k1/letter.txt", "k2.png", "k3.txt"].enumerated().map {
                let data =
                    #"{\"_lctype\":-6,\"_lctext\":\"see \#(former)/k2.png\",\"_lcfile\":{\"url\":\"\#(former)/\#($1)\"}}"#
                return """
                    {"timestamp":\(1_770_000_000_000 + $0),"conv-id":"\(team)","data":"\(data)","from":"romeo",\
                    "msg-id":"m\($0)____________________","is-conv":true,"bin":false}
                    """
            }
            try self.put(ImportFileScenarios.letter.text, of: "5f00000000000000000000f1")
            try self.put(ImportFileScenarios.picture.text, of: "5f00000000000000000000f2")
        }

        static func entry(_ id: String, _ key: String, _ content: (text: String, hash: String)) -> String {
            #"{"objectId":"\#(id)","state":"ok","path":"files/\#(id.suffix(2))/\#(id)","bytes":\#(content.text.utf8.count),"#
                + #""sha256":"\#(content.hash)","url":"\#(ImportFileScenarios.former)/\#(key)"}"#
        }

        func put(_ text: String, of id: String) throws {
            try self.write(text, to: "files/\(id.suffix(2))/\(id)")
        }

        private func write(_ text: String, to path: String) throws {
            let file = URL(fileURLWithPath: "\(self.folder.path)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }

        func write() throws {
            var tables: [String] = []
            for (path, lines) in self.files {
                try self.write(lines.joined(separator: "\n") + "\n", to: path)
                tables.append(#"{"path":"\#(path)","rows":\#(lines.count)}"#)
            }
            try self.write(
                #"{"format":1,"kind":"leancloud-pull","source":"https://x","app":"APP","tables":[\#(tables.joined(separator: ","))]}"#,
                to: "manifest.json")
        }
    }

    /// Stops after some contents, or before the row of one, as a kill would.
    private struct BreakingDestination: ImportDestination {
        struct Broken: Error {}

        var destination: StoreDestination
        var contents: Int
        var breaksBeforeRow: Bool

        mutating func begin(origin: String) throws(any Error) { try self.destination.begin(origin: origin) }
        mutating func send(_ batch: ImportBatch) throws(any Error) -> ImportBatchOutcome {
            if !batch.contents.isEmpty, self.contents < 0, self.breaksBeforeRow { throw Broken() }
            return try self.destination.send(batch)
        }
        mutating func bring(_ content: ImportContent) throws(any Error) -> ImportedContent {
            self.contents -= 1
            if self.contents < 0, !self.breaksBeforeRow { throw Broken() }
            return try self.destination.bring(content)
        }
        mutating func foresee(
            _ batch: ImportBatch, expecting expected: Set<ObjectID>
        ) throws(any Error) -> ImportBatchOutcome { try self.destination.foresee(batch, expecting: expected) }
        mutating func finish(counts: String) throws(any Error) { try self.destination.finish(counts: counts) }
    }

    @discardableResult
    private static func bring(
        _ folder: Folder, into server: TestServer, contents: Int = .max, breaksBeforeRow: Bool = false,
        address: String? = address
    ) throws -> (counts: ImportCounts, remarks: [String], messages: ImportCounts) {
        var write: FileAddress?
        if let address { write = { link, name in "\(address)/f/\(link)/\(name)" } }
        var remarks: [String] = []
        let destination = BreakingDestination(
            destination: StoreDestination(
                server.server.store, actor: AuditActor(uid: 1, name: "ming"),
                contents: ContentImport(server.server.transfers), address: write),
            contents: contents, breaksBeforeRow: breaksBeforeRow)
        var run = FolderImport(folder.folder.path, isDryRun: false, through: destination) { path, line, remark in
            remarks.append("\(path):\(line) \(remark.text)")
        } progress: { _, _ in
        }
        let report = try run.run()
        func counts(_ table: ImportTable) -> ImportCounts {
            report.tables.first { $0.table == table }?.counts ?? ImportCounts()
        }
        return (counts(.files), remarks, counts(.messages))
    }

    /// Bodies of the team's messages, and addresses in them.
    private static func bodies(_ server: TestServer) throws -> [JSONValue] {
        let id = try #require(ObjectID(Self.team))
        return try server.server.store.readAndWait { store throws(StoreError) in
            guard let found = try store.conversations.one(.object(id), seenBy: .system) else { return [] }
            return try store.messages.page(in: found.id, after: 0, limit: 100, as: .unrestricted).compactMap {
                try? JSONValue(parsing: $0.content.body)
            }
        }
    }

    private static func path(_ address: String) -> String { String(address.dropFirst(Self.address.count)) }

    @Test("an SDK's app reads a file by its address here and by the one that it had, and by its object id")
    func downloads() throws {
        let server = try TestServer()
        let folder = try Folder()
        try folder.write()
        let (counts, remarks, _) = try Self.bring(folder, into: server)
        #expect(counts.rows == 4 && counts.added == 3 && counts.refused == 1)
        #expect(remarks == ["classes/_File.jsonl:3 its content is not in the folder: gone, HTTP 404"])
        let bodies = try Self.bodies(server)
        let addresses = bodies.map { $0["_lcfile"]?["url"]?.string ?? "" }
        #expect(addresses[0].hasPrefix(Self.address + "/f/th-l") && addresses[0].hasSuffix("/letter.txt"))
        // What is not here keeps its address, and so does one inside of a longer text.
        #expect(addresses[2] == Self.former + "/k3.txt")
        #expect(bodies[0]["_lctext"]?.string == "see \(Self.former)/k2.png")
        for path in [Self.path(addresses[0]), "/k1/letter.txt", "/k1/letter%2Etxt", "/k1/letter.txt?imageView2/1"] {
            let reply = try server.http("GET", path)
            #expect(reply.status == 200 && reply.text == Self.letter.text, "\(path): \(reply.status)")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["content-security-policy"] == "sandbox; default-src 'none'")
        }
        let head = try server.http("HEAD", "/k1/letter.txt")
        #expect(head.status == 200 && head.headers["content-length"] == "1000" && head.body.isEmpty)
        let part = try server.http("GET", "/k1/letter.txt", headers: [("Range", "bytes=4-9")])
        #expect(part.status == 206 && part.text == "letter")
        let tag = try #require(head.headers["etag"])
        #expect(try server.http("GET", "/k1/letter.txt", headers: [("If-None-Match", tag)]).status == 304)
        #expect(head.headers["cross-origin-resource-policy"] == "cross-origin")
        for path in ["/k3.txt", "/k1", "/K2.png", "/no/such/thing"] {
            let reply = try server.http("GET", path)
            #expect(reply.status == 404 && reply.json["error"]?.string == "not found", "\(path)")
        }
        #expect(try server.http("DELETE", "/k2.png").status == 404)

        let romeo = try server.id("romeo")
        let file = try server.server.store.readAndWait { store throws(StoreError) in
            try store.apps.appFile(ObjectID("5f00000000000000000000f1")!)
        }
        #expect(file?.owner == romeo && file?.name == "letter.txt")
        let use = try server.server.store.readAndWait { store throws(StoreError) in
            try store.files.quotaUse(of: romeo)
        }
        #expect(use.bytes == 0)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("attributes of conversations and fields of people have the addresses here")
    func fields() throws {
        let server = try TestServer()
        let folder = try Folder()
        try folder.write()
        try Self.bring(folder, into: server)
        let picture = try #require(try Self.bodies(server)[1]["_lcfile"]?["url"]?.string)
        #expect(picture.hasPrefix(Self.address))
        let id = try #require(ObjectID(Self.team))
        let romeo = try server.id("romeo")
        let (attributes, own) = try server.server.store.readAndWait { store throws(StoreError) in
            let conversation = try store.conversations.one(.object(id), seenBy: .system)
            let row = try conversation.flatMap { (found) throws(StoreError) in
                try store.apps.objectRows([found.id], seenBy: .system).first
            }
            return (row?.attributes, try store.apps.appUser(romeo)?.fields)
        }
        #expect(attributes.map { String(decoding: $0, as: UTF8.self) }?.contains(picture) == true)
        #expect(own.map { String(decoding: $0, as: UTF8.self) }?.contains(picture) == true)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a content that comes later brings its row, and the messages get its address")
    func comesLater() throws {
        let server = try TestServer()
        let folder = try Folder()
        try folder.write()
        try Self.bring(folder, into: server)
        folder.files["files.jsonl"]?[2] = Folder.entry("5f00000000000000000000f3", "k3.txt", Self.letter)
        try folder.put(Self.letter.text, of: "5f00000000000000000000f3")
        try folder.write()
        let (counts, remarks, messages) = try Self.bring(folder, into: server)
        #expect(counts.added == 1 && counts.known == 3 && remarks == [])
        #expect(messages.changed == 1 && messages.known == 2)
        #expect(try server.http("GET", "/k3.txt").text == Self.letter.text)
        #expect(try Self.bodies(server)[2]["_lcfile"]?["url"]?.string?.hasPrefix(Self.address) == true)
        // And then nothing is new, by whatever name the server goes.
        let (again, _, same) = try Self.bring(folder, into: server, address: "https://other.example.com")
        #expect(again.known == 4 && again.added == 0 && same.known == 3)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a content that is not what was saved is refused, and what the operator has given no address keeps its own")
    func damagedFolder() throws {
        let server = try TestServer()
        let folder = try Folder()
        try folder.put("the victure", of: "5f00000000000000000000f2")
        try folder.write()
        let (counts, remarks, _) = try Self.bring(folder, into: server, address: nil)
        #expect(counts.added == 2 && counts.refused == 2)
        #expect(remarks.first?.contains("its content is not what was saved") == true)
        #expect(try Self.bodies(server)[0]["_lcfile"]?["url"]?.string == Self.former + "/k1/letter.txt")
        #expect(try server.http("GET", "/k1/letter.txt").status == 200)
        // From when it is set the addresses are those of here.
        let (_, _, messages) = try Self.bring(folder, into: server)
        #expect(messages.changed == 1)
        #expect(try Self.bodies(server)[0]["_lcfile"]?["url"]?.string?.hasPrefix(Self.address) == true)
    }

    @Test("stopped before a content or before its row, and run again, it is whole", arguments: [0, 1], [false, true])
    func resumes(_ contents: Int, _ breaksBeforeRow: Bool) throws {
        let server = try TestServer()
        let folder = try Folder()
        try folder.write()
        #expect(throws: (any Error).self) {
            try Self.bring(folder, into: server, contents: contents, breaksBeforeRow: breaksBeforeRow)
        }
        try server.restart()
        let (counts, _, _) = try Self.bring(folder, into: server)
        #expect(counts.added + counts.known == 3 && counts.refused == 1)
        #expect(try server.http("GET", "/k1/letter.txt").text == Self.letter.text)
        #expect(try server.http("GET", "/k2.png").text == Self.picture.text)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("what nothing names stays when files are collected, and goes when its app removes it")
    func kept() throws {
        let server = try TestServer { $0.store.files.unreferencedHours = 0 }
        let folder = try Folder()
        folder.files["messages/2026-02-02.jsonl"] = nil
        folder.files["classes/_Conversation.jsonl"] = nil
        try folder.write()
        try Self.bring(folder, into: server)
        let swept = try server.write { store throws(StoreError) in try store.files.sweepFiles(limit: 100) }
        #expect(swept == [])
        #expect(try server.http("GET", "/k1/letter.txt").status == 200)
        let romeo = try server.id("romeo")
        try server.write { store throws(StoreError) in
            try store.apps.deleteAppFile(ObjectID("5f00000000000000000000f1")!, by: Actor(romeo))
        }
        #expect(try server.http("GET", "/k1/letter.txt").status == 404)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("ctl brings contents through the socket, and no links means no files")
    func control() throws {
        let server = try TestServer { $0.publicURL = Self.address }
        let folder = try Folder()
        try folder.write()
        let foreseen = server.ctl("import", "leancloud", folder.folder.path, "--dry-run", "--json")
        #expect(foreseen.json["files"]?["added"]?.integer == 3 && foreseen.json["files"]?["refused"]?.integer == 1)
        let run = server.ctl("import", "leancloud", folder.folder.path, "--json")
        #expect(run.code == .refused && run.json["files"]?["added"]?.integer == 3, "\(run.output) \(run.error)")
        #expect(run.error.contains("classes/_File.jsonl, line 3: its content is not in the folder: gone, HTTP 404"))
        #expect(try server.http("GET", "/k1/letter.txt").text == Self.letter.text)
        let address = try #require(try Self.bodies(server)[1]["_lcfile"]?["url"]?.string)
        #expect(try server.http("GET", Self.path(address)).text == Self.picture.text)
        #expect(try server.http("GET", "/k2.png").headers["content-disposition"]?.contains("%E7%94%BB.png") == true)
        let again = server.ctl("import", "leancloud", folder.folder.path, "--json")
        #expect(again.json["files"]?["known"]?.integer == 3 && again.json["messages"]?["known"]?.integer == 3)
        // The import as a whole is in the audit log, and no single content.
        let log = server.ctl("audit", "list", "--json", "--limit", "50").output
        #expect(log.contains("import.finish") && !log.contains("upload.open"))
        server.stop()
        #expect(try server.findings() == [])

        let without = try TestServer { options in
            options.store.files.makesLinks = false
            options.files.routes.servesLinks = false
        }
        let refused = without.ctl("import", "leancloud", folder.folder.path, "--json")
        #expect(refused.json["files"]?["refused"]?.integer == 3)
        #expect(try without.http("GET", "/k1/letter.txt").status == 404)
    }

    @Test("what a server without an import is asked for, and has not, is not found as before")
    func nothing() throws {
        let server = try TestServer()
        #expect(try server.http("GET", "/k1/letter.txt").text == server.http("POST", "/k1/letter.txt").text)
        #expect(try server.http("GET", "/" + String(repeating: "a", count: 5_000)).status == 404)
    }

    @Test("exported, imported elsewhere and exported again, rows, addresses and contents of files are the same")
    func roundTrip() throws {
        let first = try TestServer()
        let folder = try Folder()
        try folder.write()
        try Self.bring(folder, into: first)
        first.stop()
        let words = ["--address", Self.address]
        let (one, two) = (TemporaryFolder(), TemporaryFolder())
        let exported = ControlRun.run(
            ["export", "leancloud", one.path + "/saved", "--data", first.folder.path] + words)
        #expect(exported.code == .done, "\(exported.error)")
        let second = try TestServer()
        second.stop()
        let config = second.folder.path + "/import.toml"
        try "[files]\npublic_url = \"\(Self.address)\"\n".write(toFile: config, atomically: true, encoding: .utf8)
        let imported = ControlRun.run(
            ["import", "leancloud", one.path + "/saved", "--data", second.folder.path, "--config", config])
        #expect(imported.code == .done, "\(imported.output) \(imported.error)")
        #expect(try second.findings() == [])
        let again = ControlRun.run(
            ["export", "leancloud", two.path + "/saved", "--data", second.folder.path] + words)
        #expect(again.code == .done, "\(again.error)")
        for path in ["classes/_File.jsonl", "files.jsonl"] {
            let texts = try [one, two].map { try String(contentsOfFile: "\($0.path)/saved/\(path)", encoding: .utf8) }
            #expect(texts[0] == texts[1] && !texts[0].isEmpty, "\(path)")
        }
        let messages = try [one, two].map {
            try String(contentsOfFile: $0.path + "/saved/messages/2026-02-02.jsonl", encoding: .utf8)
                .split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8))["data"]?.string }
        }
        #expect(messages[0] == messages[1] && messages[0].count == 3)
    }
}
