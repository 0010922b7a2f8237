import Broker
import ByteCodec
import ChatModel
import Execution
import Store
import TeahouseTesting
import Testing

/// Files from the token to the message.
@Suite struct FilesTests {
    private func place(
        _ app: LeanCloudApp, _ body: String = #"{"name":"a.png","mime_type":"image/png","metaData":{"owner":"x"}}"#,
        _ headers: [(String, String)]? = nil
    ) throws -> HTTPReply {
        try app.ask("POST", "/1.1/fileTokens", headers ?? app.asClient, .of(body))
    }

    /// The path of an address of this server.
    private func path(_ reply: HTTPReply, _ name: String) throws -> String {
        let url = try #require(reply.json[name]?.string)
        let parts = url.split(separator: "/")
        try #require(parts.count >= 4 && parts[2] == "f")
        return "/" + parts.dropFirst(2).joined(separator: "/")
    }

    private func put(
        _ app: LeanCloudApp, _ path: String, _ bytes: [UInt8], _ headers: [(String, String)] = []
    ) throws -> HTTPReply {
        try app.server.http(
            "PUT", path,
            headers: [("Content-Type", "image/png"), ("Cache-Control", "public, max-age=31536000")] + headers,
            body: bytes)
    }

    /// An uploaded file: its answer to the first question, and the path of its address.
    private func upload(_ app: LeanCloudApp, _ bytes: [UInt8], _ headers: [(String, String)]? = nil) throws -> (
        reply: HTTPReply, path: String
    ) {
        let reply = try self.place(app, #"{"name":"a.bin"}"#, headers)
        let path = try self.path(reply, "upload_url")
        #expect(try self.put(app, path, bytes).status == 200)
        return (reply, path)
    }

    @Test func aFileIsReadWhereItWasAnnounced() throws {
        let app = try LeanCloudApp()
        let reply = try self.place(app)
        #expect(reply.status == 201 && reply.json["provider"]?.string == "s3")
        let id = try #require(reply.json["objectId"]?.string)
        #expect(id.utf8.count == 24 && reply.json["mime_type"]?.string == "image/png")
        let path = try self.path(reply, "upload_url")
        #expect(try self.path(reply, "url") == path && path.hasSuffix("/a.png"))
        #expect(try app.server.http("GET", path).status == 404)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
        #expect(try self.put(app, path, png).status == 200)
        let token = try #require(reply.json["token"]?.string)
        let done = try app.ask("POST", "/1.1/fileCallback", app.asClient, .of(#"{"token":"\#(token)","result":true}"#))
        #expect(done.status == 200 && done.json == .object([]))
        let read = try app.server.http("GET", path, headers: [("Origin", "https://app.example.com")])
        #expect(read.status == 200 && read.body == png && read.headers["content-type"] == "image/png")
        #expect(read.headers["x-content-type-options"] == "nosniff")
        #expect(read.headers["access-control-allow-origin"] == "*")
        #expect(read.headers["cross-origin-resource-policy"] == "cross-origin")
        let row = try app.ask("GET", "/1.1/files/\(id)", app.asClient).json
        #expect(row["url"] == reply.json["url"] && row["metaData"]?["owner"]?.string == "x")
        // The place is used.
        #expect(try self.put(app, path, [1]).status == 404)
        #expect(try app.server.http("GET", path).body == png)
        let wrong = "/f/th-l" + String(repeating: "a", count: 26)
        let refused = try self.put(app, wrong, [1])
        #expect(refused.status == 404 && refused.code == 1)
        let form = try app.server.http("POST", path, headers: [("Content-Type", "text/plain")], body: [1])
        #expect(form.status == 415 && form.code == 1 && form.json["error"]?.string?.isEmpty == false)
        app.server.stop()
        #expect(try app.server.findings() == [])
    }

    @Test func oneByteAndFiveMebibytesComeThroughWhole() throws {
        let app = try LeanCloudApp()
        let large = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        for bytes in [[7], large] {
            let path = try self.upload(app, bytes).path
            #expect(try app.server.http("GET", path).body == bytes)
        }
    }

    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

    /// COMPAT(LeanCloud JavaScript storage SDK 4): `src/uploader/s3.js` sends the word when the app named no type.
    @Test(arguments: ["undefined", "application/octet-stream", ""])
    func aPictureWithoutATypeOpensAsAPicture(type: String) throws {
        let app = try LeanCloudApp()
        let reply = try self.place(app, #"{"name":"photo","metaData":{"owner":"unknown"}}"#)
        #expect(reply.json["mime_type"]?.string == "application/octet-stream")
        let path = try self.path(reply, "upload_url")
        let headers = type.isEmpty ? [] : [("Content-Type", type)]
        #expect(try app.server.http("PUT", path, headers: headers, body: Self.png).status == 200)
        let read = try app.server.http("GET", path)
        #expect(read.headers["content-type"] == "image/png")
        #expect(read.headers["content-disposition"]?.hasPrefix("inline") == true)
        let id = try #require(reply.json["objectId"]?.string)
        #expect(try app.ask("GET", "/1.1/files/\(id)", app.asClient).json["mime_type"]?.string == "image/png")
    }

    @Test func theNameSaysTheTypeThatNobodyNamed() throws {
        let app = try LeanCloudApp()
        for (body, type) in [
            (#"{"name":"a.mp4"}"#, "video/mp4"), (#"{"name":"a.JPG","mime_type":"undefined"}"#, "image/jpeg"),
            (#"{"name":"a.mp4","mime_type":"audio/mp4"}"#, "audio/mp4"),
            (#"{"name":"a.mp4","mime_type":null}"#, "video/mp4"), ("{}", "application/octet-stream"),
        ] {
            #expect(try self.place(app, body).json["mime_type"]?.string == type, "\(body)")
        }
        let elsewhere = try app.ask(
            "POST", "/1.1/files", app.asClient, .of(#"{"name":"c","url":"https://example.com/c.gif?x=y"}"#))
        #expect(elsewhere.json["mime_type"]?.string == "image/gif")
        let inside = try app.ask(
            "POST", "/1.1/files", app.asClient, .of(#"{"name":"d","base64":"iVBORw0KGgoBAgM="}"#))
        #expect(inside.json["mime_type"]?.string == "image/png")
    }

    @Test func aBrokenUploadMayBeTriedAgain() throws {
        let app = try LeanCloudApp()
        let path = try self.path(try self.place(app), "upload_url")
        let client = try app.server.socket()
        let head = "PUT \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(app.server.port)\r\nContent-Length: 100000\r\n\r\n"
        try client.send(raw: Array(head.utf8) + [1, 2, 3])
        client.drop()
        // Each try is a request; the server's threads have had their turn before it is answered.
        var last = 0
        for _ in 0..<5_000 where last != 200 { last = try self.put(app, path, [4, 5, 6]).status }
        #expect(last == 200)
        #expect(try app.server.http("GET", path).body == [4, 5, 6])
    }

    @Test func browsersOfAnyOriginUpload() throws {
        let app = try LeanCloudApp()
        let path = try self.path(try self.place(app), "upload_url")
        let origin = [("Origin", "https://app.example.com")]
        let preflight = try app.server.http(
            "OPTIONS", path,
            headers: origin + [
                ("Access-Control-Request-Method", "PUT"),
                ("Access-Control-Request-Headers", "content-type,cache-control"),
            ])
        #expect(preflight.status == 204 && preflight.headers["access-control-allow-origin"] == "*")
        #expect(preflight.headers["access-control-allow-methods"]?.contains("PUT") == true)
        #expect(preflight.headers["access-control-allow-headers"]?.contains("Cache-Control") == true)
        let reply = try self.put(app, path, [1, 2], origin)
        #expect(reply.status == 200 && reply.headers["access-control-allow-origin"] == "*")
        let again = try self.put(app, path, [1, 2], origin)
        #expect(again.status == 404 && again.headers["access-control-allow-origin"] == "*")
        // The other gateways for files stay closed to pages of elsewhere.
        #expect(try app.server.http("OPTIONS", "/api/v1/files", headers: origin).status == 403)
    }

    @Test func aPageCannotBeMadeToRunHere() throws {
        let app = try LeanCloudApp()
        let path = try self.path(
            try self.place(app, #"{"name":"a.html","mime_type":"text/html"}"#), "upload_url")
        #expect(try self.put(app, path, Array("<script>alert(1)</script>".utf8)).status == 200)
        let read = try app.server.http("GET", path)
        #expect(read.headers["content-disposition"]?.hasPrefix("attachment") == true)
        #expect(read.headers["content-type"]?.hasPrefix("text/html") != true)
        #expect(read.headers["x-content-type-options"] == "nosniff")
        #expect(read.headers["content-security-policy"]?.contains("sandbox") == true)
    }

    @Test func filesInsideOfRequestsAndElsewhere() throws {
        let app = try LeanCloudApp()
        let inside = try app.ask(
            "POST", "/1.1/files", app.asClient,
            .of(#"{"base64":"aGVsbG8=","name":"../a.txt","mime_type":"text/plain","metaData":{"size":5}}"#))
        #expect(inside.status == 201 && inside.json["name"]?.string == "a.txt")
        #expect(try app.server.http("GET", try self.path(inside, "url")).text == "hello")
        let older = try app.server.http(
            "POST", "/1.1/files/b.txt", headers: app.asClient + [("Content-Type", "text/plain")],
            body: Array("there".utf8))
        #expect(older.status == 201)
        #expect(try app.server.http("GET", try self.path(older, "url")).text == "there")
        let elsewhere = try app.ask(
            "POST", "/1.1/files", app.asClient,
            .of(
                #"{"name":"c.jpg","url":"https://example.com/c.jpg","mime_type":"image/jpeg","metaData":{"__source":"external"}}"#
            ))
        let id = try #require(elsewhere.json["objectId"]?.string)
        #expect(elsewhere.status == 201 && elsewhere.json["url"]?.string == "https://example.com/c.jpg")
        #expect(try app.ask("GET", "/1.1/files/\(id)", app.asClient).json["name"]?.string == "c.jpg")
        let script = try app.ask("POST", "/1.1/files", app.asClient, .of(#"{"name":"d","url":"javascript:alert(1)"}"#))
        #expect(script.status == 400)
        #expect(try app.ask("DELETE", "/1.1/files/\(id)", app.asClient).status == 403)
        #expect(try app.master("DELETE", "/1.1/files/\(id)").status == 200)
        #expect(try app.ask("GET", "/1.1/files/\(id)", app.asClient).code == 101)
    }

    /// COMPAT(LeanCloud JavaScript storage SDK up to 2): `src/file.js` saves a file that is elsewhere under its name.
    @Test func anAddressUnderANameIsAFileThatIsElsewhere() throws {
        let app = try LeanCloudApp()
        let reply = try app.ask(
            "POST", "/1.1/files/a.png", app.asClient,
            .of(#"{"name":"a.png","metaData":{"__source":"external"},"url":"https://example.com/b"}"#))
        #expect(reply.status == 201 && reply.json["url"]?.string == "https://example.com/b")
        #expect(reply.json["name"]?.string == "a.png" && reply.json["mime_type"]?.string == "image/png")
        let other = try app.ask(
            "POST", "/1.1/classes/_File", app.asClient, .of(#"{"name":"c","url":"https://e.com/c"}"#))
        #expect(other.status == 201)
        let script = try app.ask("POST", "/1.1/files/a.png", app.asClient, .of(#"{"url":"javascript:alert(1)"}"#))
        #expect(script.status == 400)
        // A file of JSON with an address in it is kept as it is.
        let kept = try app.ask("POST", "/1.1/files/a.json", app.asClient, .of(#"{"url":"https://e.com","theme":1}"#))
        #expect(try app.server.http("GET", try self.path(kept, "url")).text == #"{"url":"https://e.com","theme":1}"#)
    }

    @Test("a file is uploaded where the client reached the server, and read there unless the operator says where")
    func addresses() throws {
        let host = "chat.example.com:7677"
        let app = try LeanCloudApp { $0.transport.hosts = ["chat.example.com"] }
        let asked = { (app: LeanCloudApp, host: String) throws -> HTTPReply in
            try HTTPTestClient.ask(
                port: app.server.port, "POST", "/1.1/fileTokens",
                headers: app.asClient + [("Host", host), ("Content-Type", "application/json")],
                body: Array(#"{"name":"a.png"}"#.utf8))
        }
        for host in [host, "127.0.0.1:\(app.server.port)"] {
            let reply = try asked(app, host)
            #expect(reply.json["url"]?.string?.hasPrefix("http://\(host)/f/") == true, "\(reply.text)")
            #expect(reply.json["upload_url"] == reply.json["url"])
        }
        // An address that is not this server's is in no answer.
        let wrong = try asked(app, "elsewhere.example.com")
        #expect(wrong.status == 421 && wrong.code == 1)
        let named = try LeanCloudApp { options in
            options.transport.hosts = ["chat.example.com"]
            options.publicURL = "https://files.example.com"
        }
        let reply = try asked(named, host)
        #expect(reply.json["url"]?.string?.hasPrefix("https://files.example.com/f/") == true)
        #expect(reply.json["upload_url"]?.string?.hasPrefix("http://\(host)/f/") == true)
    }

    @Test func onlyItsOwnerRemovesAFile() throws {
        let app = try LeanCloudApp()
        let romeo = app.asClient + [("X-LC-Session", try app.server.token("romeo", .app))]
        let juliet = app.asClient + [("X-LC-Session", try app.server.token("juliet", .app))]
        let (reply, path) = try self.upload(app, [1, 2, 3], romeo)
        let id = try #require(reply.json["objectId"]?.string)
        #expect(try app.ask("DELETE", "/1.1/files/\(id)", juliet).code == 101)
        #expect(try app.ask("DELETE", "/1.1/files/\(id)", romeo).status == 200)
        #expect(try app.server.http("GET", path).status == 404)
        let wrong = try self.place(app, "{}", app.asClient + [("X-LC-Session", "tea_wrong")])
        #expect(wrong.code == 211)
    }

    @Test func aMessageKeepsItAndWhatNothingNamesIsCollected() throws {
        let hands = ManualClock()
        let app = try LeanCloudApp { options in
            options.clock = hands.clock
            options.store.clock = hands.clock
            options.accounts.clock = hands.clock
        }
        let group = try app.server.group("verona", ["romeo", "juliet"])
        let (named, unnamed) = (try self.upload(app, [1, 2, 3]), try self.upload(app, [4, 5, 6]))
        let url = try #require(named.reply.json["url"]?.string).split(separator: "/").joined(separator: #"\/"#)
        let body = #"{"_lctype":-2,"_lctext":"","_lcfile":{"url":"\#(url)","metaData":{"name":"a.bin","size":3}}}"#
        let romeo = try app.server.id("romeo")
        #expect(try self.say(body, romeo, in: group, app))
        // What is still on its way is in no message.
        let pending = try #require(try self.place(app).json["url"]?.string)
        #expect(try !self.say(#"{"_lctype":-2,"_lcfile":{"url":"\#(pending)"}}"#, romeo, in: group, app))
        hands.advance(milliseconds: 25 * 3_600_000)
        let done = ConditionLock(false)
        app.server.server.transfers.collectNow { _ in done.change { $0 = true } }
        done.wait(until: { $0 }, then: { _ in })
        #expect(try app.server.http("GET", named.path).body == [1, 2, 3])
        #expect(try app.server.http("GET", unnamed.path).status == 404)
        let gone = try #require(unnamed.reply.json["objectId"]?.string)
        #expect(try app.ask("GET", "/1.1/files/\(gone)", app.asClient).code == 101)
        app.server.stop()
        #expect(try app.server.findings() == [])
    }

    @Test func aPersonsFieldsKeepWhatTheyName() throws {
        let hands = ManualClock()
        let app = try LeanCloudApp { options in
            options.clock = hands.clock
            options.store.clock = hands.clock
            options.accounts.clock = hands.clock
        }
        let token = try app.server.token("romeo", .app)
        let romeo = app.asClient + [("X-LC-Session", token)]
        let (reply, path) = try self.upload(app, [1, 2, 3], romeo)
        let url = try #require(reply.json["url"]?.string)
        let saved = try app.ask(
            "PUT", "/1.1/users/romeo", romeo, .of(#"{"avatar":{"__type":"File","id":"x","url":"\#(url)"}}"#))
        #expect(saved.status == 200)
        let collect = {
            let done = ConditionLock(false)
            app.server.server.transfers.collectNow { _ in done.change { $0 = true } }
            done.wait(until: { $0 }, then: { _ in })
        }
        hands.advance(milliseconds: 25 * 3_600_000)
        collect()
        #expect(try app.server.http("GET", path).status == 200)
        #expect(try app.ask("PUT", "/1.1/users/romeo", romeo, .of(#"{"avatar":{"__op":"Delete"}}"#)).status == 200)
        hands.advance(milliseconds: 25 * 3_600_000)
        collect()
        #expect(try app.server.http("GET", path).status == 404)
        app.server.stop()
        #expect(try app.server.findings() == [])
    }

    /// Sends a message of LeanCloud's wire.
    private func say(_ body: String, _ sender: UserID, in group: ConversationID, _ app: LeanCloudApp) throws -> Bool {
        let done = ConditionLock<Bool?>(nil)
        let content = MessageContent(
            kind: .image, flags: [.countsAsUnread, .bodyIsJSONObject], wire: .leanCloud, body: Array(body.utf8))
        app.server.server.broker.publish(as: sender, authority: .user, to: .id(group), token: nil, content: content) {
            result in
            done.change { value in
                if case .accepted = result { value = true } else { value = false }
            }
        }
        return done.wait(until: { $0 != nil }, then: { $0! })
    }
}
