import Accounts
import Broker
import ByteCodec
import ChatModel
import CommandLineKit
import Configuration
import Diagnostics
import Execution
import Glibc
import Server
import TeahouseTesting
import Testing

/// What an operator sets for the app of LeanCloud's clients, and who comes in then.
struct OperatorAppScenarios {
    private func signIn(_ server: TestServer, _ name: String, _ credentials: Credentials) -> SignInResult {
        let answer = ConditionLock<SignInResult?>(nil)
        server.server.accounts.authenticator.authenticate(
            SignInRequest(
                user: UserName(name)!, credentials: credentials, requestedClass: .app, address: "10.0.0.7",
                throttleKey: "10.0.0.7", isEncrypted: true, origin: .privateNetwork)
        ) { result in answer.change { $0 = result } }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    private func identity(_ result: SignInResult) -> Identity? {
        guard case .signedIn(let identity) = result else { return nil }
        return identity
    }

    @Test("the policy and the keys hold at once and after a restart, and session tokens outlive it")
    func life() throws {
        let server = try TestServer {
            $0.appID = "teahouse-test-app-gzGzoHsz"
            $0.accounts.app = AppPolicy()
        }
        #expect(self.signIn(server, "romeo", .none) == .refused(.wrongCredentials))
        let opened = server.ctl("app", "policy", "--sign-in", "open")
        #expect(opened.code == .done)
        let advice = "--conversations off --history off"
        #expect(opened.output.contains(advice), "who signs nothing gets in and can do nothing: \(opened.output)")
        let unsigned = server.ctl("app", "policy", "--conversations", "off", "--history", "off")
        #expect(!unsigned.output.contains(advice))
        #expect(self.identity(self.signIn(server, "romeo", .none))?.name.text == "romeo")
        #expect(server.ctl("setting", "show", "leancloud.sign_in", "--json").json["value"]?.string == "open")
        let key = try #require(server.ctl("app", "keys", "--json").json["masterKey"]?.string)
        try server.restart()
        #expect(self.identity(self.signIn(server, "juliet", .none))?.name.text == "juliet")
        #expect(server.ctl("setting", "reset", "leancloud.sign_in").code == .done)
        #expect(self.signIn(server, "romeo", .none) == .refused(.wrongCredentials))
        let signed = server.ctl("app", "sign", "open", "--client", "romeo", "--json").json
        let credentials = Credentials.signature(
            ActionSignature(
                signature: try #require(signed["signature"]?.string),
                timestamp: try #require(signed["timestamp"]?.integer), nonce: try #require(signed["nonce"]?.string)))
        let identity = try #require(self.identity(self.signIn(server, "romeo", credentials)))
        let desk = server.server.accounts.app
        let token = try #require(desk.issueSessionToken(SessionClaims(identity), of: identity)).text
        try server.restart()
        #expect(server.ctl("app", "keys", "--json").json["masterKey"]?.string == key)
        #expect(self.identity(self.signIn(server, "romeo", .sessionToken(token)))?.user == identity.user)
        #expect(server.ctl("session", "kick", "--user", "romeo").code == .done)
        #expect(self.signIn(server, "romeo", .sessionToken(token)) == .refused(.expired))
        try server.restart()
        #expect(self.signIn(server, "romeo", .sessionToken(token)) == .refused(.expired))
        server.stop()
        #expect(try server.findings().isEmpty)
    }

    @Test("where LeanCloud's clients are not served there is no app and no file with a key")
    func disabled() throws {
        let server = try TestServer { $0.servesLeanCloud = false }
        #expect(server.ctl("app", "show").error.contains("leancloud.enabled"))
        #expect(access("\(server.folder.path)/app.key", F_OK) != 0)
        #expect(self.signIn(server, "romeo", .none) == .refused(.wrongCredentials))
    }

    @Test("the file says what the app is and what it asks for")
    func configured() throws {
        let text = """
            [leancloud]
            app_id = "551260efe4b01608686c3e0f-gzGzoHsz"
            sign_in = "token"
            conversation_signatures = false
            history_signatures = false
            creates_users = false
            signature_window_seconds = 60
            session_token_seconds = 300
            """
        let read: (String) throws -> ServerOptions = { text in
            let settings = try Settings(environment: ["TEAHOUSE_CONFIG": "t.toml"]) { _ in Array(text.utf8) }
            return try ServerOptions(settings, log: .silent)
        }
        let options = try read(text)
        #expect(options.servesLeanCloud && options.appID == "551260efe4b01608686c3e0f-gzGzoHsz")
        var policy = AppPolicy()
        policy.signIn = .token
        (policy.signsConversations, policy.signsHistory, policy.createsUsers) = (false, false, false)
        (policy.signatureWindowSeconds, policy.sessionTokenSeconds) = (60, 300)
        #expect(options.accounts.app == policy)
        let builtIn = try read("")
        #expect(builtIn.appID == nil && builtIn.accounts.app == AppPolicy() && builtIn.servesLeanCloud)
        for wrong in ["short", "with a space in it", "with:a:colon"] {
            #expect(throws: ConfigurationError.self) { try read("[leancloud]\napp_id = \"\(wrong)\"") }
        }
    }

    @Test("what clients may do, and how much, comes from the file; without it it is as built in, with LeanCloud's room")
    func gateway() throws {
        let read: (String) throws -> ServerOptions = { text in
            let settings = try Settings(environment: ["TEAHOUSE_CONFIG": "t.toml"]) { _ in Array(text.utf8) }
            return try ServerOptions(settings, log: .silent)
        }
        let gateway = try read(
            """
            [leancloud]
            lookup = "members"
            join = "invited"
            owner_stays = true
            idle_seconds = 500
            room_rejoin_seconds = 600
            command_bytes = 8192
            requests_per_minute = 30
            history_per_minute = 120
            arriving_is_reading = true

            [limits]
            stall_seconds = 45
            """
        ).leanCloud
        #expect(
            gateway.hidesFromStrangers && gateway.joinsByInvitation && gateway.ownerStays && gateway.arrivingIsReading)
        #expect(gateway.idleSeconds == 500 && gateway.roomRejoinSeconds == 600 && gateway.commandBytes == 8_192)
        #expect(gateway.stallSeconds == 45)
        #expect(gateway.requestRate == RateLimit(perSecond: 0.5, burst: 30))
        #expect(gateway.historyRate == RateLimit(perSecond: 2, burst: 120))
        let builtIn = try read("").leanCloud
        #expect(!builtIn.hidesFromStrangers && !builtIn.joinsByInvitation && !builtIn.ownerStays)
        #expect(!builtIn.arrivingIsReading && builtIn.commandBytes == 5_120)
        #expect(builtIn.requestRate == RateLimit(perSecond: 10, burst: 600))
        #expect(builtIn.historyRate == RateLimit(perSecond: 20, burst: 1_200))
    }
}
