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

    init(_ house: House, token: String? = nil, receiveBufferBytes: Int32? = nil) throws {
        self.socket = try ClientWebSocket(
            port: house.port, path: EventsGateway.path, fields: token.map { [("token", $0)] } ?? [],
            receiveBufferBytes: receiveBufferBytes)
    }

    /// Signed in.
    static func ready(_ house: House, _ name: String) throws -> Listener {
        let listener = try Listener(house, token: try house.token(name))
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

/// What clients of our own are told, over real sockets.
struct EventScenarios {
    /// A change of somebody's own name through the gateway.
    func rename(_ house: House, _ person: String, to name: String) throws {
        let reply = try house.http(
            "PUT", "/api/v1/profiles/me", token: try house.token(person), json: "{\"display_name\":\"\(name)\"}")
        #expect(reply.status == 200)
    }

    @Test("who watches a person hears of a new name, and not of people who are not watched any more")
    func names() throws {
        let house = try House.withFiles()
        try house.add("juliet", "tybalt")
        let romeo = try Listener.ready(house, "romeo")
        let answer = try romeo.ask("{\"type\":\"watch\",\"ids\":[\"juliet\",\"tybalt\"],\"id\":7}")
        #expect(answer?["type"]?.string == "watching" && answer?["id"]?.integer == 7)
        try self.rename(house, "juliet", to: "朱丽叶")
        let news = try romeo.next()
        #expect(news?["type"]?.string == "profile.changed" && news?["id"]?.string == "juliet")
        #expect(news?["fields"]?.array == [.string("name")] && news?["cause"]?.string == "write")
        #expect(try romeo.ask("{\"type\":\"unwatch\",\"ids\":[\"tybalt\"]}")?["type"]?.string == "watching")
        try self.rename(house, "tybalt", to: "Prince of Cats")
        try self.rename(house, "juliet", to: "Juliet")
        #expect(try romeo.next()?["id"]?.string == "juliet")
        house.server.profiles.invalidate(.all, cause: .request)
        #expect(try romeo.next()?["all"]?.boolean == true)
    }

    @Test("a page signs in with its first message; a wrong token ends it, and nothing is done before")
    func signIn() throws {
        let house = try House.withFiles()
        let token = try house.token("romeo")
        let page = try Listener(house)
        let early = try page.ask("{\"type\":\"watch\",\"ids\":[\"juliet\"]}")
        #expect(early?["type"]?.string == "error" && early?["status"]?.integer == 401)
        #expect(try page.ask("{\"type\":\"sign-in\",\"token\":\"\(token)\"}")?["type"]?.string == "ready")
        #expect(try page.ask("{\"type\":\"ping\",\"id\":\"a\"}")?["type"]?.string == "pong")
        let wrong = try Listener(house, token: "wrong")
        #expect(try wrong.next()?["status"]?.integer == 401)
        #expect(try wrong.next() == nil)
        let manager = try Listener(house, token: try house.managerToken())
        #expect(try manager.next()?["status"]?.integer == 403)
        #expect(try manager.next() == nil)
    }

    @Test("what cannot be understood is said, and the listener stays; what is no JSON ends it")
    func bad() throws {
        let house = try House.withFiles()
        let romeo = try Listener.ready(house, "romeo")
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
        let house = try House.withFiles { $0.profiles.service.watchedPerWatcher = 3 }
        let romeo = try Listener.ready(house, "romeo")
        try house.add("a", "b", "c", "d")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"a\",\"b\"]}")?["type"]?.string == "watching")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"c\",\"d\"]}")?["status"]?.integer == 413)
        try self.rename(house, "c", to: "C")
        try self.rename(house, "b", to: "B")
        #expect(try romeo.next()?["id"]?.string == "b")
    }

    @Test("members hear of their conversation until they leave it; others cannot watch it")
    func conversations() throws {
        let house = try House.withFiles()
        let verona = try house.group("verona", ["romeo", "juliet"])
        let watch = "{\"type\":\"watch\",\"conversations\":[{\"id\":\"verona\"}]}"
        let eve = try Listener.ready(house, "eve")
        #expect(try eve.ask(watch)?["status"]?.integer == 404)
        let juliet = try Listener.ready(house, "juliet")
        #expect(try juliet.ask(watch)?["type"]?.string == "watching")
        house.server.profiles.invalidate(.members(verona), cause: .request)
        let members = try juliet.next()
        #expect(members?["type"]?.string == "members.changed")
        #expect(members?["conversation"]?["id"]?.string == "verona")
        #expect(members?["conversation"]?["kind"]?.string == "group")
        house.server.profiles.invalidate(.team(verona), cause: .request)
        #expect(try juliet.next()?["type"]?.string == "conversation.changed")
        let id = try house.id("juliet")
        try house.write { store throws(StoreError) in
            try store.removeMembers([id], from: verona)
        }
        #expect(try juliet.next()?["type"]?.string == "conversation.gone")
        house.server.profiles.invalidate(.members(verona), cause: .request)
        #expect(try juliet.ask("{\"type\":\"ping\"}")?["type"]?.string == "pong")
    }

    @Test("people hear how their own transfers go, and of nobody else's")
    func transfers() throws {
        let house = try House.withFiles()
        let romeo = try Listener.ready(house, "romeo")
        let juliet = try Listener.ready(house, "juliet")
        let path = try house.upload(try house.token("romeo"), Sample.noise(400_000), name: "a.bin")
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
        let house = try House.withFiles()
        try house.add("juliet")
        let romeo = try Listener.ready(house, "romeo")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"juliet\"]}")?["type"]?.string == "watching")
        let accounts = house.server.accounts
        _ = try accounts.wait { accounts.setDisabled(UserName("romeo")!, true, then: $0) }
        try self.rename(house, "juliet", to: "Juliet")
        #expect(try romeo.next() == nil)
    }

    @Test("who does not read misses events, and is told so")
    func slowReader() throws {
        let house = try House.withFiles {
            $0.transportLimits.outboxBytes = Limit(name: "outbox_bytes", unit: "bytes", maximum: 64 * 1024)
            $0.transportLimits.outboxLowWaterBytes = 16 * 1024
        }
        try house.add("juliet")
        let romeo = try Listener(house, token: try house.token("romeo"), receiveBufferBytes: 4096)
        #expect(try romeo.next()?["type"]?.string == "ready")
        #expect(try romeo.ask("{\"type\":\"watch\",\"ids\":[\"juliet\"]}")?["type"]?.string == "watching")
        let told = 60_000
        let profiles = house.server.profiles
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
        #expect(wasTold.wait(milliseconds: 20_000))
        profiles.unwatch(watch)
        var heard = 0
        while let news = try romeo.next(), news["type"]?.string == "profile.changed" { heard += 1 }
        #expect(heard < told)
        #expect(try romeo.ask("{\"type\":\"ping\"}") != nil)
    }

    @Test("one person has so many listeners and no more")
    func listeners() throws {
        let house = try House.withFiles()
        let token = try house.token("romeo")
        var open: [Listener] = []
        for _ in 0..<32 {
            let listener = try Listener(house, token: token)
            #expect(try listener.next()?["type"]?.string == "ready")
            open.append(listener)
        }
        #expect(try Listener(house, token: token).next()?["status"]?.integer == 429)
        #expect(try house.http("GET", EventsGateway.path).status == 426)
    }
}
