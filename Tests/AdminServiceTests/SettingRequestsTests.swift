import AdminAPI
import AdminService
import ChatModel
import Execution
import Store
import Testing

@Suite("Requests about settings and the sign-in policy") struct SettingRequestsTests {
    private func setting(_ client: AdminClient, _ request: AdminSettingsRequest) throws -> AdminSetting {
        guard case .settings(.one(let setting)) = try client.ask(.settings(request)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return setting
    }

    private func list(_ client: AdminClient) throws -> [AdminSetting] {
        guard case .settings(.list(let settings)) = try client.ask(.settings(.list)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return settings
    }

    private func effective(_ client: AdminClient, _ user: UserName?) throws -> [String: AdminEffectiveSetting] {
        let request = AdminSettingsRequest.effective(conversation: "verona", user: user)
        guard case .settings(.effective(let settings)) = try client.ask(.settings(request)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0) })
    }

    private func preview(_ client: AdminClient, _ policy: SignInPolicy) throws -> [AdminSession] {
        guard case .policy(.preview(let sessions, let count)) = try client.ask(.policy(.preview(policy))),
            count == sessions.count
        else { throw AdminError(.protocolError, "another answer was due") }
        return sessions
    }

    @Test("settings are listed, set in a scope, seen as they hold for a person, and reset, each with its audit entry")
    func settings() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, owner: romeo, members: [juliet]))))
        #expect(try self.list(client).map(\.name) == SessionSetting.all.map(\.name))
        let scope = SessionScope(.group, .member)
        let changed = try self.setting(client, .set("max_input", scope, "5000"))
        #expect(changed.value == "0" && changed.origin == "built in" && changed.isLive && changed.isEnforced)
        #expect(changed.overrides == [AdminSettingOverride(scope, "5000")])
        #expect(try self.setting(client, .show("max_input")) == changed)
        #expect(try self.setting(client, .set("time_gap", .everywhere, "60")).origin == "set at run time")
        let seen = try self.effective(client, juliet)
        #expect(seen["max_input"] == AdminEffectiveSetting("max_input", "5000", from: .scope(scope)))
        #expect(seen["time_gap"]?.source == .scope(.everywhere) && seen["page_size"]?.source == .builtIn)
        #expect(try self.effective(client, romeo)["max_input"]?.value == "0")
        #expect(try self.effective(client, nil)["max_input"]?.value == "5000")
        #expect(try self.setting(client, .reset("max_input", scope)).overrides == [])
        var query = AuditQuery()
        query.what = "setting.set"
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(query))) else { return }
        let first = try #require(entries.last?.entry)
        #expect(entries.count == 2 && first.subject == "max_input")
        #expect(first.before == #"{"scope":"group/member","value":"-"}"#)
        #expect(first.after == #"{"scope":"group/member","value":"5000"}"#)
    }

    @Test("what cannot be is refused with what may be, and nothing is changed")
    func refused() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let wrong = client.refusal(of: .settings(.set("max_input", .everywhere, "-1")))
        #expect(wrong?.code == .invalid && wrong?.message.contains("0 to 100000 characters") == true)
        #expect(client.refusal(of: .settings(.set("moonlight", .everywhere, "1")))?.code == .notFound)
        #expect(client.refusal(of: .settings(.reset("moonlight", .everywhere)))?.code == .notFound)
        #expect(client.refusal(of: .settings(.show("moonlight")))?.code == .notFound)
        #expect(
            client.refusal(of: .settings(.effective(conversation: "nowhere", user: nil)))?.code == .notFound)
        #expect(try self.list(client).allSatisfy { $0.value == $0.builtIn })
    }

    @Test("a setting of one conversation wins there alone, is listed with its setting, and has its audit entry")
    func conversations() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, owner: romeo, members: [juliet]))))
        _ = try self.setting(client, .set("max_input", SessionScope(.group, .owner), "500"))
        let changed = try client.ask(.settings(.set("max_input", .everywhere, "10", conversation: "verona")))
        #expect(changed == .settings(.effective([AdminEffectiveSetting("max_input", "10", from: .conversation)])))
        #expect(try self.effective(client, romeo)["max_input"]?.source == .conversation)
        #expect(try self.effective(client, nil)["max_input"]?.value == "10")
        let shown = try self.setting(client, .show("max_input"))
        #expect(shown.value == "0" && shown.conversationCount == 1)
        #expect(shown.conversations == [AdminConversationSetting("verona", "10")])
        let listed = try self.list(client).first { $0.name == "max_input" }
        #expect(listed?.conversationCount == 1 && listed?.conversations == [])
        let reset = try client.ask(.settings(.reset("max_input", .everywhere, conversation: "verona")))
        #expect(reset == .settings(.effective([AdminEffectiveSetting("max_input", "0", from: .builtIn)])))
        #expect(try self.effective(client, romeo)["max_input"]?.value == "500")
        #expect(try self.setting(client, .show("max_input")).conversationCount == 0)
        var query = AuditQuery()
        query.what = "setting.reset"
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(query))) else { return }
        let entry = try #require(entries.first?.entry)
        #expect(entry.subject == "max_input" && entry.before == #"{"conversation":"verona","value":"10"}"#)
        #expect(entry.after == #"{"conversation":"verona","value":"-"}"#)
    }

    @Test("a setting of one conversation has no scope beside it, is none of the server's, and needs the conversation")
    func refusedInConversations() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, owner: romeo, members: []))))
        func refusal(_ name: String, _ scope: SessionScope, _ value: String, _ conversation: String) -> AdminError? {
            client.refusal(of: .settings(.set(name, scope, value, conversation: conversation)))
        }
        #expect(refusal("max_input", SessionScope(.group), "5", "verona")?.code == .invalid)
        #expect(refusal("max_input", .everywhere, "-5", "verona")?.message.contains("0 to 100000") == true)
        #expect(refusal("max_input", .everywhere, "5", "nowhere")?.code == .notFound)
        #expect(refusal("moonlight", .everywhere, "5", "verona")?.code == .notFound)
        #expect(try self.setting(client, .show("max_input")).conversationCount == 0)
    }

    @Test("settings of the server are listed with the others; a live one is checked, stored and applied; resets too")
    func server() throws {
        let applied = Lock<[String]>([])
        let shown = AdminSetting(
            name: "limits.tea", group: .server, form: .number, bounds: "1 to 9 cups", builtIn: "3", value: "3",
            origin: "built in", isLive: true, isEnforced: true)
        let fixture = try Fixture({ options in
            options.serverSettings = ServerSettings(
                list: { [shown] },
                check: { name, value throws(AdminError) in
                    guard value != "10" else { throw AdminError(.invalid, "\(name) may be 1 to 9 cups") }
                    return value
                },
                apply: { name, value in applied.withLock { $0.append("\(name)=\(value ?? "file")") } })
        })
        let client = try fixture.client()
        #expect(try self.list(client).last == shown)
        #expect(try self.setting(client, .set("limits.tea", .everywhere, "5")) == shown)
        #expect(client.refusal(of: .settings(.set("limits.tea", .everywhere, "10")))?.code == .invalid)
        #expect(client.refusal(of: .settings(.set("limits.tea", SessionScope(.group), "5")))?.code == .invalid)
        let stored = {
            try fixture.store.readAndWait { store throws(StoreError) in try store.sessionSettings.serverSettings() }
        }
        #expect(try stored() == ["limits.tea": "5"])
        _ = try self.setting(client, .reset("limits.tea", .everywhere))
        #expect(try stored().isEmpty)
        #expect(applied.withLock { $0 } == ["limits.tea=5", "limits.tea=file"])
    }

    @Test("limits come with the setting that moves them and what to do")
    func limits() throws {
        let fixture = try Fixture()
        guard case .settings(.limits(let limits)) = try fixture.client().ask(.settings(.limits)) else { return }
        let queue = try #require(limits.first { $0.limit.name == "commit_queue_requests" })
        #expect(queue.setting == "limits.commit_queue_requests" && !queue.isLive)
        #expect(queue.advice == "commit_queue_requests" && queue.limit.peak > 0 && queue.limit.maximum == 4_096)
    }

    @Test("a policy is previewed, set without ending anybody, and set with ending those the preview showed")
    func policy() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        try fixture.signIn("romeo", .web, handle: 1)
        try fixture.signIn("romeo", .desktop, handle: 2)
        try fixture.signIn("romeo", .app, handle: 3)
        try fixture.signIn("juliet", .web, handle: 4)
        let client = try fixture.client()
        let policy = SignInPolicy.Preset.desktopOrWeb.policy
        #expect(try client.ask(.policy(.show)) == .policy(.policy(SignInPolicy.Preset.byLevel.policy)))
        let found = try self.preview(client, policy)
        #expect(found.map(\.user) == [romeo] && found.map(\.device) == [.web])
        #expect(try client.sessions().count == 4)
        #expect(try client.ask(.policy(.set(policy, endingNow: false))) == .policy(.changed(policy, ended: 0)))
        #expect(try client.sessions().count == 4)
        #expect(try client.ask(.policy(.set(policy, endingNow: true))) == .policy(.changed(policy, ended: 1)))
        fixture.outlet.wait { $0.ended[1] == .takenOver }
        #expect(try client.sessions().count == 3 && self.preview(client, policy).isEmpty)
        // It holds for who signs in from now on.
        try fixture.signIn("romeo", .web, handle: 5)
        fixture.outlet.wait { $0.ended[2] == .takenOver }
        #expect(try client.ask(.policy(.show)) == .policy(.policy(policy)))
        var query = AuditQuery()
        query.what = "policy.set"
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(query))) else { return }
        #expect(entries.last?.entry.before == #"{"policy":"*=level"}"#)
        #expect(entries.last?.entry.after == #"{"policy":"*=1 desktop!web"}"#)
    }
}
