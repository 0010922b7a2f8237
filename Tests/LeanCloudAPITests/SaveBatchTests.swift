import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Batches that save, as Swift's and Objective-C's SDKs send them.
@Suite("Batches that save objects")
struct SaveBatchTests {
    private func save(_ app: LeanCloudApp, _ requests: String, _ more: [(String, String)] = []) throws -> HTTPReply {
        try app.ask("POST", "/1.1/batch/save", app.asClient + more, .of(#"{"requests":[\#(requests)]}"#))
    }

    @Test("somebody signs up by one, and a device is registered again and again")
    func signUpAndDevice() throws {
        let app = try LeanCloudApp { $0.accounts.app.registrationIsOpen = true }
        let made = try self.save(
            app,
            #"""
            {"path":"/1.1/users","method":"post","new":true,
             "body":{"__internalId":"U-1","username":"romeo","password":"wherefore art thou","age":17}}
            """#)
        #expect(made.status == 200)
        let row = try #require(made.json["U-1"])
        let id = try #require(row["objectId"]?.string)
        #expect(row["sessionToken"]?.string?.isEmpty == false && row["age"]?.integer == 17)
        #expect(row["__internalId"] == nil)
        let session = [("X-LC-Session", try #require(row["sessionToken"]?.string))]
        #expect(try app.ask("GET", "/1.1/users/me", app.asClient + session).json["objectId"]?.string == id)

        let device = { (internalID: String, more: String) in
            try self.save(
                app,
                #"""
                {"path":"/1.1/installations","method":"POST","body":{"__internalId":"\#(internalID)",
                 "deviceType":"ios","apnsTeamId":"T","timeZone":"Asia/Shanghai"\#(more)}}
                """#)
        }
        let first = try device("I-1", #","deviceToken":"t-1""#)
        let own = try #require(first.json["I-1"]?["objectId"]?.string)
        // The push service gave it another token: it is the same device.
        let again = try device(own, #","deviceToken":"t-2","objectId":"\#(own)""#)
        #expect(again.json[own]?["objectId"]?.string == own && again.json[own]?["deviceToken"]?.string == "t-2")
    }

    @Test("what was saved before is pointed to, and operations on one field come one after the other")
    func children() throws {
        let app = try LeanCloudApp()
        let romeo = try app.server.token("romeo", .app)
        let reply = try self.save(
            app,
            #"""
            {"path":"/1.1/classes/_File","method":"post","body":{"__internalId":"F-1","name":"a.png",
             "url":"https://example.com/a.png"}},
            {"path":"/1.1/users/romeo","method":"put","body":{"__internalId":"romeo","n":1,
             "__children":[{"className":"_File","cid":"F-1","key":"avatar"}]}},
            {"path":"/1.1/users/romeo","method":"put","params":{"fetchWhenSave":true},
             "body":{"__internalId":"romeo","n":{"__op":"Increment","amount":2}}}
            """#, [("X-LC-Session", romeo)])
        #expect(reply.status == 200)
        let file = try #require(reply.json["F-1"]?["objectId"]?.string)
        #expect(reply.json["romeo"]?["n"]?.integer == 3)
        let me = try app.ask("GET", "/1.1/users/me", app.asClient + [("X-LC-Session", romeo)])
        #expect(me.json["avatar"]?["id"]?.string == file && me.json["n"]?.integer == 3)
    }

    @Test("what cannot be saved is the answer, and what comes after it is not done")
    func refused() throws {
        let app = try LeanCloudApp()
        let romeo = try app.server.token("romeo", .app)
        try app.server.add("juliet")
        let reply = try self.save(
            app,
            #"""
            {"path":"/1.1/users/juliet","method":"put","body":{"__internalId":"juliet","n":1}},
            {"path":"/1.1/users/romeo","method":"put","body":{"__internalId":"romeo","n":1}}
            """#, [("X-LC-Session", romeo)])
        #expect(reply.status == 403 && reply.code == 206)
        let me = try app.ask("GET", "/1.1/users/me", app.asClient + [("X-LC-Session", romeo)])
        #expect(me.json["n"] == nil)
        #expect(try self.save(app, #"{"path":"/1.1/installations/x","method":"delete"}"#).code == 119)
        #expect(try self.save(app, #"{"path":"/1.1/nothing","method":"post"}"#).status == 404)
    }
}
