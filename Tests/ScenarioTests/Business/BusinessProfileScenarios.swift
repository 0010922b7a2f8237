import ByteCodec
import HTTPClient
import Profiles
import Server
import TeahouseTesting
import Testing

/// An app whose people live in another user system, which this server asks.
struct BusinessProfileScenarios {
    private static func server(_ source: HTTPReceiver) throws -> TestServer {
        let address = try HTTPAddress(source.address)
        return try TestServer { $0.profiles.remote = HTTPProfileOptions(address: address) }
    }

    @Test("apps are told when another user system's name has come, and then show it")
    func names() throws {
        let source = HTTPReceiver { _ in
            .body(#"[{"id":"juliet","display_name":"朱丽叶","avatar":"https://pictures.example/j.png"}]"#)
        }
        let server = try Self.server(source)
        try server.add("juliet")
        let app = try App(server, "romeo")
        let client = try app.connect()
        _ = try app.does("GET", "users/juliet")
        var card = JSONValue.null
        repeat {
            // What this server knows itself may come first, and is told too.
            let told = try client.command("channelUpdate")
            #expect(told["channel_id"]?.string == "juliet")
            card = try app.does("GET", "users/juliet")
        } while card["name"]?.string != "朱丽叶"
        #expect(card["avatar"]?.string == "https://pictures.example/j.png")
        let picture = try server.http("GET", "/v1/users/juliet/avatar")
        #expect(picture.status == 302 && picture.headers["location"] == "https://pictures.example/j.png")
        #expect(try app.does("GET", "channels/juliet/1")["name"]?.string == "朱丽叶")
        #expect(try app.does("GET", "user/search?keyword=juliet")["data"]?["name"]?.string == "朱丽叶")
    }
}
