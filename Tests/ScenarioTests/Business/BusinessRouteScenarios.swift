import TeahouseTesting
import Testing
import WuKongAPI

/// The table of routes as a whole.
struct BusinessRouteScenarios {
    private static let routes = BusinessServer().routes

    @Test("every route of a person is closed to nobody, to wrong tokens, and to the manager, who is no person")
    func closed() throws {
        let server = try TestServer()
        let manager = try server.managerToken()
        for route in Self.routes where route.access == .session {
            let path = route.pattern.replacing("{type}", with: "2").replacing("{", with: "").replacing("}", with: "")
            #expect(try server.http(route.method, path).status == 401, "\(route.method) \(path)")
            #expect(try server.http(route.method, path, token: manager).status == 403, "\(route.method) \(path)")
        }
        #expect(try server.http("GET", "/v1/user/current", token: "wrong").status == 401)
    }

    @Test("every route stands under /v1, and only signing in and the configuration are open to anybody")
    func table() {
        #expect(Self.routes.allSatisfy { $0.pattern.hasPrefix("/v1/") })
        let open = Self.routes.filter { $0.access != .session }.map(\.pattern)
        #expect(
            Set(open) == [
                "/v1/user/login", "/v1/user/usernamelogin", "/v1/user/register", "/v1/user/usernameregister",
                "/v1/common/appconfig", "/v1/common/appmodule",
            ])
        #expect(open.count == 6)
    }

    @Test(
        "what is no request of a route is refused with the reason and changes nothing",
        arguments: [
            ("POST", "message/channel/sync", "[]", "JSON object"),
            ("POST", "message/channel/sync", #"{"channel_id":"a@b@c","channel_type":2}"#, "no channel"),
            ("POST", "message/channel/sync", #"{"channel_id":"verona","channel_type":77}"#, "no channel"),
            ("POST", "message/extra/sync", #"{"channel_type":2}"#, "channel_id is missing"),
            ("POST", "message/sync", #"{"max_message_seq":"x"}"#, "whole number"),
            ("POST", "message/syncack/x", "", "number"),
            ("POST", "message/search", #"{"channel_id":"verona","channel_type":2}"#, "keyword is missing"),
            ("POST", "message/revoke?channel_id=verona&channel_type=2", "", "missing"),
            (
                "POST", "message/edit", #"{"channel_id":"v","channel_type":2,"message_id":"1","content_edit":"1"}"#,
                "JSON"
            ),
            ("DELETE", "message", "{}", "array"), ("DELETE", "message", "[1]", "object"),
            ("DELETE", "message/mutual", #"{"channel_id":"v","channel_type":2}"#, "message_id"),
            ("PUT", "message/voicereaded", #"{"channel_id":"v","channel_type":2,"message_id":"x"}"#, "whole number"),
            ("POST", "message/readed", #"{"channel_id":"v","channel_type":2}"#, "message_ids"),
            ("GET", "messages/x/receipt", "", "number"),
            ("POST", "message/reminder/done", "[]", "array"), ("POST", "message/reminder/done", #"["x"]"#, "number"),
            ("POST", "reactions", #"{"channel_id":"v","channel_type":2,"message_id":"1"}"#, "emoji"),
            ("POST", "conversation/sync", #"{"version":true}"#, "whole number"),
            ("POST", "group/create", #"{"members":[]}"#, "members"),
            ("POST", "group/create", #"{"members":["a@b"]}"#, "uid"),
            ("PUT", "groups/verona", "{}", "nothing"), ("POST", "groups/verona/forbidden/2", "", "0 or 1"),
            ("POST", "groups/verona/members", "{}", "nobody"),
            ("POST", "groups/verona/blacklist/burn", #"{"uids":["a"]}"#, "add or remove"),
            ("POST", "groups/verona/forbidden_with_member", #"{"member_uid":"a","action":1,"key":9}"#, "key"),
            ("PUT", "groups/verona/members/romeo", "{}", "remark"),
            ("PUT", "user/current", "{}", "nothing"), ("PUT", "user/current", #"{"name":" "}"#, "empty"),
            ("PUT", "user/current", #"{"sex":[]}"#, "sex"), ("PUT", "user/my/setting", #"{"voice_on":"x"}"#, "0 or 1"),
            ("PUT", "users/juliet/setting", "{}", "nothing"), ("PUT", "users/juliet/setting", #"{"mute":2}"#, "0 or 1"),
            ("POST", "friend/sure", "{}", "token"), ("POST", "friend/apply", #"{"to_uid":"a#b"}"#, "uid"),
            ("GET", "user/reddot/else", "", "friendApply"), ("DELETE", "user/reddot/else", "", "friendApply"),
        ])
    func malformed(method: String, path: String, body: String, reason: String) throws {
        let server = try TestServer()
        let app = try App(server, "romeo")
        let message = try app.isRefused(method, path, body)
        #expect(message.contains(reason), "\(message)")
    }
}
