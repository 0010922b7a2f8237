import AdminAPI
import ChatModel
import Foundation
import Store
import TeahouseTesting
import Testing

/// `teahouse ctl backup`, against a whole server at work.
struct OperatorBackupScenarios {
    private func backups(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("teahouse-") }.sorted()
    }

    private func inode(_ path: String) throws -> (UInt64, Int) {
        var status = stat()
        try #require(stat(path, &status) == 0, "\(path)")
        return (UInt64(status.st_ino), Int(status.st_nlink))
    }

    /// Paths of contents below a folder.
    private func contents(_ folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: "\(folder)/files/objects")?.allObjects as? [String] ?? []
        return all.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder)/files/objects/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    @Test("a backup is whole, verified and told; the next one shares its contents, and both read as data folders")
    func whole() throws {
        let server = try TestServer.withFiles()
        let shelf = TemporaryFolder()
        try server.group("tea", ["ann", "bob"])
        let token = try server.token("ann")
        _ = try server.upload(token, Sample.noise(700_000), name: "a.bin")
        _ = try server.upload(token, Sample.text(900_000), name: "b.txt")
        let ann = try server.connect("ann", token: token)
        try ann.publish("first", to: "tea", group: true)
        #expect(server.ctl("status").output.contains("LAST BACKUP  never"))
        let first = server.ctl("backup", shelf.path)
        #expect(first.code == .done, "\(first.error)")
        let path = String(first.output.dropLast())
        #expect(try self.backups(in: shelf) == [String(path.split(separator: "/").last ?? "")])
        #expect(first.error.contains("1 messages") && first.error.contains("verified"))
        #expect(self.contents(path).count == 4)
        for name in ["manifest.json", "files.sha256", "teahouse.db"] { _ = try self.inode("\(path)/\(name)") }
        #expect(!FileManager.default.fileExists(atPath: "\(path)/admin.sock"))
        #expect(!FileManager.default.fileExists(atPath: "\(path)/search.db"))
        #expect(try verifyFolder(path).isClean)
        // The second: contents are not read again.
        _ = try server.upload(token, Sample.noise(300_000), name: "c.bin")
        try ann.publish("second", to: "tea", group: true)
        let second = server.ctl("backup", shelf.path, "--json")
        #expect(second.code == .done, "\(second.error)")
        let name = try #require(second.json["name"]?.string)
        let other = "\(shelf.path)/\(name)"
        #expect(try self.backups(in: shelf).count == 2)
        #expect(self.contents(other).count == 6)
        for shared in self.contents(path) {
            let (one, links) = try self.inode("\(path)/files/objects/\(shared)")
            #expect(try self.inode("\(other)/files/objects/\(shared)").0 == one && links == 2)
        }
        #expect(try self.inode("\(path)/teahouse.db").0 != self.inode("\(other)/teahouse.db").0)
        #expect(try verifyFolder(other).messages == 2)
        let status = server.ctl("status")
        #expect(status.output.contains("\(name), ") && status.output.contains("verified ("))
        // It is in the audit log, and the copy that it was made of is gone.
        #expect(server.ctl("audit", "list").output.contains("backup.begin"))
        #expect(!FileManager.default.fileExists(atPath: "\(server.folder.path)/backup-work"))
    }

    @Test("messages that are sent meanwhile are taken, and those before it are in it")
    func underLoad() throws {
        let server = try TestServer.withFiles()
        let shelf = TemporaryFolder()
        let group = try server.group("tea", ["ann", "bob"])
        try server.fill(group, by: "ann", count: 2_000, bytes: 2_000)
        let ann = try server.connect("ann", token: try server.token("ann"))
        // SAFETY: a command uses the path of the folder alone.
        nonisolated(unsafe) let running = server
        let made = ConditionRun { running.ctl("backup", shelf.path) }
        var sent = 0
        while !made.isOver || sent == 0 {
            try ann.publish("late \(sent)", to: "tea", group: true)
            sent += 1
        }
        let run = made.result
        #expect(run.code == .done, "\(run.error)")
        let path = String(run.output.dropLast())
        let report = try verifyFolder(path)
        #expect(report.isClean && report.messages >= 2_000 && report.messages <= Int64(2_000 + sent))
        let head = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.one(group)?.head
        }
        #expect(head == Int64(2_000 + sent))
    }

    @Test("what a broken-off backup left is no backup, and goes with the next one; two at once are refused")
    func partial() throws {
        let server = try TestServer.withFiles()
        let shelf = TemporaryFolder()
        let rest = "\(shelf.path)/teahouse-20260101T000000Z.partial"
        try FileManager.default.createDirectory(atPath: rest, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(rest)/teahouse.db"))
        let client = try AdminClient(dataFolder: server.folder.path)
        guard case .backups(.begun) = try client.ask(.backups(.begin)) else {
            Issue.record("no backup was begun")
            return
        }
        let refused = server.ctl("backup", shelf.path)
        #expect(refused.code == .refused && refused.error.contains("another backup is being made"), "\(refused.error)")
        // Nothing outside of it can be read.
        for path in ["teahouse.db-wal", "../lock", "files/objects/../../app.key", "/etc/passwd", ""] {
            #expect(throws: AdminError.self) {
                try client.ask(.backups(.read(AdminBackupPlace(path: path, offset: 0))))
            }
        }
        guard case .backups(.files(let files, nil)) = try client.ask(.backups(.files(after: nil))) else {
            Issue.record("no list")
            return
        }
        #expect(files.contains { $0.path == "teahouse.db" } && !files.contains { $0.path.contains("search") })
        withExtendedLifetime(client) {}
    }

    @Test("a connection that ends gives the place free")
    func gone() throws {
        let server = try TestServer.withFiles()
        let shelf = TemporaryFolder()
        do {
            let client = try AdminClient(dataFolder: server.folder.path)
            _ = try client.ask(.backups(.begin))
            #expect(FileManager.default.fileExists(atPath: "\(server.folder.path)/backup-work/teahouse.db"))
        }
        var run = server.ctl("backup", shelf.path)
        for _ in 0..<600 where run.code != .done {
            Thread.sleep(forTimeInterval: 0.1)
            run = server.ctl("backup", shelf.path)
        }
        #expect(run.code == .done, "\(run.error)")
        #expect(try self.backups(in: shelf).count == 1)
    }
}

/// A command that runs on a thread of its own.
private final class ConditionRun: @unchecked Sendable {
    // SAFETY: `value` is touched with the condition held only.
    private let condition = NSCondition()
    private var value: ControlRun?

    init(_ body: @escaping @Sendable () -> ControlRun) {
        Thread.detachNewThread {
            let value = body()
            self.condition.lock()
            self.value = value
            self.condition.broadcast()
            self.condition.unlock()
        }
    }

    var isOver: Bool {
        self.condition.lock()
        defer { self.condition.unlock() }
        return self.value != nil
    }

    var result: ControlRun {
        self.condition.lock()
        defer { self.condition.unlock() }
        while self.value == nil { self.condition.wait() }
        return self.value ?? ControlRun(code: .internalError, output: "", error: "")
    }
}
