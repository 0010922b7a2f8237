import ByteCodec
import ChatModel
import Profiles
import Store
import TeahouseTesting
import Testing

/// What native clients are told of requests to join teams, and of announcements of the operator.
struct FeedConcernScenarios {
    private func verona(
        _ visibility: ProfileVisibility = .everybody
    ) throws -> (server: TestServer, id: ConversationID) {
        let server = try TestServer.withFiles { $0.profiles.service.visibility = visibility }
        let id = try server.group("verona", ["romeo", "juliet"])
        try server.add("paris")
        try server.write { store throws(StoreError) in
            var modes = TeamModesPatch()
            modes.join = .approval
            modes.beInvited = .approval
            _ = try store.teams.setModes(of: id, modes, by: .operator)
        }
        return (server, id)
    }

    /// Values of the events of a type that the feed sends until a change that is made now.
    private func values(
        _ type: String, _ client: FeedClient, _ server: TestServer, _ name: String
    ) throws -> [JSONValue] {
        let events = try client.everything(server, name).filter { $0["type"]?.string == type }
        #expect(events.allSatisfy { $0["cursor"] != nil })
        return events.compactMap { $0[type] }
    }

    @Test(
        "a request is told to whom it concerns, with what they may do and the name of a stranger, present and away",
        arguments: [ProfileVisibility.everybody, .acquainted])
    func requests(visibility: ProfileVisibility) throws {
        let (server, id) = try self.verona(visibility)
        let (romeo, paris) = (try NativeClient(server, "romeo"), try NativeClient(server, "paris"))
        try paris.done("PATCH", "/me", #"{"displayName":"Count Paris"}"#)
        let manager = try FeedClient.ready(server, "romeo")
        let asker = try FeedClient.ready(server, "paris")
        let member = try FeedClient.ready(server, "juliet")
        let away = try FeedClient.ready(server, "romeo").cursor
        let made = try paris.done("POST", "/conversations/\(id.rawValue)/requests", #"{"text":"tea?"}"#, status: 201)
        let number = try #require(made["request"]?["id"]?.string)
        let asked = try manager.event("request")["request"]
        #expect(asked?["id"]?.string == number && asked?["state"]?.string == "waiting")
        #expect(asked?["kind"]?.string == "join" && asked?["text"]?.string == "tea?")
        #expect(asked?["person"]?["displayName"]?.string == "Count Paris")
        #expect(asked?["canAnswer"]?.boolean == true && asked?["canWithdraw"]?.boolean == false)
        let own = try asker.event("request")["request"]
        #expect(own?["canAnswer"]?.boolean == false && own?["canWithdraw"]?.boolean == true)
        try romeo.done("POST", "/requests/\(number)", #"{"accept":true}"#)
        for (client, name) in [(manager, "romeo"), (asker, "paris")] {
            let told = try self.values("request", client, server, name)
            #expect(told.map { $0["state"]?.string } == ["accepted"], "\(name)")
        }
        #expect(try self.values("request", member, server, "juliet").isEmpty)
        let back = try FeedClient.ready(server, "romeo", after: away)
        let missed = try self.values("request", back, server, "romeo")
        #expect(missed.map { $0["state"]?.string } == ["accepted"], "its newest state, once")
    }

    @Test("an invitation is told to who is invited, and by long-poll; taken back, it says so")
    func invitations() throws {
        let (server, id) = try self.verona()
        let (romeo, token) = (try NativeClient(server, "romeo"), try server.token("paris", .web))
        let cursor = try #require(try server.poll(token).json["cursor"]?.string)
        try romeo.done("POST", "/conversations/\(id.rawValue)/members", #"{"members":["paris"]}"#)
        let reply = try server.poll(token, after: cursor).json
        let invited = reply["items"]?.array?.first { $0["type"]?.string == "request" }?["request"]
        #expect(invited?["kind"]?.string == "invitation" && invited?["canAnswer"]?.boolean == true)
        #expect(invited?["from"]?["name"]?.string == "romeo")
        let number = try #require(invited?["id"]?.string)
        let next = try #require(reply["cursor"]?.string)
        try romeo.done("DELETE", "/requests/\(number)", status: 204)
        let last = try server.poll(token, after: next).json["items"]?.array
        #expect(last?.map { $0["request"]?["state"]?.string } == ["withdrawn"])
    }

    @Test("an announcement is told to whom it has reached, and on other devices that it was confirmed")
    func announcements() throws {
        let (server, _) = try self.verona()
        let (first, second) = (try FeedClient.ready(server, "juliet"), try FeedClient.ready(server, "juliet"))
        let away = try FeedClient.ready(server, "romeo").cursor
        #expect(server.ctl("notice", "send", "tonight", "--title", "Tea").code == .done)
        let told = try first.wait(for: "notice")["notice"]
        #expect(told?["body"]?.string == "tonight" && told?["title"]?.string == "Tea")
        #expect(told?["needsConfirmation"]?.boolean == true)
        let number = try #require(told?["id"]?.string)
        try second.wait(for: "notice")
        try NativeClient(server, "juliet").done("POST", "/notices/\(number)/confirm", status: 204)
        for client in [first, second] {
            let confirmed = try client.wait(for: "notice")["notice"]
            #expect(confirmed?["needsConfirmation"]?.boolean == false && confirmed?["confirmedAt"] != nil)
        }
        let back = try FeedClient.ready(server, "romeo", after: away)
        let missed = try self.values("notice", back, server, "romeo")
        #expect(missed.map { $0["needsConfirmation"]?.boolean } == [true], "nobody else's confirmation")
    }
}
