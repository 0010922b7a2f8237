import Accounts
import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// Coming in by an invitation, by the native API.
struct NativeInvitationScenarios {
    private let password = "一壶龙井茶配一碟花生米"

    private func administrator(_ server: TestServer) throws -> NativeClient {
        let accounts = server.server.accounts
        _ = try accounts.wait {
            accounts.addUser(UserName("掌柜")!, role: .administrator, displayName: "老板", then: $0)
        }
        return try NativeClient(server, "掌柜")
    }

    @Test("an administrator invites, and one person comes in by the link, once")
    func comeIn() throws {
        let server = try TestServer()
        let owner = try self.administrator(server)
        #expect(try owner.get("/session")["isAdministrator"]?.boolean == true)
        let made = try owner.done("POST", "/invitations", #"{"clientToken":"i1","hours":2}"#, status: 201)
        let code = try #require(made["code"]?.string)
        #expect(code.utf8.count == 22 && made["path"]?.string == "/join/\(code)")
        #expect(made["address"]?.string?.hasPrefix("http://127.0.0.1:") == true)
        let again = try owner.done("POST", "/invitations", #"{"clientToken":"i1","hours":2}"#, status: 201)
        #expect(again["code"]?.string == code && again["id"] == made["id"])
        #expect(try owner.refused("POST", "/invitations", #"{"clientToken":"i1","hours":3}"#) == "token_conflict")
        let anyone = try NativeClient(server)
        let seen = try anyone.done("GET", "/invitations/\(code)")
        #expect(seen["from"]?.string == "老板" && seen["passwordsAllowed"]?.boolean == true)
        #expect(seen["expires"] == made["expires"])
        let picture = try anyone.ask("GET", "/invitations/\(code)/qr.svg")
        #expect(picture.status == 200 && picture.headers["content-type"] == "image/svg+xml")
        #expect(picture.text.hasPrefix("<svg "))
        #expect(try owner.get("/invitations")["items"]?.array?.count == 1)
        let body = #"{"name":"罗密欧","password":"\#(self.password)","displayName":"小罗"}"#
        let come = try anyone.done("POST", "/invitations/\(code)", body, status: 201)
        #expect(come["user"]?["name"]?.string == "罗密欧" && come["user"]?["displayName"]?.string == "小罗")
        var romeo = try NativeClient(server)
        romeo.token = come["token"]?.string
        #expect(try romeo.get("/session")["user"]?["name"]?.string == "罗密欧")
        #expect(try romeo.get("/session")["isAdministrator"]?.boolean == false)
        let signIn = #"{"name":"罗密欧","password":"\#(self.password)"}"#
        #expect(try anyone.done("POST", "/sessions", signIn, status: 201)["token"]?.string != nil)
        let second = #"{"name":"朱丽叶","password":"\#(self.password)"}"#
        #expect(try anyone.refused("POST", "/invitations/\(code)", second) == "invitation_ended")
        #expect(try anyone.refused("GET", "/invitations/\(code)") == "invitation_ended")
        #expect(try anyone.refused("GET", "/invitations/\(code)/qr.svg") == "invitation_ended")
        #expect(try owner.get("/invitations")["items"]?.array?.isEmpty == true)
        let log = server.ctl("audit", "list", "--what", "invitation.add").output
        #expect(log.contains("invitation.add") && !log.contains(code))
    }

    @Test("only administrators invite, and what is wrong is said")
    func refusals() throws {
        let server = try TestServer()
        let owner = try self.administrator(server)
        let romeo = try NativeClient(server, "罗密欧")
        #expect(try romeo.refused("POST", "/invitations", #"{"clientToken":"i1"}"#) == "not_administrator")
        #expect(try romeo.refused("GET", "/invitations") == "not_administrator")
        #expect(try romeo.refused("DELETE", "/invitations/1") == "not_administrator")
        #expect(try owner.refused("POST", "/invitations", #"{"clientToken":"i1","name":"罗密欧"}"#) == "exists")
        #expect(try owner.refused("POST", "/invitations", #"{"clientToken":"i1","hours":721}"#) == "invalid_field")
        #expect(try owner.refused("POST", "/invitations", "{}") == "missing_field")
        let fixed = try owner.done("POST", "/invitations", #"{"clientToken":"i2","name":"朱丽叶"}"#, status: 201)
        let code = try #require(fixed["code"]?.string)
        let anyone = try NativeClient(server)
        #expect(try anyone.get("/invitations/\(code)")["name"]?.string == "朱丽叶")
        let other = try anyone.ask("POST", "/invitations/\(code)", #"{"name":"提伯尔特"}"#)
        #expect(other.json["code"]?.string == "unusable_field" && other.json["field"]?.string == "name")
        let weak = try anyone.ask("POST", "/invitations/\(code)", #"{"name":"朱丽叶","password":"1"}"#)
        #expect(weak.json["code"]?.string == "unusable_field" && weak.json["field"]?.string == "password")
        // Without a password the token of this device is all there is.
        let come = try anyone.done("POST", "/invitations/\(code)", #"{"name":"朱丽叶"}"#, status: 201)
        #expect(come["token"]?.string != nil)
        let id = try #require(
            try owner.done("POST", "/invitations", #"{"clientToken":"i3"}"#, status: 201)["id"]?.string)
        #expect(try owner.ask("DELETE", "/invitations/\(id)").status == 204)
        #expect(try owner.refused("DELETE", "/invitations/\(id)") == "invitation_ended")
    }

    @Test("an invitation ends with the right of who made it, and wrong codes are slowed down")
    func ends() throws {
        let server = try TestServer()
        let owner = try self.administrator(server)
        let made = try owner.done("POST", "/invitations", #"{"clientToken":"i1"}"#, status: 201)
        let code = try #require(made["code"]?.string)
        let anyone = try NativeClient(server)
        let accounts = server.server.accounts
        _ = try accounts.wait { accounts.edit(UserName("掌柜")!, role: .member, then: $0) }
        #expect(try anyone.refused("GET", "/invitations/\(code)") == "invitation_ended")
        _ = try accounts.wait { accounts.edit(UserName("掌柜")!, role: .administrator, then: $0) }
        #expect(try anyone.done("GET", "/invitations/\(code)")["server"]?.string == "teahouse")
        var last = ""
        for _ in 0..<40 where last != "too_many_requests" { last = try anyone.refused("GET", "/invitations/wrong") }
        #expect(last == "too_many_requests")
    }

    @Test("the address of an invitation is the page")
    func page() throws {
        let server = try TestServer()
        let reply = try server.http("GET", "/join/abc", headers: [("Accept", "text/html")])
        let first = try server.http("GET", "/", headers: [("Accept", "text/html")])
        #expect(reply.status == 200 && reply.text == first.text)
        #expect(reply.headers["content-security-policy"] == first.headers["content-security-policy"])
        #expect(try server.http("GET", "/join/a/b", headers: [("Accept", "text/html")]).status == 404)
    }
}
