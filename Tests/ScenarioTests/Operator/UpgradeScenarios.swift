import CommandLineKit
import Foundation
import Localization
import TeahouseTesting
import Testing
import teahouse

@testable import Store

/// A server of today is started on a data folder of an older one.
struct UpgradeScenarios {
    /// Makes a data folder of Tests/Schemas.
    private static func makeFolder(_ version: Int) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let unpacking = Process()
        unpacking.executableURL = URL(filePath: "/usr/bin/env")
        unpacking.arguments = ["gzip", "-dc", tests.appending(path: "Schemas/schema-\(version).sql.gz").path]
        let output = Pipe()
        unpacking.standardOutput = output
        try unpacking.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        unpacking.waitUntilExit()
        let connection = try Connection(path: "\(folder.path)/teahouse.db", role: .writer(synchronous: "OFF"))
        try connection.script("PRAGMA foreign_keys = OFF")
        try connection.script(String(decoding: text, as: UTF8.self))
        return folder
    }

    private static func run(_ words: String...) -> ExitCode {
        let texts = Texts(embedded: .english)
        let terminal = Terminal(texts: { texts($0, $1) }, environment: [:], write: { _, _ in true }, readLine: { nil })
        return runCommandLine(words, root: teahouseCommand, terminal: terminal)
    }

    @Test("its start copies the database first; a schema that cannot pass over numbers stays upgraded")
    func upgrade() throws {
        let folder = try Self.makeFolder(31)
        let server = try TestServer(on: folder)
        let copy = server.ctl("status", "--json").json["upgradeCopy"]
        #expect(copy?["schema"]?.integer == 31 && (copy?["bytes"]?.integer ?? 0) > 0)
        #expect(Self.run("rollback", "--data", folder.path) == .alreadyRunning)
        // Numbers are given out.
        #expect(server.ctl("user", "add", "mercutio").code == .done)
        server.stop()
        #expect(Self.run("rollback", "--data", folder.path) == .refused)
        #expect(try schemaVersion(ofDatabaseIn: folder.path) == newestSchemaVersion)
        #expect(try server.findings() == [])
    }

    @Test("an upgrade that fails leaves the database as it was, and one copy however often it is tried")
    func failing() throws {
        let server = try TestServer()
        server.stop()
        let folder = server.folder.path
        let older = 31
        do {
            let connection = try Connection(path: "\(folder)/teahouse.db", role: .writer(synchronous: "OFF"))
            // What the next step adds is there already.
            try connection.script("PRAGMA user_version = \(older)")
        }
        for _ in 1...3 {
            #expect(throws: (any Error).self) { try TestServer(on: server.folder) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/before-upgrade").count == 1)
        }
        #expect(try schemaVersion(ofDatabaseIn: folder) == older)
        #expect(Self.run("rollback", "--data", folder) == .refused)
    }
}
