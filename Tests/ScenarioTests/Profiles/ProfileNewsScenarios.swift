import ByteCodec
import ChatModel
import Execution
import HTTPClient
import Profiles
import TeahouseTesting
import Testing

/// An existing user system that has news of people.
@Suite("News of another user system")
struct ProfileNewsScenarios {
    private static let secret = Array("a secret of both".utf8)
    private static let now: Int64 = 1_800_000_000

    /// A user system that calls everybody by their id and one name of its own, which changes.
    private final class Users: Sendable {
        let name = Lock("Capulet")
        let receiver: HTTPReceiver

        init() {
            let name = self.name
            self.receiver = HTTPReceiver { request in
                let asked = (try? JSONValue(parsing: request.body))?["ids"]?.array ?? []
                let family = name.withLock { $0 }
                let people = asked.compactMap(\.string).map { id in
                    JSONValue.object([
                        JSONValue.Member("id", .string(id)),
                        JSONValue.Member("display_name", .string("\(id) \(family)")),
                    ])
                }
                return .body(String(decoding: JSONValue.array(people).serialized(), as: UTF8.self))
            }
        }
    }

    private static func server(_ users: Users) throws -> TestServer {
        let address = try HTTPAddress(users.receiver.address)
        let wall = ManualClock(wallMilliseconds: Self.now * 1_000)
        return try TestServer.withFiles { options in
            var remote = HTTPProfileOptions(address: address)
            remote.secret = Self.secret
            options.profiles.remote = remote
            options.profiles.secret = Self.secret
            // Signatures are of a time that stands still; everything else goes on.
            options.clock = Clock(now: Clock.system.now, wallMilliseconds: wall.clock.wallMilliseconds)
        }
    }

    private static func signature(_ body: String, at seconds: Int64 = now, secret: [UInt8] = secret) -> String {
        RequestSignature.text(secret: secret, unixSeconds: seconds, body: Array(body.utf8))
    }

    private static func tell(_ server: TestServer, _ body: String, _ signature: String?) throws -> HTTPReply {
        try server.http(
            "POST", "/api/v1/profiles/invalidate", headers: signature.map { [("X-Teahouse-Signature", $0)] } ?? [],
            body: Array(body.utf8))
    }

    /// Asks until the other system's answer is there: a look-up waits a part of a second only.
    private static func shown(_ id: String, _ server: TestServer, _ token: String) throws -> String {
        for _ in 0..<200 {
            let row = try server.profiles([id], token: token)[0]
            if row["is_placeholder"]?.boolean == false { return row["name"]?.string ?? "" }
        }
        return "nothing came"
    }

    @Test("news that are signed make a name be fetched anew, for those it names and no others")
    func good() throws {
        let users = Users()
        let server = try Self.server(users)
        let ann = try server.token("ann")
        #expect(try Self.shown("juliet", server, ann) == "juliet Capulet")
        #expect(try Self.shown("tybalt", server, ann) == "tybalt Capulet")
        #expect(users.receiver.requests.allSatisfy { $0.fields["x-teahouse-signature"]?.hasPrefix("t=") == true })
        users.name.withLock { $0 = "Montague" }
        #expect(try Self.shown("juliet", server, ann) == "juliet Capulet")
        let news = #"{"ids":["juliet"]}"#
        for seconds in [Self.now - 300, Self.now + 300] {
            let reply = try Self.tell(server, news, Self.signature(news, at: seconds))
            #expect(reply.status == 200 && reply.json["invalidated"]?.integer == 1)
        }
        #expect(try Self.shown("juliet", server, ann) == "juliet Montague")
        #expect(try Self.shown("tybalt", server, ann) == "tybalt Capulet")
        let all = #"{"all":true}"#
        #expect(try Self.tell(server, all, Self.signature(all)).status == 200)
        #expect(try Self.shown("tybalt", server, ann) == "tybalt Montague")
    }

    @Test("news that are forged, too old, too new, changed or unsigned do nothing, and say why")
    func bad() throws {
        let users = Users()
        let server = try Self.server(users)
        let ann = try server.token("ann")
        #expect(try Self.shown("juliet", server, ann) == "juliet Capulet")
        users.name.withLock { $0 = "Montague" }
        let news = #"{"ids":["juliet"]}"#
        let good = Self.signature(news)
        let wrong: [(String, String?, String)] = [
            (news, Self.signature(news, secret: Array("another secret".utf8)), "is not of this body and secret"),
            (#"{"ids":["juliet"] }"#, good, "is not of this body and secret"),
            (news, good.replacing("t=\(Self.now)", with: "t=\(Self.now + 1)"), "is not of this body and secret"),
            (news, Self.signature(news, at: Self.now - 301), "too old"),
            (news, Self.signature(news, at: Self.now + 301), "too old"),
            (news, nil, "missing or wrong"), (news, "", "missing or wrong"), (news, "t=1,v1=x", "missing or wrong"),
            (news, good + "," + good, "missing or wrong"), (news, String(good.dropLast()), "missing or wrong"),
        ]
        for (body, signature, why) in wrong {
            let reply = try Self.tell(server, body, signature)
            #expect(reply.status == 401, "\(signature ?? "none")")
            #expect(reply.json["error"]?.string?.contains(why) == true, "\(reply.text)")
        }
        // A token is no signature.
        let token = try server.http(
            "POST", "/api/v1/profiles/invalidate", token: try server.managerToken(), body: Array(news.utf8))
        #expect(token.status == 401)
        #expect(try Self.shown("juliet", server, ann) == "juliet Capulet")
        #expect(try Self.tell(server, news, good).status == 200)
        #expect(try Self.shown("juliet", server, ann) == "juliet Montague")
    }

    @Test("news that are signed and make no sense are refused")
    func nonsense() throws {
        let users = Users()
        let server = try Self.server(users)
        for body in ["", "[]", "{", #"{"ids":"juliet"}"#, #"{"ids":[1]}"#, #"{"all":"yes"}"#] {
            #expect(try Self.tell(server, body, Self.signature(body)).status == 400, "\(body)")
        }
        let nobody = #"{"ids":["","\u0007"]}"#
        #expect(try Self.tell(server, nobody, Self.signature(nobody)).status == 200)
    }

    @Test("without a secret no news are taken")
    func noSecret() throws {
        let server = try TestServer.withFiles()
        let news = #"{"all":true}"#
        #expect(try Self.tell(server, news, Self.signature(news)).status == 404)
    }

    @Test("somebody who was shown a person in a chat is told to look again when there is news of them")
    func sendSyncCommand() throws {
        let users = Users()
        let server = try Self.server(users)
        try server.add("juliet")
        let (viewer, other) = (try App(server, "romeo"), try App(server, "nurse"))
        let (watching, idle) = (try viewer.connect(), try other.connect())
        try viewer.does("GET", "channels/juliet/1")
        let news = #"{"ids":["juliet"]}"#
        #expect(try Self.tell(server, news, Self.signature(news)).status == 200)
        #expect(try watching.command("userAvatarUpdate")["uid"]?.string == "juliet")
        let changed = try watching.command("channelUpdate")
        #expect(changed["channel_id"]?.string == "juliet" && changed["channel_type"]?.integer == 1)
        try idle.settle()
        #expect(idle.waiting.isEmpty)
    }
}
