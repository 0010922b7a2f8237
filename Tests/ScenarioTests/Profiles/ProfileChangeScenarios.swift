import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// People change what is shown of them.
struct ProfileChangeScenarios {
    @Test("a new name is answered, and seen by others who had seen the old one")
    func name() throws {
        let server = try TestServer.withFiles()
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        #expect(try server.shownNames(["ann"], token: bob) == ["ann"])
        let answer = try server.changeProfile(ann, #"{"display_name":"Ann \u8336"}"#)
        #expect(answer.status == 200 && answer.json["id"]?.string == "ann")
        #expect(answer.json["display_name"]?.string == "Ann \u{8336}" && answer.json["name"]?.string == "Ann \u{8336}")
        #expect(try server.shownNames(["ann"], token: bob) == ["Ann \u{8336}"])
        #expect(try server.profile("ann", token: bob)["name"]?.string == "Ann \u{8336}")
        #expect(try server.changeProfile(ann, #"{"display_name":""}"#).json["name"]?.string == "ann")
        #expect(try server.shownNames(["ann", "bob"], token: bob) == ["ann", "bob"])
    }

    @Test("what people say about themselves is merged; contact data is theirs and the manager's to see")
    func attributes() throws {
        let server = try TestServer.withFiles()
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        let id = try server.id("ann")
        try server.write { store throws(StoreError) in
            try store.people.setProfile(of: id, ProfilePatch(attributes: Array(#"{"category":"staff"}"#.utf8)))
        }
        let first = try server.changeProfile(ann, #"{"attributes":{"sex":1,"phone":"0123","signature":"tea"}}"#)
        #expect(first.status == 200 && first.json["attributes"]?["phone"]?.string == "0123")
        let second = try server.changeProfile(ann, #"{"attributes":{"signature":null,"email":"a@b"}}"#)
        let own = try #require(second.json["attributes"]?.object)
        #expect(Set(own.map(\.name)) == ["category", "sex", "phone", "email"])
        let seen = try #require(try server.profiles(["ann"], token: bob)[0]["attributes"]?.object)
        #expect(Set(seen.map(\.name)) == ["category", "sex"])
        let one = try #require(try server.profile("ann", token: bob)["attributes"]?.object)
        #expect(Set(one.map(\.name)) == ["category", "sex"])
        let manager = try server.profile("ann", token: try server.managerToken())
        #expect(manager["attributes"]?["email"]?.string == "a@b")
    }

    @Test(
        "a field that is wrong is refused by name, and nothing of the request is done",
        arguments: [
            ("{}", "the body has nothing that can be changed"),
            (#"{"name":"x"}"#, "the body has nothing that can be changed"),
            ("[]", "expected a JSON object as the body"), (#"{"display_name":7}"#, "display_name must be a text"),
            (#"{"display_name":" \t "}"#, "display_name is blank"),
            (#"{"display_name":"a\u0000b"}"#, "display_name has control characters"),
            (#"{"display_name":"a\nb"}"#, "display_name has control characters"),
            (#"{"display_name":"x","attributes":"sex"}"#, "attributes must be an object"),
            (
                #"{"display_name":"x","attributes":{"category":"staff"}}"#,
                "attributes.category is not one's own to change: the operator sets it"
            ),
            (
                #"{"display_name":"x","attributes":{"sex":[1]}}"#,
                "attributes.sex must be a text, a whole number or null"
            ),
            (#"{"display_name":"x","avatar":"/etc/passwd"}"#, "avatar is no id of a file"),
            (#"{"display_name":"x","avatar":"https://evil.example/x.png"}"#, "avatar is no id of a file"),
            (#"{"display_name":"x","avatar_small":1}"#, "avatar_small must be a text"),
        ])
    func wrong(_ json: String, _ what: String) throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let answer = try server.changeProfile(ann, json)
        #expect(answer.status == 400 && answer.json["status"]?.integer == 400)
        #expect(answer.json["error"]?.string == what)
        #expect(try server.shownNames(["ann"], token: ann) == ["ann"])
    }

    @Test("a name or attributes that are too long are refused with their bound")
    func tooLong() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let long = String(repeating: "\u{8336}", count: 2_000)
        let name = try server.changeProfile(ann, #"{"display_name":"\#(long)"}"#)
        #expect(name.status == 400)
        #expect(
            name.json["error"]?.string?.contains("a display name has at most \(PeopleLimits.nameScalars) characters")
                == true)
        let most = String(repeating: "\u{8336}", count: PeopleLimits.nameScalars)
        #expect(try server.changeProfile(ann, #"{"display_name":"\#(most)"}"#).json["name"]?.string == most)
        let signature = String(repeating: "x", count: PeopleLimits.profileBytes)
        let attributes = try server.changeProfile(ann, #"{"attributes":{"signature":"\#(signature)"}}"#)
        #expect(attributes.status == 400 && attributes.json["error"]?.string?.contains("at most") == true)
    }

    @Test("a picture is made of one's own files, in two sizes; others see them, and an empty one takes it away")
    func picture() throws {
        let server = try TestServer.withFiles()
        let (ann, bob) = (try server.token("ann"), try server.token("bob"))
        let (full, small) = (Sample.png(1), Sample.png(2))
        let paths = try [full, small].map { try server.upload(ann, $0, name: "a.png", type: "image/png") }
        let keys = paths.map { String($0.split(separator: "/").last ?? "") }
        #expect(try server.http("GET", paths[0], token: bob).status == 404)
        let answer = try server.changeProfile(ann, #"{"avatar":"\#(keys[0])","avatar_small":"\#(keys[1])"}"#)
        #expect(answer.status == 200)
        let seen = try server.profiles(["ann"], token: bob)[0]
        #expect(seen["avatar"]?.string == paths[0] && seen["avatar_small"]?.string == paths[1])
        #expect(try server.http("GET", paths[0], token: bob).body == full)
        #expect(try server.http("GET", paths[1], token: bob).body == small)
        for (query, path) in [("", paths[0]), ("?size=full", paths[0]), ("?size=small", paths[1])] {
            let reply = try server.http("GET", "/api/v1/avatars/ann\(query)", token: bob)
            #expect(reply.status == 302 && reply.headers["location"] == path && reply.body.isEmpty)
        }
        // Where apps of WuKongIM look.
        #expect(try server.picture("users/ann").body == full)
        let none = try server.changeProfile(ann, #"{"avatar":"","avatar_small":""}"#)
        #expect(none.json["avatar"] == .null && none.json["avatar_small"] == .null)
        #expect(try server.http("GET", paths[0], token: bob).status == 404)
        #expect(try server.http("GET", "/api/v1/avatars/ann", token: bob).status == 200)
        #expect(try server.picture("users/ann").headers["content-type"] == "image/png")
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a new whole picture takes the old small one away with it")
    func smallGoes() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let paths = try (1...3).map { try server.upload(ann, Sample.png($0), name: "a.png", type: "image/png") }
        let keys = paths.map { String($0.split(separator: "/").last ?? "") }
        _ = try server.changeProfile(ann, #"{"avatar":"\#(keys[0])","avatar_small":"\#(keys[1])"}"#)
        let answer = try server.changeProfile(ann, #"{"avatar":"\#(keys[2])"}"#)
        #expect(answer.json["avatar"]?.string == paths[2] && answer.json["avatar_small"] == .null)
        // The old ones hang nowhere any more.
        let bob = try server.token("bob")
        #expect(try paths.map { try server.http("GET", $0, token: bob).status } == [404, 404, 200])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a file that somebody cannot see, or that is not there, does not become their picture")
    func othersFiles() throws {
        let server = try TestServer.withFiles()
        let (ann, eve) = (try server.token("ann"), try server.token("eve"))
        let path = try server.upload(ann, Sample.png(1), name: "a.png", type: "image/png")
        let keys = [String(path.split(separator: "/").last ?? ""), "th-f" + String(repeating: "a", count: 26)]
        for key in keys {
            let answer = try server.changeProfile(eve, #"{"display_name":"Eve","avatar":"\#(key)"}"#)
            #expect(answer.status == 404, "\(answer)")
        }
        #expect(try server.shownNames(["eve"], token: ann) == ["eve"])
        #expect(try server.http("GET", path, token: eve).status == 404)
    }

    @Test("the manager has no profile of their own")
    func manager() throws {
        let server = try TestServer.withFiles()
        let answer = try server.changeProfile(try server.managerToken(), #"{"display_name":"Boss"}"#)
        #expect([401, 403].contains(answer.status))
    }
}
