import Accounts
import ByteCodec
import Execution
import Store
import TeahouseTesting
import Testing

/// Who is let in, and in which words others are sent away.
@Suite struct AppCallerTests {
    private func date(_ app: LeanCloudApp, _ headers: [(String, String)]) throws -> HTTPReply {
        try app.ask("GET", "/1.1/date", headers)
    }

    /// A route that needs one of the app's keys, and finds nothing for whoever has one.
    private func lookUp(_ app: LeanCloudApp, _ headers: [(String, String)]) throws -> HTTPReply {
        try app.ask("GET", "/1.1/files/ffffffffffffffffffffffff", headers)
    }

    @Test func theClockIsToldToAnybody() throws {
        let app = try LeanCloudApp()
        #expect(try self.date(app, []).status == 200)
        let reply = try self.date(app, app.asClient)
        #expect(reply.status == 200)
        #expect(reply.json["__type"]?.string == "Date")
        let iso = try #require(reply.json["iso"]?.string)
        #expect(iso.utf8.count == 24 && iso.hasSuffix("Z") && iso.hasPrefix("20"))
    }

    @Test func everyFormOfTheKeysIsTaken() throws {
        let app = try LeanCloudApp()
        let id = app.app.appID
        let now = app.server.server.accounts.app
        let milliseconds = Clock.system.wallMilliseconds()
        let sign = try #require(now.signREST(asMaster: false, timestamp: milliseconds)).header
        let masterSign = try #require(now.signREST(asMaster: true, timestamp: milliseconds)).header
        for headers in [
            app.asClient, app.asMaster, [("X-LC-Id", id), ("X-LC-Sign", sign)],
            [("X-LC-Id", id), ("X-LC-Sign", masterSign)],
            [("X-AVOSCloud-Application-Id", id), ("X-AVOSCloud-Application-Key", app.app.appKey)],
            [("X-AVOSCloud-Application-Id", id), ("X-AVOSCloud-Master-Key", app.app.masterKey)],
            [("X-AVOSCloud-Application-Id", id), ("X-AVOSCloud-Request-Sign", sign)],
        ] {
            #expect(try self.lookUp(app, headers).status == 404, "\(headers.map(\.0))")
        }
    }

    @Test func whatIsMissingOrWrongIsUnauthorized() throws {
        let app = try LeanCloudApp()
        let id = app.app.appID
        let old = try #require(
            app.server.server.accounts.app.signREST(
                asMaster: false, timestamp: Clock.system.wallMilliseconds() - 3_600_000)
        ).header
        for headers in [
            [], [("X-LC-Id", id)], [("X-LC-Key", app.app.appKey)],
            [("X-LC-Id", "other"), ("X-LC-Key", app.app.appKey)],
            [("X-LC-Id", id), ("X-LC-Key", "wrong")], [("X-LC-Id", id), ("X-LC-Key", app.app.masterKey)],
            [("X-LC-Id", id), ("X-LC-Key", "\(app.app.appKey),master")], [("X-LC-Id", id), ("X-LC-Sign", old)],
            [("X-LC-Id", id), ("X-LC-Key", "wrong"), ("X-AVOSCloud-Master-Key", app.app.masterKey)],
        ] {
            let reply = try self.lookUp(app, headers)
            #expect(reply.status == 401, "\(headers.map(\.0))")
            #expect(reply.json == .of(#"{"code":401,"error":"Unauthorized."}"#))
        }
    }

    @Test func aReplacedKeyCountsUntilItsTimeIsOver() throws {
        let app = try LeanCloudApp()
        try app.rotate(.appKey, overlapSeconds: 3_600)
        #expect(try self.lookUp(app, app.asClient).status == 404)
        try app.rotate(.appKey, overlapSeconds: 0)
        #expect(try self.lookUp(app, app.asClient).status == 401)
    }

    @Test func whatNeedsTheMasterKeyIsNotDoneWithTheAppKey() throws {
        let app = try LeanCloudApp()
        for (method, path) in [
            ("GET", "/1.2/rtm/stats"), ("POST", "/1.2/rtm/conversations"), ("GET", "/1.1/classes/_Conversation"),
            ("POST", "/1.2/rtm/clients/Tom/kick"), ("GET", "/1.2/rtm/messages"), ("POST", "/1.1/rtm/messages"),
        ] {
            let reply = try app.ask(method, path, app.asClient)
            #expect(reply.status == 401 && reply.code == 119, "\(method) \(path)")
        }
    }

    @Test func unknownPathsAreAnsweredInItsShape() throws {
        let app = try LeanCloudApp()
        for path in ["/1.1/nothing", "/1.2/rtm/nothing", "/1.1", "/1.2/"] {
            let reply = try app.ask("GET", path, app.asClient)
            #expect(reply.status == 404 && reply.code == 1, "\(path)")
            #expect(reply.json["error"]?.string?.isEmpty == false)
        }
        let undecodable = try app.ask("GET", "/1.1/classes/%zz", app.asClient)
        #expect(undecodable.status == 400 && undecodable.json["code"]?.integer != nil)
        let reply = try app.ask("DELETE", "/1.1/date", app.asClient)
        #expect(reply.status == 405 && reply.code == 1 && reply.headers["allow"] == "GET")
    }

    @Test func pagesOfAnyOriginAreAnswered() throws {
        let app = try LeanCloudApp()
        let origin = [("Origin", "https://app.example.com")]
        let preflight = try app.ask(
            "OPTIONS", "/1.1/fileTokens",
            origin + [
                ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "x-lc-id,x-lc-sign"),
            ])
        #expect(preflight.status == 200)
        #expect(preflight.headers["access-control-allow-origin"] == "*")
        #expect(preflight.headers["access-control-max-age"] == "86400")
        #expect(preflight.headers["access-control-allow-methods"] == "GET, POST, PUT, DELETE, OPTIONS, PATCH")
        #expect(preflight.headers["access-control-allow-headers"]?.contains("X-LC-IM-Session-Token") == true)
        let reply = try self.lookUp(app, app.asClient + origin)
        #expect(reply.status == 404 && reply.headers["access-control-allow-origin"] == "*")
        let refused = try self.lookUp(app, origin)
        #expect(refused.status == 401 && refused.headers["access-control-allow-origin"] == "*")
        // Other gateways stay closed to pages of elsewhere.
        #expect(try app.ask("GET", "/health", origin).status == 403)
    }

    @Test func requestsFoldedIntoPlainTextAreUnfolded() throws {
        let app = try LeanCloudApp()
        let fold = { (method: String, key: String) throws -> HTTPReply in
            try HTTPTestClient.ask(
                port: app.server.port, "POST", "/1.1/date", headers: [("Content-Type", "text/plain;charset=UTF-8")],
                body: Array(
                    #"{"_method":"\#(method)","_ApplicationId":"\#(app.app.appID)","_ApplicationKey":"\#(key)"}"#.utf8))
        }
        #expect(try fold("GET", app.app.appKey).status == 200)
        #expect(try fold("GET", "wrong").status == 401)
        #expect(try fold("PUT", app.app.appKey).status == 405)
        #expect(try fold("BREW", app.app.appKey).status == 400)
        #expect(try fold("GET", #"a\r\nX-LC-Key: b"#).status == 400)
    }
}
