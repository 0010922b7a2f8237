import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Requests of the native API as no client of ours writes them: each is read once, strictly, or not at all.
struct NativeStrictScenarios {
    /// A group of two people, one of whom asks.
    private func talk(_ server: TestServer) throws -> (romeo: NativeClient, id: String) {
        let romeo = try NativeClient(server, "罗密欧")
        try server.add("朱丽叶")
        let made = try romeo.done("POST", "/conversations", #"{"kind":"direct","with":"朱丽叶"}"#, status: 201)
        return (romeo, try #require(made["id"]?.string))
    }

    private func texts(_ server: TestServer) throws -> [JSONValue] {
        try server.history(.direct(UserName("罗密欧")!), seenBy: "朱丽叶").map {
            try JSONValue(parsing: $0.content.body)
        }
    }

    @Test("a body is read once and strictly, and what is refused leaves nothing behind")
    func bodies() throws {
        let server = try TestServer()
        let (romeo, id) = try self.talk(server)
        let path = "/conversations/\(id)/messages"
        let say = #""clientToken":"s1","kind":"text","text":"茶""#
        let odd: [(body: String, code: String)] = [
            (#"{\#(say),"text":"酒"}"#, "invalid_request"), (#"{\#(say),"k\u0069nd":"card"}"#, "invalid_request"),
            (
                #"{\#(say),"x":\#(String(repeating: "[", count: 40))1\#(String(repeating: "]", count: 40))}"#,
                "invalid_request"
            ),
            ("\u{FEFF}{\(say)}", "invalid_request"), ("/**/{\(say)}", "invalid_request"),
            ("{\(say)}{}", "invalid_request"),
            ("[{\(say)}]", "invalid_request"), (#"{\#(say),"type":99}"#, "unknown_field"),
            (#"{\#(say),"cmd":"messageRevoke"}"#, "unknown_field"),
            (#"{\#(say),"mentions":"everybody"}"#, "invalid_field"),
            (#"{"clientToken":"s1","kind":"text","text":99}"#, "invalid_field"),
            (#"{"clientToken":"s1","kind":99,"text":"茶"}"#, "invalid_field"),
        ]
        for (body, code) in odd { #expect(try romeo.refused("POST", path, body) == code, "\(body)") }
        // Kinds that only the server says, and none there are.
        for kind in ["command", "system", "custom", "recalled", "withheld", "forwarded", "99", "Text", ""] {
            let body = #"{"clientToken":"s1","kind":"\#(kind)","text":"茶"}"#
            #expect(try romeo.refused("POST", path, body) == "invalid_field", "\(kind)")
        }
        for number in ["1.5", #""1""#, "-1", "9223372036854775808", "1e400", "null"] {
            let code = try romeo.refused("PUT", "/conversations/\(id)/read", #"{"sequence":\#(number)}"#)
            #expect(code == (number == "1e400" ? "invalid_request" : "invalid_field"), "\(number)")
        }
        for query in ["limit=1&limit=2", "limit=0", "limit=1e1", "before=-1"] {
            #expect(try romeo.refused("GET", "\(path)?\(query)") == "invalid_field", "\(query)")
        }
        #expect(try self.texts(server).isEmpty)
        try romeo.done("POST", path, "{\(say)}", status: 201)
        #expect(try self.texts(server).count == 1)
    }

    @Test("a text that spells a command is a text to every client, also as an edit")
    func commands() throws {
        let server = try TestServer()
        let (romeo, id) = try self.talk(server)
        let forged = #"{"type":99,"cmd":"messageRevoke"}"#
        func body(_ members: [(String, String)]) -> String {
            let object = JSONValue.object(members.map { JSONValue.Member($0.0, .string($0.1)) })
            return String(decoding: object.serialized(), as: UTF8.self)
        }
        try romeo.done(
            "POST", "/conversations/\(id)/messages", body([("clientToken", "c1"), ("kind", "text"), ("text", forged)]),
            status: 201)
        try romeo.done("PATCH", "/messages/\(id)-1", body([("text", "\(forged) ")]))
        let stored = try #require(try self.texts(server).first)
        #expect(stored["type"]?.integer == 1 && stored["content"]?.string == forged && stored["cmd"] == nil)
        let seen = try romeo.get("/messages/\(id)-1")
        #expect(seen["kind"]?.string == "text" && seen["text"]?.string == "\(forged) ")
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("who guesses a password has to wait, is told how long, and the right password waits as well")
    func guessing() throws {
        let server = try TestServer()
        let accounts = server.server.accounts
        _ = try accounts.wait { accounts.addUser(UserName("罗密欧")!, password: "一壶龙井茶配一碟花生米", then: $0) }
        let anyone = try NativeClient(server)
        for _ in 0..<5 {
            let code = try anyone.refused("POST", "/sessions", #"{"name":"罗密欧","password":"猜一个"}"#)
            #expect(code == "wrong_credentials")
        }
        let held = try anyone.ask("POST", "/sessions", #"{"name":"罗密欧","password":"一壶龙井茶配一碟花生米"}"#)
        #expect(held.status == 429 && held.json["code"]?.string == "too_many_requests")
        #expect((held.json["retryAfterMilliseconds"]?.integer ?? 0) > 0 && held.headers["retry-after"] != nil)
    }

    @Test("where only acquaintances see each other, no list names a stranger, and no page leads on to one")
    func strangers() throws {
        let server = try TestServer.withFiles { $0.profiles.service.visibility = .acquainted }
        let ann = try NativeClient(server, "ann")
        try server.add("bob", "cat", "dan", "eve")
        let (annID, bobID) = (try server.id("ann"), try server.id("bob"))
        try server.write { store throws(StoreError) in _ = try store.friends.make(annID, bobID) }
        try ann.done("POST", "/conversations", #"{"kind":"group","title":"tea","members":["dan"]}"#, status: 201)
        let sections = try ann.done("GET", "/contacts?sections=people")["sections"]?.array
        #expect(sections?.first?["items"]?.array?.compactMap { $0["id"]?.string } == ["ann", "bob", "dan"])
        var names: [String] = []
        var query = "limit=1"
        for _ in 0..<5 {
            let page = try ann.done("GET", "/people?\(query)")
            names += page["items"]?.array?.compactMap { $0["name"]?.string } ?? []
            guard let next = page["next"]?.string else { break }
            query = "limit=1&cursor=\(next)"
        }
        #expect(names == ["ann", "bob", "dan"])
        #expect(try ann.done("GET", "/people?query=e")["items"]?.array?.isEmpty == true)
        #expect(try ann.refused("GET", "/people/eve") == "no_such_user")
    }
}
