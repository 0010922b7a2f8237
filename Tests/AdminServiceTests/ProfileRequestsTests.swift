import AdminAPI
import ChatModel
import Store
import Testing

@Suite("Requests about profiles") struct ProfileRequestsTests {
    private func profile(
        _ client: AdminClient, _ name: UserName, by asker: UserName? = nil, in place: String? = nil
    ) throws -> AdminProfile {
        guard case .profiles(.one(let profile)) = try client.ask(.profiles(.show(name, by: asker, in: place))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return profile
    }

    @Test("what is set is shown at once, with where it comes from")
    func set() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        #expect(try self.profile(client, romeo).shownName == "romeo")
        var change = AdminProfileChange(
            name: romeo, displayName: "罗密欧", externalID: "x-7", attributes: #"{"house":"Montague"}"#)
        change.avatar = try Uploading(client: client).upload("r.png", prose(10), isAvatar: true).file
        #expect(try client.ask(.profiles(.set(change))) == .done)
        let profile = try self.profile(client, romeo)
        #expect(profile.shownName == "罗密欧" && profile.isKnown && !profile.isPlaceholder)
        #expect(profile.fields.map(\.name) == ["displayName", "externalID", "avatar", "attributes"])
        #expect(Set(profile.fields.map(\.source)) == ["account"])
        #expect(profile.entry?.source == "table")
        let key = try #require(change.avatar)
        #expect(profile.fields[2].value.contains(key.text))
        #expect(try client.file(key).references == [AdminFileReference(.avatar, name: "romeo")])
    }

    @Test("what cannot be set is refused, with why")
    func refused() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let nobody = UserName("nobody")!
        #expect(
            client.refusal(of: .profiles(.set(AdminProfileChange(name: nobody, displayName: "x"))))?.code == .notFound)
        #expect(
            client.refusal(of: .profiles(.set(AdminProfileChange(name: romeo, displayName: "a\u{7}"))))?.code
                == .invalid)
        #expect(
            client.refusal(of: .profiles(.set(AdminProfileChange(name: romeo, attributes: "[]"))))?.code == .invalid)
        let missing = AdminProfileChange(name: romeo, avatar: FileKey("th-fabcdefghijklmnopqrstuvwxyz")!)
        #expect(client.refusal(of: .profiles(.set(missing))) != nil)
        #expect(client.refusal(of: .profiles(.show(romeo, by: nobody, in: nil)))?.code == .notFound)
        #expect(try self.profile(client, nobody).isKnown == false)
    }

    @Test("somebody's own words and the name in a group are theirs")
    func asker() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo, juliet]))))
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            let romeo = try transaction.reading.people.user(named: romeo)!.id
            let group = try transaction.reading.conversations.one(.channel(.group, verona), seenBy: .system)!.id
            try transaction.conversations.setNickname(of: romeo, "Montague", in: group, by: .operator)
        }
        let inside = try self.profile(client, romeo, by: juliet, in: "verona")
        #expect(inside.shownName == "Montague")
        #expect(inside.fields.contains(AdminProfileField("teamName", "Montague", source: "team")))
        #expect(try self.profile(client, romeo).shownName == "romeo")
    }

    @Test("what is thrown out is asked for again, and counted")
    func invalidate() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo]))))
        for what: AdminInvalidation in [.person(romeo), .all, .team("verona")] {
            _ = try self.profile(client, romeo)
            #expect(fixture.profiles.inspect(romeo).info != nil)
            #expect(try client.ask(.profiles(.invalidate(what))) == .done)
            if what != .team("verona") { #expect(fixture.profiles.inspect(romeo).info == nil) }
        }
        #expect(client.refusal(of: .profiles(.invalidate(.team("nowhere"))))?.code == .notFound)
        guard case .profiles(.metrics(let metrics)) = try client.ask(.profiles(.metrics)) else {
            Issue.record("no figures")
            return
        }
        #expect((metrics.first { $0.name == "profiles.invalidations" }?.value ?? 0) >= 3)
    }
}
