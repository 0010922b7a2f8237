import Configuration
import Glibc
import Server
import TeahouseTesting
import Testing
import Transport

/// A server that is watched, over real sockets.
struct MetricsScenarios {
    /// A server with a port of its own for metrics.
    func watched(_ configure: @escaping (inout ServerOptions) -> Void = { _ in }) throws -> TestServer {
        try TestServer { options in
            options.metrics.listeners = [ListenAddress(host: "127.0.0.1", port: 0)]
            options.metrics.allow("127.0.0.0/8")
            configure(&options)
        }
    }

    func ask(_ server: TestServer, _ path: String, headers: [(String, String)] = []) throws -> HTTPReply {
        let port = try #require(server.server.metricsAddresses.first?.port)
        return try HTTPTestClient.ask(port: port, "GET", path, headers: headers)
    }

    /// The number behind a name with its labels.
    func value(_ sample: String, in reply: HTTPReply) -> Double? {
        let line = reply.text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
        return line.flatMap { Double($0.dropFirst(sample.count + 1)) }
    }

    @Test("metrics count what was said and who is there, on a port of their own alone")
    func counts() throws {
        let server = try self.watched()
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        for number in 1...3 { _ = try romeo.publish("\(number)", to: "juliet", number: "n\(number)") }
        #expect(try juliet.receive(3).count == 3)
        let reply = try self.ask(server, "/metrics")
        #expect(reply.status == 200)
        #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(self.value("teahouse_messages_published_total", in: reply) == 3)
        #expect((self.value("teahouse_messages_delivered_total", in: reply) ?? 0) >= 3)
        #expect(self.value(#"teahouse_sessions{protocol="wukong-json"}"#, in: reply) == 2)
        #expect(self.value("teahouse_users_online", in: reply) == 2)
        #expect(self.value("teahouse_connections", in: reply) == 2)
        #expect(self.value("teahouse_users", in: reply) == 2)
        #expect(self.value(#"teahouse_sign_ins_total{result="signed_in"}"#, in: reply) == 2)
        #expect((self.value("teahouse_network_receive_bytes_total", in: reply) ?? 0) > 0)
        #expect((self.value("teahouse_network_transmit_bytes_total", in: reply) ?? 0) > 0)
        #expect((self.value("teahouse_log_sync_duration_seconds_count", in: reply) ?? 0) > 0)
        #expect((self.value("process_resident_memory_bytes", in: reply) ?? 0) > 0)
        #expect(try server.http("GET", "/metrics").status == 404)
        // Nothing else is on that port.
        for path in ["/", "/health", "/route?uid=romeo", "/api/v1/people"] {
            #expect(try self.ask(server, path).status == 404, "\(path)")
        }
    }

    @Test("an address that is not in the list is refused, and a token is for who shows it")
    func access() throws {
        let closed = try self.watched { $0.metrics.access.ranges = [] }
        #expect(try self.ask(closed, "/metrics").status == 403)
        #expect(try self.ask(closed, "/healthz").text == "ok\n")
        let secret = "a token of sixteen bytes and more"
        let server = try self.watched {
            $0.metrics.access.token = Array(secret.utf8)
            $0.metrics.isOnPeoplesPort = true
        }
        let wrong = try self.ask(server, "/metrics", headers: [("Authorization", "Bearer another token of so many")])
        #expect(wrong.status == 401 && wrong.headers["www-authenticate"] == "Bearer")
        #expect(try self.ask(server, "/metrics").status == 401)
        let right = [("Authorization", "Bearer \(secret)")]
        #expect(try self.ask(server, "/metrics", headers: right).status == 200)
        #expect(try server.http("GET", "/metrics").status == 401)
        #expect(try server.http("GET", "/metrics", headers: right).status == 200)
    }

    @Test("the server is ready until its disk is full; only the operator is told why")
    func readiness() throws {
        let server = try self.watched()
        for path in ["/healthz", "/readyz"] {
            #expect(try self.ask(server, path).status == 200)
            #expect(try server.http("GET", path).status == 200)
        }
        #expect(try server.http("GET", "/readyz").text == "ready\n")
        let full = try self.watched { $0.store.stopWritingFreeBytes = .max }
        let told = try self.ask(full, "/readyz")
        #expect(told.status == 503 && told.text == "not ready: disk_full\n")
        let people = try full.http("GET", "/readyz")
        #expect(people.status == 503 && people.text == "not ready\n")
        #expect(try full.http("GET", "/healthz").status == 200)
        #expect(self.value("teahouse_store_read_only", in: try self.ask(full, "/metrics")) == 1)
    }

    @Test("many questions at once get their answers")
    func manyScrapes() throws {
        let server = try self.watched { $0.metrics.isOnPeoplesPort = true }
        let clients = try (0..<20).map { _ in try server.socket() }
        for client in clients {
            try client.send(raw: "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        }
        for client in clients { #expect(try client.everything().contains("teahouse_build_info{version=")) }
    }

    @Test("a port that is taken is told at the start, and the folder is free again")
    func taken() throws {
        let first = try self.watched()
        let port = try #require(first.server.metricsAddresses.first?.port)
        let folder = TemporaryFolder()
        #expect(throws: ServerError.self) {
            _ = try TestServer(on: folder) { $0.metrics.listeners = [ListenAddress(host: "127.0.0.1", port: port)] }
        }
        _ = try TestServer(on: folder)
    }

    // MARK: Settings

    private static func options(_ file: String) throws -> ServerOptions {
        var arguments = CommandLineSettings()
        arguments.configPath = "teahouse.toml"
        return try ServerOptions(try Settings(arguments: arguments) { _ in Array(file.utf8) }, log: .silent)
    }

    @Test("addresses, networks and the token come from the settings; as it comes there is no port")
    func settings() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/token"
        let file = try #require(fopen(path, "w"))
        fputs("0123456789abcdef0123456789abcdef\n", file)
        fclose(file)
        chmod(path, 0o600)
        let plain = try Self.options("").metrics
        #expect(plain.listeners.isEmpty && plain.access.token == nil && !plain.isOnPeoplesPort)
        let metrics = try Self.options(
            """
            [metrics]
            listen = ["127.0.0.1:7679", "[::1]:7679"]
            allow = ["10.0.0.0/8"]
            token_file = "\(path)"
            on_listen = true
            """
        ).metrics
        #expect(metrics.listeners.map(\.port) == [7679, 7679] && metrics.access.ranges.count == 1)
        #expect(metrics.access.token == Array("0123456789abcdef0123456789abcdef".utf8) && metrics.isOnPeoplesPort)
    }

    @Test(
        "settings that cannot be are refused with their key",
        arguments: [
            "listen = [\"7679\"]", "allow = [\"everybody\"]", "token_file = \"/nowhere/token\"", "on_listen = true",
        ])
    func wrongSettings(line: String) {
        let error = #expect(throws: ConfigurationError.self) { _ = try Self.options("[metrics]\n" + line) }
        #expect(error?.description.isEmpty == false)
    }
}
