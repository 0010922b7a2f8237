import AdminAPI
import ByteCodec
import ChatModel
import Configuration
import Execution
import HTTPClient
import Hooks
import Server
import Store
import TeahouseTesting
import Testing

/// Events that a business server gets from a whole server: real sockets on both sides.
@Suite("Hooks")
struct HookScenarios {
    private static func server(
        _ receiver: HTTPReceiver, on folder: TemporaryFolder = TemporaryFolder()
    ) throws -> TestServer {
        let address = try HTTPAddress(receiver.address)
        return try TestServer(on: folder) { options in
            var hooks = HooksOptions(address: address)
            hooks.lingerMilliseconds = 5
            hooks.firstRetryMilliseconds = 5
            hooks.lastRetryMilliseconds = 20
            options.hooks = hooks
            options.outgoingSecret = Array("0123456789abcdef".utf8)
        }
    }

    private static func lines(_ requests: [ReceivedRequest]) -> [String] {
        requests.filter { $0.target.hasSuffix("user.onlinestatus") }
            .flatMap { (try? JSONValue(parsing: $0.body))?.array ?? [] }.compactMap(\.string)
    }

    @Test("people come, write, and go: the business server hears of it, signed")
    func everything() throws {
        let receiver = HTTPReceiver()
        let server = try Self.server(receiver)
        let romeo = try server.connect("romeo", .app, level: .primary)
        try server.add("juliet")
        try romeo.publish("hi", to: "juliet")
        let requests = receiver.wait { requests in
            ["msg.notify", "msg.offline", "user.onlinestatus"].allSatisfy { event in
                requests.contains { $0.target == "/hook?event=\(event)" }
            }
        }
        let offline = try #require(requests?.first { $0.target.hasSuffix("msg.offline") })
        #expect(try JSONValue(parsing: offline.body)["to_uids"] == .array([.string("juliet")]))
        #expect(requests?.allSatisfy { $0.fields["x-teahouse-signature"]?.hasPrefix("t=") == true } == true)
        server.stop()
        #expect(romeo.waiting.isEmpty)
        try server.restart()
        let told = try #require(receiver.wait { Self.lines($0).count >= 2 })
        #expect(Self.lines(told).map { $0.split(separator: "-")[2] } == ["1", "0"])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("nobody is woken for a message that is not for them, or that a rule of the operator's keeps from them")
    func restricted() throws {
        let receiver = HTTPReceiver()
        let server = try Self.server(receiver)
        try server.group("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.connect("romeo", .app, level: .primary)
        func woken(_ count: Int) throws -> [[String?]?] {
            let requests = try #require(
                receiver.wait { $0.count { $0.target.hasSuffix("msg.offline") } >= count })
            return try requests.filter { $0.target.hasSuffix("msg.offline") }
                .map { try JSONValue(parsing: $0.body)["to_uids"]?.array?.map(\.string) }
        }
        // Ends the text, and goes on with the list.
        try romeo.publish(#"at the balcony","onlyVisibleTo":["juliet"],"more":""#, to: "verona", group: true)
        #expect(try woken(1) == [["juliet"]])
        #expect(server.ctl("filter", "add", "--for", "juliet", "--from", "romeo", "--drop").code == .done)
        try romeo.publish("to all", to: "verona", group: true)
        #expect(try woken(2) == [["juliet"], ["tybalt"]])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a receiver that hangs holds up neither chat nor the stop of the server")
    func hangs() throws {
        let receiver = HTTPReceiver { _ in .silence }
        let server = try Self.server(receiver)
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        try romeo.publish("one", to: "juliet")
        #expect(receiver.wait { !$0.isEmpty } != nil)
        for number in 0..<50 { try romeo.publish("m\(number)", to: "juliet") }
        #expect(try juliet.receive(51).last == "m49")
        server.stop()
        receiver.change { _ in .status(200) }
        try server.restart()
        #expect(
            receiver.wait { requests in
                requests.contains { $0.target.hasSuffix("msg.notify") && $0.text.contains("\"message_seq\":51,") }
            } != nil)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("the operator sees how it goes, and why it does not")
    func status() throws {
        let receiver = HTTPReceiver { _ in .status(503) }
        let server = try Self.server(receiver)
        try server.connect("romeo").settle()
        #expect(receiver.wait { $0.count >= 2 } != nil)
        let operatorSide = try AdminClient(dataFolder: server.folder.path)
        guard case .status(let status) = try operatorSide.ask(.status) else {
            Issue.record("no status")
            return
        }
        #expect(status.troubles.contains { $0.contains("127.0.0.1 answered 503") })
        #expect(status.metrics.contains { $0.name == "hooksFailures" && $0.value > 0 })
    }

    @Test("without hooks nothing waits in the queue")
    func off() throws {
        let server = try TestServer()
        let romeo = try server.connect("romeo")
        try server.add("juliet")
        try romeo.publish("hi", to: "juliet")
        #expect(server.server.hookMetrics == nil)
        let length = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.hooks.length()
        }
        #expect(length.events == 0)
    }

    // MARK: Settings

    private static func options(_ file: String) throws -> ServerOptions {
        var arguments = CommandLineSettings()
        arguments.configPath = "teahouse.toml"
        return try ServerOptions(try Settings(arguments: arguments) { _ in Array(file.utf8) }, log: .silent)
    }

    @Test("settings name the receiver, its events and its bounds")
    func settings() throws {
        let options = try Self.options(
            """
            [hooks]
            url = "https://10.0.0.2:8443/hooks?key=x"
            events = ["msg.offline"]
            timeout_seconds = 7
            queue_events = 2000
            give_up_hours = 2
            [wukong]
            datasource = "http://10.0.0.2/source"
            """)
        let hooks = try #require(options.hooks)
        #expect(hooks.address == (try HTTPAddress("https://10.0.0.2:8443/hooks?key=x")))
        #expect(hooks.events == [.offline])
        #expect(hooks.timeoutMilliseconds == 7_000)
        #expect(hooks.queueEvents == 2_000)
        #expect(hooks.giveUpMilliseconds == 7_200_000)
        #expect(options.datasource?.host == "10.0.0.2")
        #expect(try Self.options("").hooks == nil)
    }

    @Test(
        "settings that cannot work are refused, with their place",
        arguments: [
            "[hooks]\nurl = \"10.0.0.2\"", "[hooks]\nurl = \"http://h/\"\nevents = [\"msg.nothing\"]",
            "[hooks]\nsecret_file = \"/nowhere/secret\"", "[wukong]\ndatasource = \"ftp://h/\"",
        ])
    func badSettings(file: String) {
        let error = #expect(throws: ConfigurationError.self) { try Self.options(file) }
        #expect(error?.description.hasPrefix("teahouse.toml:") == true)
    }

    @Test("a CA file that holds none keeps the server from starting")
    func badTrust() {
        #expect(throws: ServerError.self) {
            try TestServer { options in
                options.hooks = HooksOptions(address: try! HTTPAddress("https://h/"))
                options.outgoing.caFile = "/dev/null"
            }
        }
    }
}
