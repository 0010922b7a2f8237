import ByteCodec
import ChatModel
import CommandLineKit
import Foundation
import LeanCloudWire
import Localization
import Store
import TeahouseTesting
import Testing
import teahouse

/// Clients that were ahead of the backup come back to a restored server.
struct RestoreScenarios {
    /// A server with a group, whose backup has three messages; three more are lost.
    private final class Loss {
        let server: TestServer
        let shelf = TemporaryFolder()
        let home = TemporaryFolder()
        let tokens: [String: String]
        private(set) var backup = ""

        init(_ names: [String]) throws {
            let server = try TestServer()
            self.server = server
            try server.group("tea", ["ann"] + names)
            var tokens: [String: String] = [:]
            for name in ["ann"] + names { tokens[name] = try server.token(name, .app) }
            self.tokens = tokens
        }

        func makeBackup() throws {
            let run = self.server.ctl("backup", self.shelf.path)
            try #require(run.code == .done, "\(run.error)")
            self.backup = String(run.output.dropLast())
        }

        /// Ends the server for good and starts another one on what the backup has.
        func restored() throws -> TestServer {
            self.server.stop()
            let texts = Texts(embedded: .english)
            let terminal = Terminal(
                texts: { texts($0, $1) }, environment: [:], write: { _, _ in true }, readLine: { nil })
            let code = runCommandLine(
                ["restore", self.backup, "--data", self.home.path], root: teahouseCommand, terminal: terminal)
            try #require(code == .done)
            return try TestServer(on: self.home)
        }

        func say(_ texts: [String], on server: TestServer) throws -> [Int64] {
            let ann = try server.connect("ann", .app, token: self.tokens["ann"])
            defer { ann.drop() }
            return try texts.map { try ann.publish($0, to: "tea", group: true).sequence }
        }
    }

    @Test("WuKongIM's clients: no sequence comes twice, and what was not acknowledged comes once")
    func wuKong() throws {
        let loss = try Loss(["bob", "eve"])
        let bob = try loss.server.connect("bob", .app, device: "phone", token: loss.tokens["bob"])
        #expect(try loss.say(["1", "2", "3"], on: loss.server) == [1, 2, 3])
        #expect(try bob.receive(3) == ["1", "2", "3"])
        try bob.settle()
        try loss.server.settle()
        try loss.makeBackup()
        #expect(try loss.say(["4", "5", "6"], on: loss.server) == [4, 5, 6])
        #expect(try bob.receive(3) == ["4", "5", "6"])
        let server = try loss.restored()
        let back = try server.connect("bob", .app, device: "phone", token: loss.tokens["bob"])
        let eve = try server.connectBinary("eve", .app, token: loss.tokens["eve"])
        let sequences = try loss.say(["7", "8"], on: server)
        #expect(sequences[0] > 1_000_000 && sequences[1] == sequences[0] + 1)
        for text in ["7", "8"] {
            var received = try back.receive()
            // What the backup knows as not acknowledged may come again, under its own number.
            while received.sequence <= 3 { received = try back.receive() }
            #expect(received.text == text && received.sequence > 6)
        }
        // Clients of the binary encoding ask by HTTP for what they missed: live comes what is new.
        #expect(try eve.receive(2) == ["7", "8"])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("LeanCloud's clients: what is new is later than all that they have seen")
    func leanCloud() throws {
        let loss = try Loss(["bob"])
        let bob = try loss.server.leanCloudSocket()
        try bob.open("bob", token: loss.tokens["bob"])
        _ = try loss.say(["1"], on: loss.server)
        let first = try #require(try bob.wait(.direct).directMessage)
        try loss.makeBackup()
        _ = try loss.say(["2", "3"], on: loss.server)
        let second = try #require(try bob.wait(.direct).directMessage)
        let third = try #require(try bob.wait(.direct).directMessage)
        let server = try loss.restored()
        let back = try server.leanCloudSocket()
        try back.open("bob", token: loss.tokens["bob"]) {
            $0.lastUnreadNotifTime = third.timestamp
            $0.lastPatchTime = third.timestamp
        }
        _ = try loss.say(["4"], on: server)
        let next = try #require(try back.wait(.direct).directMessage)
        #expect(next.cid == first.cid)
        #expect((next.timestamp ?? 0) > (third.timestamp ?? 0))
        #expect(![first.id, second.id, third.id].contains(next.id))
    }

    @Test("our own clients begin anew: the cursor is of another database")
    func native() throws {
        let loss = try Loss(["bob"])
        _ = try loss.say(["1"], on: loss.server)
        try loss.makeBackup()
        let token = try #require(loss.tokens["bob"])
        let client = try FeedClient(loss.server, token: token)
        #expect(try client.next()?["hello"] != nil)
        _ = try loss.say(["2"], on: loss.server)
        let lost = try client.wait(for: "message")
        #expect(lost["message"]?["sequence"]?.integer == 2)
        let server = try loss.restored()
        let answer = try server.poll(token, after: client.cursor)
        #expect(answer.json["items"]?.array?.first?["type"]?.string == "gap", "\(answer.text)")
        let back = try FeedClient(server, token: token)
        #expect(try back.next()?["hello"] != nil)
        let sequence = try loss.say(["3"], on: server)[0]
        #expect(try back.wait(for: "message")["message"]?["sequence"]?.integer == sequence && sequence > 1_000_000)
    }

    @Test("a second server on the backup itself is refused, and so is a restore over a folder that is used")
    func refused() throws {
        let loss = try Loss(["bob"])
        try loss.makeBackup()
        #expect(throws: (any Error).self) {
            try TestServer { options in options.store.folder = loss.backup }
        }
        let texts = Texts(embedded: .english)
        let terminal = Terminal(texts: { texts($0, $1) }, environment: [:], write: { _, _ in true }, readLine: { nil })
        let code = runCommandLine(
            ["restore", loss.backup, "--data", loss.server.folder.path], root: teahouseCommand, terminal: terminal)
        #expect(code == .refused)
    }
}
