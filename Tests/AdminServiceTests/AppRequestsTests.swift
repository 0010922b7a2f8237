import Accounts
import AdminAPI
import AdminService
import ChatModel
import Execution
import Store
import Testing

@Suite("The app of LeanCloud's clients, for operators") struct AppRequestsTests {
    private static let masterKey = "MasterKeyForTeahouseTests01"

    /// With settings that the app's handler is told of, as the server does.
    private func fixture(clock: Clock = .system) throws -> Fixture {
        let handler = Lock<AppAuthenticator?>(nil)
        let fixture = try Fixture(
            clock: clock,
            { options in
                options.serverSettings = ServerSettings(
                    list: { [] },
                    check: { name, value throws(AdminError) in
                        guard name != "leancloud.sign_in" || AppPolicy.SignIn(rawValue: value) != nil else {
                            throw AdminError(.invalid, "\(name) is one of three")
                        }
                        return value
                    },
                    apply: { name, value in
                        guard let app = handler.withLock({ $0 }), let value else { return }
                        var policy = app.policy
                        switch name {
                        case "leancloud.sign_in": policy.signIn = AppPolicy.SignIn(rawValue: value) ?? .signature
                        case "leancloud.conversation_signatures": policy.signsConversations = value == "on"
                        case "leancloud.history_signatures": policy.signsHistory = value == "on"
                        case "leancloud.creates_users": policy.createsUsers = value == "on"
                        default: Issue.record("another setting: \(name)")
                        }
                        app.apply(policy)
                    })
            })
        handler.withLock { $0 = fixture.accounts.app }
        return fixture
    }

    private func app(_ answer: AdminAnswer) throws -> AdminApp {
        guard case .app(.app(let app)) = answer else {
            Issue.record("another answer: \(answer.json.count) bytes")
            throw AdminError(.protocolError, "another answer")
        }
        return app
    }

    private func entries(_ client: AdminClient) throws -> [AuditEntry] {
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery()))) else { return [] }
        return entries.map(\.entry)
    }

    @Test("it is shown without its keys; only keys shows them, and the audit log keeps that, without them")
    func shown() throws {
        let fixture = try self.fixture()
        let client = try fixture.client()
        let known = try #require(fixture.accounts.app.application)
        let answer = try client.ask(.app(.show))
        let app = try self.app(answer)
        #expect(app.appID == "teahouse-test-app-gzGzoHsz" && app.signIn == "signature" && app.signatures.isEmpty)
        #expect(app.appKeyHint == known.appKey.prefix(4) + "…" && app.previousAppKeyUntilMilliseconds == nil)
        let json = String(decoding: answer.json, as: UTF8.self)
        #expect(!json.contains(known.appKey) && !json.contains(known.masterKey))
        #expect(try self.entries(client).isEmpty)
        let keys = AdminAppKeys(appID: app.appID, appKey: known.appKey, masterKey: known.masterKey)
        #expect(try client.ask(.app(.keys)) == .app(.keys(keys)))
        let entry = try #require(try self.entries(client).first)
        #expect(entry.word == "app.keys" && entry.asked == "{}")
    }

    @Test("a key is replaced and noted without its text")
    func rotated() throws {
        let hands = ManualClock()
        let fixture = try self.fixture(clock: hands.clock)
        let client = try fixture.client()
        let before = try #require(fixture.accounts.app.application)
        let rotation = AdminAppRotation(key: .masterKey, value: Self.masterKey, overlapSeconds: 3_600)
        let app = try self.app(try client.ask(.app(.rotate(rotation))))
        let until = hands.clock.wallMilliseconds() + 3_600_000
        #expect(app.masterKeyHint == "Mast…" && app.previousMasterKeyUntilMilliseconds == until)
        #expect(fixture.accounts.app.keys.matchesMasterKey(Self.masterKey))
        #expect(fixture.accounts.app.keys.matchesMasterKey(before.masterKey))
        let entry = try #require(try self.entries(client).first)
        #expect(entry.word == "app.rotate" && entry.subject == "master-key")
        #expect(entry.before?.contains(#""previousMasterKeyUntil":0"#) == true)
        #expect(entry.after?.contains(#""previousMasterKeyUntil":\#(until)"#) == true)
        for text in [entry.asked, entry.before ?? "", entry.after ?? ""] {
            #expect(!text.contains(Self.masterKey) && !text.contains(before.masterKey))
        }
        let short = AdminAppRotation(key: .appKey, value: "short", overlapSeconds: 0)
        #expect(client.refusal(of: .app(.rotate(short)))?.code == .invalid)
    }

    @Test("what clients have to prove changes at once and is kept, all of it or nothing")
    func policy() throws {
        let fixture = try self.fixture()
        let client = try fixture.client()
        var patch = AdminAppPatch()
        patch.signIn = "open"
        patch.signsHistory = false
        patch.createsUsers = false
        let app = try self.app(try client.ask(.app(.set(patch))))
        #expect(app.signIn == "open" && !app.signsHistory && !app.createsUsers && app.signsConversations)
        #expect(fixture.accounts.app.policy.signIn == .open)
        let stored = try fixture.store.readAndWait { store throws(StoreError) in
            try store.sessionSettings.serverSettings()
        }
        let wanted = ["sign_in": "open", "history_signatures": "off", "creates_users": "off"]
        #expect(stored == Dictionary(uniqueKeysWithValues: wanted.map { ("leancloud.\($0)", $1) }))
        let entry = try #require(try self.entries(client).first)
        #expect(entry.before?.contains(#""signIn":"-""#) == true && entry.after?.contains(#""signIn":"open""#) == true)
        patch.signIn = "nobody"
        patch.createsUsers = true
        #expect(client.refusal(of: .app(.set(patch)))?.code == .invalid)
        #expect(!fixture.accounts.app.policy.createsUsers)
    }

    @Test("it signs as the app's own server would, says what, and keeps for whom")
    func signed() throws {
        let fixture = try self.fixture()
        let client = try fixture.client()
        _ = try client.ask(
            .app(.rotate(AdminAppRotation(key: .masterKey, value: Self.masterKey, overlapSeconds: 0))))
        let signing = AdminAppSigning(
            .invite, client: "Tom", members: ["Mary", "Harry"], conversation: "551260efe4b01608686c3e0f",
            timestamp: 1_794_873_600_000, nonce: "a1b2c3")
        let expected = AdminAppSigned(
            text: "teahouse-test-app-gzGzoHsz:Tom:551260efe4b01608686c3e0f:Harry:Mary:1794873600000:a1b2c3:invite",
            signature: "23c55dd1c1c3c1f1763b273366cd1b53bd375ba0", timestamp: 1_794_873_600_000, nonce: "a1b2c3")
        #expect(try client.ask(.app(.sign(signing))) == .app(.signed(expected)))
        let entry = try #require(try self.entries(client).first)
        #expect(entry.word == "app.sign" && entry.subject == "Tom" && !entry.asked.contains("23c55dd1"))
        guard case .app(.signed(let now)) = try client.ask(.app(.sign(AdminAppSigning(.open, client: "Tom")))),
            let nonce = now.nonce
        else {
            Issue.record("no signature")
            return
        }
        let signature = ActionSignature(signature: now.signature, timestamp: now.timestamp, nonce: nonce)
        #expect(fixture.accounts.app.verify(signature, for: .open(client: "Tom")) == .valid)
        #expect(try self.app(try client.ask(.app(.show))).signatures.map(\.valid) == [1])
        for wrong in [
            AdminAppSigning(.open), AdminAppSigning(.kick, client: "Tom"), AdminAppSigning(.history, client: "Tom"),
            AdminAppSigning(.open, client: "Tom", timestamp: -1),
        ] {
            #expect(client.refusal(of: .app(.sign(wrong)))?.code == .invalid)
        }
        guard case .app(.signed(let header)) = try client.ask(.app(.sign(AdminAppSigning(.restMaster)))) else { return }
        #expect(fixture.accounts.app.keys.verifyRESTSign(header.signature, now: header.timestamp) == .master)
        #expect(header.nonce == nil && !header.text.contains(Self.masterKey))
    }
}
