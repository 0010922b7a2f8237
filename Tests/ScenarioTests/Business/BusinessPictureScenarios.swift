import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Pictures of people and groups, as WuKongIM's apps set and show them, and how apps hear that somebody is shown
/// otherwise.
struct BusinessPictureScenarios {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private func befriend(_ server: TestServer, _ one: String, _ other: String) throws {
        let (one, other) = (try server.id(one), try server.id(other))
        try server.write { store throws(StoreError) in try store.friends.make(one, other) }
    }

    @Test("a person's picture is uploaded in a form, and shown to whoever asks, without a token")
    func person() throws {
        let server = try TestServer.withFiles()
        let (romeo, juliet) = (try App(server, "romeo"), try App(server, "juliet"))
        let picture = Sample.png(1)
        #expect(try server.setPicture("users/romeo", picture, token: romeo.token).status == 200)
        let shown = try server.picture("users/romeo")
        #expect(shown.status == 200 && shown.body == picture && shown.headers["content-type"] == "image/png")
        #expect(shown.headers["x-content-type-options"] == "nosniff")
        #expect(shown.headers["content-security-policy"] == "sandbox; default-src 'none'")
        let card = try juliet.does("GET", "users/romeo")
        #expect(card["is_upload_avatar"]?.integer == 1)
        #expect(try server.http("GET", card["avatar"]?.string ?? "", token: juliet.token).body == picture)
        #expect(try server.profile("romeo", token: juliet.token)["avatar"] == card["avatar"])
        let next = Sample.png(2)
        #expect(try server.setPicture("users/romeo", next, token: romeo.token).status == 200)
        #expect(try server.picture("users/romeo").body == next)
        let tag = try #require(try server.picture("users/romeo").headers["etag"])
        #expect(try server.http("GET", "/v1/users/romeo/avatar", headers: [("If-None-Match", tag)]).status == 304)
        // The old one hangs nowhere any more.
        #expect(try server.http("GET", card["avatar"]?.string ?? "", token: juliet.token).status == 404)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a picture elsewhere is pointed to, and the file that was shown before is let go")
    func elsewhere() throws {
        let server = try TestServer.withFiles()
        let romeo = try App(server, "romeo")
        #expect(try server.setPicture("users/romeo", Sample.png(1), token: romeo.token).status == 200)
        let file = try romeo.does("GET", "users/romeo")["avatar"]?.string ?? ""
        let juliet = try server.token("juliet")
        #expect(try server.http("GET", file, token: juliet).status == 200)
        let id = try server.id("romeo")
        for (address, isShown) in [("https://pictures.example/r.png", true), ("javascript:alert(1)", false)] {
            try server.write { store throws(StoreError) in
                try store.people.setProfile(of: id, ProfilePatch(avatar: address))
            }
            let shown = try server.picture("users/romeo")
            #expect(shown.status == (isShown ? 302 : 200) && shown.headers["location"] == (isShown ? address : nil))
        }
        #expect(try server.http("GET", file, token: juliet).status == 404)
        let verona = try server.group("verona", ["romeo", "juliet"])
        #expect(try server.setPicture("groups/verona", Sample.png(2), token: romeo.token).status == 200)
        var patch = ChannelPatch()
        patch.logo = "http://pictures.example/v.png"
        let wanted = patch
        try server.write { store throws(StoreError) in
            _ = try store.conversations.updateInfo(of: verona, wanted, by: Actor(id))
        }
        #expect(try server.picture("groups/verona").headers["location"] == "http://pictures.example/v.png")
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("nobody sets another one's picture, except the manager; what is no picture is never shown as a page")
    func others() throws {
        let server = try TestServer.withFiles()
        let romeo = try App(server, "romeo")
        try server.add("juliet")
        let plain = try server.picture("users/juliet").body
        #expect(try server.setPicture("users/juliet", Sample.png(1), token: romeo.token).status == 404)
        #expect(try server.setPicture("users/nobody", Sample.png(1), token: romeo.token).status == 404)
        #expect(try server.picture("users/juliet").body == plain)
        let reply = try server.http(
            "POST", "/v1/users/juliet/avatar", headers: [UploadScenarios.formType],
            body: UploadScenarios.form(Sample.png(1)))
        #expect(reply.status == 401)
        #expect(try server.http("POST", "/v1/users/romeo/avatar", token: romeo.token, body: [1]).status == 415)
        let manager = try server.managerToken()
        #expect(try server.setPicture("users/juliet", Sample.png(3), token: manager).status == 200)
        #expect(try server.picture("users/juliet").body == Sample.png(3))
        let page = Array("<html><script>alert(1)</script></html>".utf8)
        #expect(try server.setPicture("users/romeo", page, token: romeo.token).status == 200)
        let shown = try server.picture("users/romeo")
        #expect(shown.headers["content-type"] != "text/html")
        #expect(shown.headers["content-disposition"]?.hasPrefix("attachment") == true)
    }

    @Test("who has no picture has a plain one of their own colour, and nobody looks like somebody without one")
    func plain() throws {
        let server = try TestServer.withFiles()
        try server.group("tea", ["romeo"])
        var seen: Set<[UInt8]> = []
        for path in ["users/romeo", "users/nobody", "groups/tea", "groups/none", "users/%E8%8C%B6"] {
            let reply = try server.picture(path)
            #expect(reply.status == 200 && reply.headers["content-type"] == "image/png", "\(path)")
            #expect(reply.body.starts(with: Self.signature) && reply.headers["x-content-type-options"] == "nosniff")
            #expect(try server.picture(path).body == reply.body)
            seen.insert(reply.body)
        }
        #expect(seen.count == 5)
        let head = try server.http("HEAD", "/v1/users/romeo/avatar")
        #expect(head.status == 200 && head.body.isEmpty)
        let wrong = try server.http("DELETE", "/v1/users/romeo/avatar")
        #expect(wrong.status == 405 && wrong.headers["allow"]?.contains("POST") == true)
    }

    @Test("a group's picture is set by its owner and managers, not by members and not by who is not in it")
    func group() throws {
        let server = try TestServer.withFiles()
        let tea = try server.group("tea", ["romeo", "juliet", "nurse"])
        let (romeo, juliet) = (try App(server, "romeo"), try App(server, "juliet"))
        let (nurse, eve) = (try App(server, "nurse"), try App(server, "eve"))
        let second = try server.id("nurse")
        try server.write { store throws(StoreError) in
            try store.conversations.setRole(second, .manager, in: tea)
        }
        let plain = try server.picture("groups/tea").body
        #expect(try server.setPicture("groups/tea", Sample.png(1), token: juliet.token).status == 403)
        let outsider = try server.setPicture("groups/tea", Sample.png(1), token: eve.token)
        let none = try server.setPicture("groups/none", Sample.png(1), token: eve.token)
        #expect(outsider.status == 404 && outsider.body == none.body)
        #expect(try server.picture("groups/tea").body == plain)
        for (app, seed) in [(romeo, UInt64(2)), (nurse, 3)] {
            #expect(try server.setPicture("groups/tea", Sample.png(seed), token: app.token).status == 200)
            #expect(try server.picture("groups/tea").body == Sample.png(seed))
        }
        let logo = try juliet.does("GET", "channels/tea/2")["logo"]?.string ?? ""
        #expect(try server.http("GET", logo, token: juliet.token).body == Sample.png(3))
        server.stop()
        #expect(try server.findings() == [])
    }

    // MARK: What apps are told

    @Test("a new picture is told to friends, to who looked at the person, and to no others")
    func pictureNews() throws {
        let server = try TestServer.withFiles()
        let romeo = try App(server, "romeo")
        let (friend, viewer) = (try App(server, "juliet"), try App(server, "nurse"))
        let stranger = try App(server, "eve")
        try self.befriend(server, "romeo", "juliet")
        let connected = try [romeo, friend, viewer].map { try $0.connect() }
        let idle = try stranger.connect()
        try viewer.does("GET", "users/romeo")
        #expect(try server.setPicture("users/romeo", Sample.png(1), token: romeo.token).status == 200)
        for client in connected { #expect(try client.command("userAvatarUpdate")["uid"]?.string == "romeo") }
        try idle.settle()
        #expect(idle.waiting.isEmpty)
    }

    @Test("who looked at somebody's channel is told of a new picture too, and of a new name by whichever door")
    func channelNews() throws {
        let server = try TestServer.withFiles()
        let (romeo, viewer, friend) = (try App(server, "romeo"), try App(server, "nurse"), try App(server, "juliet"))
        try self.befriend(server, "romeo", "juliet")
        let (watching, hers) = (try viewer.connect(), try friend.connect())
        try viewer.does("GET", "channels/romeo/1")
        let key = try server.upload(romeo.token, Sample.png(1)).split(separator: "/").last ?? ""
        #expect(try server.changeProfile(romeo.token, #"{"avatar":"\#(key)"}"#).status == 200)
        for client in [watching, hers] {
            #expect(try client.command("userAvatarUpdate")["uid"]?.string == "romeo")
        }
        #expect(try server.changeProfile(romeo.token, #"{"display_name":"Romeo"}"#).status == 200)
        try romeo.does("PUT", "user/current", #"{"name":"Romeo M."}"#)
        for client in [watching, hers] {
            for _ in 0..<2 {
                let changed = try client.command("channelUpdate")
                #expect(changed["channel_id"]?.string == "romeo" && changed["channel_type"]?.integer == 1)
            }
            try client.settle()
            // Once each, not once for every reason to be told.
            #expect(client.waiting.isEmpty)
        }
        #expect(try friend.does("GET", "channels/romeo/1")["name"]?.string == "Romeo M.")
    }

    @Test("a group's new picture is told to its members")
    func groupNews() throws {
        let server = try TestServer.withFiles()
        try server.group("tea", ["romeo", "juliet"])
        let (romeo, juliet) = (try App(server, "romeo"), try App(server, "juliet"))
        let (hers, idle) = (try juliet.connect(), try App(server, "eve").connect())
        #expect(try server.setPicture("groups/tea", Sample.png(1), token: romeo.token).status == 200)
        #expect(try hers.command("groupAvatarUpdate")["group_no"]?.string == "tea")
        try idle.settle()
        #expect(idle.waiting.isEmpty)
    }
}
