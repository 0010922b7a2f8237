import APIGateway
import ByteCodec
import ChatModel
import Diagnostics
import Execution
import Profiles
import Server
import Store
import TeahouseTesting
import Testing
import Transport

/// A client of our own that listens to events.
final class Listener {
    private let socket: ClientWebSocket

    init(_ server: TestServer, token: String? = nil, receiveBufferBytes: Int32? = nil) throws {
        self.socket = try ClientWebSocket(
            port: server.port, path: EventsGateway.path, fields: token.map { [("token", $0)] } ?? [],
            receiveBufferBytes: receiveBufferBytes)
    }

    /// Signed in.
    static func ready(_ server: TestServer, _ name: String) throws -> Listener {
        let listener = try Listener(server, token: try server.token(name))
        let hello = try listener.next()
        guard hello?["type"]?.string == "ready", hello?["id"]?.string == name else {
            throw TestClientError(description: "not ready: \(String(describing: hello))")
        }
        return listener
    }

    func say(_ json: String) throws { try self.socket.send(.text(Array(json.utf8))) }

    /// Says something and waits for what is told next.
    func ask(_ json: String) throws -> JSONValue? {
        try self.say(json)
        return try self.next()
    }

    /// `nil` when the server has closed. That somebody was just made is news too, of which no test here speaks.
    func next() throws -> JSONValue? {
        while case .text(let bytes)? = try self.socket.receive() {
            let news = try JSONValue(parsing: bytes)
            if news["fields"]?.array != [.string("existence")] { return news }
        }
        return nil
    }
}

/// Events for clients of our own API, over real sockets.
struct EventScenarios {
    /// A change of somebody's own name through the gateway.
    func rename(_ server: TestServer, _ person: String, to name: String) throws {
        let reply = try server.http(
            "PUT", "/api/v1/profiles/me", token: try server.token(person), json: "{\"display_name\":\"\(name)\"}")
        #expect(reply.status == 200)
    }

    @Test("who watches a person hears of a new name, and not of people who are not watched any more")
    func names() throws {
        let server = try TestServer.withFiles()
        try server.add("juliet", "tybalt")
        let romeo = try Listener.ready(server, "romeo")
        let answer = try romeo.ask("{\"type\":\"watch\",\"ids\":[\"juliet\",\"tybalt\"],\"id\":7}")
        #expect(answer?["type"]?.string == "watching" && answer?["id"]?.integer == 7)
        try self.rename(server, "juliet", to: "朱丽叶")
        let news = try romeo.next()
        #expect(news?["type"]?.string == "profile.changed" && news?["id"]?.string == "juliet")
        #expect(news?["fields"]?.array == [.string("name")] && news?["cause"]?.string == "write")
        #expect(try romeo.ask("{\"type\":\"unwatch\",\"ids\":[\"tybalt\"]}")?["type"]?.string == "watching")
        try self.rename(server, "tybalt", to: "Prince of Cats")
        try self.rename(server, "juliet", to: "Juliet")
        #expect(try romeo.next()?["id"]?.string == "juliet")
        server.server.profiles.invalidate(.all, cause: .request)
        #expect(try romeo.next()?["all"]?.boolean == true)
    }

    @Test("a page signs in with its first message; a wrong token ends it, and nothing is done before")
    func signIn() throws {
        let server = try TestServer.withFiles()
        let token = try server.token("romeo")
        let page = try Listener(server)
        let early = try page.ask("{\"type\":\"watch\",\"ids\":[\"juliet\"]}")
        #expect(early?["type"]?.string == "error" && early?["status"]?.integer == 401)
        #expect(try page.ask("{\"type\":\"sign-in\",\"token\":\"\(token)\"}")?["type"]?.string == "ready")
        #expect(try page.ask("{\"type\":\"ping\",\"id\":\"a\"}")?["type"]?.string == "pong")
        let wrong = try Listener(server, token: "wrong")
        #expect(try wrong.next()?["status"]?.integer == 401)
        #expect(try wrong.next() == nil)
        let manager = try Listener(server, token: try server.managerToken())
        #expect(try manager.next()?["status"]?.integer == 403)
        #expect(try manager.next() == nil)
    }

    @Test("what cannot be understood is said, and the listener stays; what is no JSON ends it")
    func bad() throws {
        let server = try TestServer.withFiles()
        let romeo = try Listener.ready(server, "romeo")
        let bad = [
            "{}", "{\"type\":\"dance\"}", "{\"type\":\"watch\",\"ids\":[\"\"]}", "{\"type\":\"watch\",\"ids\":1}",
            "{\"type\":\"watch\",\"conversations\":[{\"kind\":\"tea\",\"id\":\"x\"}]}",
        ]
        for message in bad {
            let answer = try romeo.ask(message)
            #expect(answer?["type"]?.string == "error" && answer?["status"]?.integer == 400, "\(message)")
        }
        #expect(try romeo.ask("{\"type\":\"ping\"}")?["type"]?.string == "pong")
        #expect(try romeo.ask("tea")?["status"]?.integer == 400)
        #expect(try romeo.next() == nil)
    }

    @Test("a listener watches as many as it may, and nothing of what is too many")
    func tooMany() throws {
        let server = try TestServer.withFiles { $0.profiles.service.watchedPerWatcher = 3 }
        let romeo = try Listener.ready(server, "romeo")
        try server.add("a", "b", "c", "d")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"a\",\"b\"]}")?["type"]?.string == "watching")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"c\",\"d\"]}")?["status"]?.integer == 413)
        try self.rename(server, "c", to: "C")
        try self.rename(server, "b", to: "B")
        #expect(try romeo.next()?["id"]?.string == "b")
    }

    @Test("members hear of their conversation until they leave it; others cannot watch it")
    func conversations() throws {
        let server = try TestServer.withFiles()
        let verona = try server.group("verona", ["romeo", "juliet"])
        let watch = "{\"type\":\"watch\",\"conversations\":[{\"id\":\"verona\"}]}"
        let eve = try Listener.ready(server, "eve")
        #expect(try eve.ask(watch)?["status"]?.integer == 404)
        let juliet = try Listener.ready(server, "juliet")
        #expect(try juliet.ask(watch)?["type"]?.string == "watching")
        server.server.profiles.invalidate(.members(verona), cause: .request)
        let members = try juliet.next()
        #expect(members?["type"]?.string == "members.changed")
        #expect(members?["conversation"]?["id"]?.string == "verona")
        #expect(members?["conversation"]?["kind"]?.string == "group")
        server.server.profiles.invalidate(.team(verona), cause: .request)
        #expect(try juliet.next()?["type"]?.string == "conversation.changed")
        let id = try server.id("juliet")
        try server.write { store throws(StoreError) in
            try store.conversations.removeMembers([id], from: verona)
        }
        #expect(try juliet.next()?["type"]?.string == "conversation.gone")
        server.server.profiles.invalidate(.members(verona), cause: .request)
        #expect(try juliet.ask("{\"type\":\"ping\"}")?["type"]?.string == "pong")
    }

    @Test("people hear how their own transfers go, and of nobody else's")
    func transfers() throws {
        let server = try TestServer.withFiles()
        let romeo = try Listener.ready(server, "romeo")
        let juliet = try Listener.ready(server, "juliet")
        let path = try server.upload(try server.token("romeo"), Sample.noise(400_000), name: "a.bin")
        var last: JSONValue?
        repeat {
            let news = try romeo.next()
            #expect(news?["type"]?.string == "transfers.changed")
            last = news?["transfers"]?.array?.last
        } while last?["state"]?.string != "succeeded"
        #expect(last?["offset"]?.integer == 400_000 && path.hasSuffix(last?["file"]?.string ?? "?"))
        #expect(try juliet.ask("{\"type\":\"ping\"}")?["type"]?.string == "pong")
    }

    @Test("a disabled person is told nothing more")
    func disabled() throws {
        let server = try TestServer.withFiles()
        try server.add("juliet")
        let romeo = try Listener.ready(server, "romeo")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"juliet\"]}")?["type"]?.string == "watching")
        let accounts = server.server.accounts
        _ = try accounts.wait { accounts.setDisabled(UserName("romeo")!, true, then: $0) }
        try self.rename(server, "juliet", to: "Juliet")
        #expect(try romeo.next() == nil)
    }

    @Test("who does not read misses events, and is told so")
    func slowReader() throws {
        let server = try TestServer.withFiles {
            $0.transportLimits.outboxBytes = Limit(name: "outbox_bytes", unit: "bytes", maximum: 64 * 1024)
            $0.transportLimits.outboxLowWaterBytes = 16 * 1024
        }
        try server.add("juliet")
        let romeo = try Listener(server, token: try server.token("romeo"), receiveBufferBytes: 4096)
        #expect(try romeo.next()?["type"]?.string == "ready")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"juliet\"]}")?["type"]?.string == "watching")
        let told = 60_000
        let profiles = server.server.profiles
        let wasTold = Mailbox<Void>()
        let count = Lock(0)
        let watch = profiles.watch(WatchInterest(persons: [UserName("juliet")!], teams: [])) { _ in
            let all = count.withLock { count in
                count += 1
                return count
            }
            if all == told { wasTold.post(()) }
        }
        for _ in 0..<told { profiles.invalidate(.person(UserName("juliet")!), cause: .request) }
        #expect(wasTold.wait(milliseconds: 120_000))
        profiles.unwatch(watch)
        var heard = 0
        while let news = try romeo.next(), news["type"]?.string == "profile.changed" { heard += 1 }
        #expect(heard < told)
        #expect(try romeo.ask("{\"type\":\"ping\"}") != nil)
    }

    @Test("one person has so many listeners and no more")
    func listeners() throws {
        let server = try TestServer.withFiles()
        let token = try server.token("romeo")
        var open: [Listener] = []
        for _ in 0..<32 {
            let listener = try Listener(server, token: token)
            #expect(try listener.next()?["type"]?.string == "ready")
            open.append(listener)
        }
        #expect(try Listener(server, token: token).next()?["status"]?.integer == 429)
        #expect(try server.http("POST", EventsGateway.path).status == 426)
    }
}
