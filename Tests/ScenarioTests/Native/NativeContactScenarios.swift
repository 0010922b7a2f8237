import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// The source of the contact selector by the native API.
struct NativeContactScenarios {
    private static func section(_ answer: JSONValue, _ name: String) -> [JSONValue] {
        answer["sections"]?.array?.first { $0["section"]?.string == name }?["items"]?.array ?? []
    }

    private static func ids(_ items: [JSONValue]) -> [String] { items.compactMap { $0["id"]?.string } }

    @Test("people come under the letters of their pinyin, are found by its initials, and go on by the cursor")
    func people() throws {
        let server = try TestServer()
        let wang = try NativeClient(server, "wang")
        try server.add("a1", "a2", "a3", "a4")
        try server.name("a1", "张小明")
        try server.name("a2", "Bob")
        try server.name("a3", "阿红")
        try server.name("a4", "9号")
        let all = Self.section(try wang.done("GET", "/contacts"), "people")
        #expect(Self.ids(all) == ["a4", "a3", "a2", "wang", "a1"])
        #expect(all.compactMap { $0["group"]?.string } == ["#", "A", "B", "W", "Z"])
        #expect(all[1]["name"]?.string == "阿红" && all[1]["user"]?["displayName"]?.string == "阿红")
        #expect(Self.ids(Self.section(try wang.get("/contacts?query=zxm"), "people")) == ["a1"])
        #expect(Self.ids(Self.section(try wang.get("/contacts?query=BO"), "people")) == ["a2"])
        let page = try wang.done("GET", "/contacts?limit=2")
        #expect(Self.ids(Self.section(page, "people")) == ["a4", "a3"])
        let next = try #require(page["sections"]?.array?.first?["next"]?.string)
        let escaped = next.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let rest = try wang.done("GET", "/contacts?limit=2&cursor=\(escaped)")
        #expect(Self.ids(Self.section(rest, "people")) == ["a2", "wang"])
        #expect(try wang.refused("GET", "/contacts?sections=people,teams&cursor=A") == "unusable_field")
        #expect(try wang.refused("GET", "/contacts?sections=moon") == "invalid_field")
        #expect(try NativeClient(server).refused("GET", "/contacts") == "signed_out")
    }

    @Test("teams, members, friends and own lists are the asker's alone")
    func own() throws {
        let server = try TestServer()
        let (ann, bob) = (try NativeClient(server, "ann"), try NativeClient(server, "bob"))
        try server.add("cat")
        let (annID, bobID, catID) = (try server.id("ann"), try server.id("bob"), try server.id("cat"))
        try server.write { store throws(StoreError) in
            _ = try store.friends.make(annID, bobID)
            _ = try store.people.setListed(owner: annID, .blocked, catID, true)
        }
        let body = #"{"kind":"group","title":"茶友会","members":["cat"]}"#
        let id = try #require(try ann.done("POST", "/conversations", body, status: 201)["id"]?.string)
        let found = try ann.done("GET", "/contacts?sections=teams,members,friends,lists&conversation=\(id)")
        let team = try #require(Self.section(found, "teams").first)
        #expect(team["id"]?.string == id && team["kind"]?.string == "conversation" && team["group"]?.string == "C")
        #expect(team["conversation"]?["memberCount"]?.integer == 2 && team["name"]?.string == "茶友会")
        #expect(Self.ids(Self.section(found, "members")) == ["ann", "cat"])
        #expect(Self.ids(Self.section(found, "friends")) == ["bob"])
        let listed = Self.section(found, "lists")
        #expect(Self.ids(listed) == ["cat"] && listed.first?["list"]?.string == "blocked")
        let other = try bob.done("GET", "/contacts?sections=teams,lists")
        #expect(Self.section(other, "teams").isEmpty && Self.section(other, "lists").isEmpty)
        #expect(try bob.refused("GET", "/contacts?sections=members&conversation=\(id)") == "no_such_conversation")
        #expect(try bob.refused("GET", "/contacts?sections=members") == "unusable_field")
    }
}
