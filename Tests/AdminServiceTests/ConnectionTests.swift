import AdminAPI
import AdminService
import ChatModel
import Diagnostics
import Execution
import Glibc
import Testing

@Suite("Connections of operators") struct ConnectionTests {
    /// A raw connection, to send what no client sends.
    private final class Raw {
        let descriptor: Int32
        private var lines = LineSplitter()

        init(_ fixture: Fixture) throws { self.descriptor = try AdminSocket.connect(to: fixture.folder) }

        deinit { close(self.descriptor) }

        func write(_ text: String) { self.write(Array(text.utf8)) }

        func write(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { return }
                rest = rest.dropFirst(count)
            }
        }

        /// The next line; `nil` when the server has closed.
        func line() throws -> String? {
            while true {
                if let line = try self.lines.next() { return String(decoding: line, as: UTF8.self) }
                var room = [UInt8](repeating: 0, count: 4096)
                let count = recv(self.descriptor, &room, room.count, 0)
                guard count > 0 else { return nil }
                self.lines.append(room[..<count])
            }
        }
    }

    @Test("a folder with a long path works as any other")
    func longPath() throws {
        let fixture = try Fixture(longPath: true)
        #expect(fixture.folder.utf8.count > 107)
        guard case .status(let status) = try fixture.client().ask(.status) else {
            Issue.record("no status")
            return
        }
        #expect(status.dataFolder == fixture.folder)
    }

    @Test("stopping ends the connections and takes the socket away")
    func stopped() throws {
        let fixture = try Fixture()
        var template = Array("/tmp/teahouse-admin-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { rmdir(folder) }
        let service = try AdminService(
            AdminServiceOptions(folder: folder, version: "1.0", addresses: []), store: fixture.store,
            accounts: fixture.accounts, broker: fixture.broker, moderation: fixture.moderation)
        let client = try AdminClient(dataFolder: folder)
        _ = try client.ask(.follow(conversation: nil, withSessions: true))
        service.stop()
        #expect(access("\(folder)/admin.sock", F_OK) != 0)
        #expect(client.refusal(of: .status)?.code == .connectionLost)
        let error = #expect(throws: AdminError.self) { try AdminClient(dataFolder: folder) }
        #expect(error?.code == .notRunning)
    }

    @Test("requests cut anywhere are answered", arguments: [1, 2, 7, 100])
    func cut(_ size: Int) throws {
        let fixture = try Fixture()
        let raw = try Raw(fixture)
        let bytes = Array(
            "{\"teahouse\":\"admin\",\"version\":1}\n{\"id\":3,\"ask\":\"setup.token\",\"with\":{}}\n".utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            raw.write(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(try raw.line() == #"{"teahouse":"admin","version":1,"role":"administrator"}"#)
        #expect(try raw.line() == #"{"id":3,"answer":"token","with":{}}"#)
    }

    @Test(
        "what is not of the protocol is told and ends the connection",
        arguments: [
            "nonsense\n", "{\"teahouse\":\"admin\",\"version\":2}\n", "{\"id\":1,\"ask\":\"status\",\"with\":{}}\n",
        ])
    func nonsense(_ text: String) throws {
        let fixture = try Fixture()
        let raw = try Raw(fixture)
        raw.write(text)
        let line = try #require(try raw.line())
        #expect(line.hasPrefix(#"{"id":0,"error":{"code":"protocolError""#))
        #expect(try raw.line() == nil)
        #expect(try fixture.client().ask(.setupToken) == .token(nil))
    }

    @Test("a line without end is refused at its bound")
    func endless() throws {
        let fixture = try Fixture()
        let raw = try Raw(fixture)
        raw.write(Array(repeating: UInt8(ascii: "x"), count: AdminProtocol.maximumLineBytes + 70_000))
        let line = try #require(try raw.line())
        #expect(line.hasPrefix(#"{"id":0,"error":{"code":"protocolError""#))
    }

    @Test("many requests at once are all answered, though few are under way at a time")
    func pipelined() throws {
        let fixture = try Fixture { $0.requestsUnderWay = 2 }
        let client = try fixture.client()
        var waiting: Set<Int64> = []
        for _ in 0..<100 { waiting.insert(try client.send(.listUsers(after: nil))) }
        for _ in 0..<100 { waiting.remove(try client.nextAnswer().id) }
        #expect(waiting.isEmpty)
    }

    @Test("one operator too many is told that the server is busy")
    func full() throws {
        let fixture = try Fixture { $0.clients = 2 }
        let first = try fixture.client()
        let second = try fixture.client()
        let error = #expect(throws: AdminError.self) { try fixture.client() }
        #expect(error?.code == .busy)
        withExtendedLifetime((first, second)) {}
    }

    @Test("the log keeps who changed whom, and no password")
    func journal() throws {
        let lines = Lock([String]())
        let fixture = try Fixture { $0.log = Log(level: .info, write: { line in lines.withLock { $0.append(line) } }) }
        let client = try fixture.client()
        client.who = AdminOperator(name: "ming", source: .console)
        _ = try client.ask(.addUser(AdminNewUser(name: romeo, password: "wherefore art thou")))
        _ = try client.ask(.listUsers(after: nil))
        let log = lines.withLock { $0 }
        #expect(log.count == 1)
        let end = "event=admin_request ask=user.add subject=romeo uid=\(geteuid()) operator=ming source=console\n"
        #expect(log.first?.hasSuffix(end) == true)
    }

    @Test("who does not read misses events, is told how many, and holds up nobody")
    func slowFollower() throws {
        let fixture = try Fixture { $0.waitingBytes = 4_096 }
        try fixture.add("romeo", "juliet")
        let follower = try fixture.client()
        #expect(try follower.ask(.follow(conversation: nil, withSessions: false)) == .following)
        let client = try fixture.client()
        let text = String(repeating: "x", count: 8_000)
        let sent: Int64 = 200
        for _ in 0..<sent { _ = try client.ask(.send(AdminSend(from: romeo, to: .user(juliet), text: text))) }
        // Reads what waits; then one more message comes through, after the count of those left out.
        var heard: Int64 = 0
        var missed: Int64 = 0
        while heard + missed < sent {
            _ = try client.ask(.send(AdminSend(from: romeo, to: .user(juliet), text: "again")))
            switch try follower.nextEvent() {
            case .message(let message): if message.text != "again" { heard += 1 }
            case .missed(let count): missed += count
            default: Issue.record("another event")
            }
        }
        #expect(heard > 0 && missed > 0)
    }
}
