import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Settings of conversations, held to in the write transaction")
struct SessionSettingsTests {
    private func set(
        _ verona: Verona, _ setting: SessionSetting, _ scope: SessionScope, _ value: SessionSettingValue?
    ) throws {
        try verona.write { store throws(StoreError) in
            try store.sessionSettings.setSessionSetting(setting, in: scope, to: value)
        }
    }

    private func send(_ verona: Verona, _ body: String, _ sender: UserID, _ authority: Authority = .user)
        -> AppendResult
    {
        verona.fixture.send(body, from: sender, to: .id(verona.id), authority: authority)
    }

    @Test("a text with more characters than set is refused, by role, from the next message on and after reopening")
    func maxInput() throws {
        var verona = try Verona()
        try self.set(verona, .maxInput, SessionScope(.group, .member), .number(4))
        #expect(self.send(verona, "茶茶茶茶", verona.romeo).accepted != nil)
        #expect(self.send(verona, "茶茶茶茶x", verona.romeo).refusal == .textTooLong)
        #expect(self.send(verona, "12345", verona.mercutio).accepted != nil)
        #expect(self.send(verona, "12345", verona.romeo, .application).accepted != nil)
        #expect(verona.fixture.send("12345", from: verona.romeo, to: direct("juliet")).accepted != nil)
        verona.fixture = try verona.fixture.reopened()
        #expect(self.send(verona, "12345", verona.romeo).refusal == .textTooLong)
        try self.set(verona, .maxInput, SessionScope(.group, .member), nil)
        #expect(self.send(verona, "12345", verona.romeo).accepted != nil)
        #expect(try verona.isSound() == [])
    }

    @Test("a body is read only when it has more bytes than characters are allowed, and never while nothing is set")
    func cost() throws {
        let asked = Lock(0)
        let verona = try Verona {
            $0.readableCharacters = { content in
                asked.withLock { $0 += 1 }
                return content.body.count
            }
        }
        func count() -> Int { asked.withLock { $0 } }
        #expect(self.send(verona, "12345", verona.romeo).accepted != nil)
        try self.set(verona, .receipts, .everywhere, .text("off"))
        #expect(self.send(verona, "12345", verona.romeo).accepted != nil)
        try self.set(verona, .maxInput, .everywhere, .number(5))
        #expect(self.send(verona, "12345", verona.romeo).accepted != nil)
        #expect(count() == 0)
        #expect(self.send(verona, "123456", verona.romeo).refusal == .textTooLong)
        #expect(count() == 1)
    }

    @Test("where input is disabled members only read; managers write, and the house does; also between two people")
    func readOnly() throws {
        let verona = try Verona()
        try self.set(verona, .inputDisabled, SessionScope(.group, .member), .flag(true))
        #expect(self.send(verona, "a", verona.romeo).refusal == .inputDisabled)
        #expect(self.send(verona, "b", verona.mercutio).accepted != nil)
        #expect(self.send(verona, "c", verona.escalus).accepted != nil)
        #expect(self.send(verona, "d", verona.romeo, .operator).accepted != nil)
        #expect(self.send(verona, "e", verona.tybalt).refusal == .notMember)
        try self.set(verona, .inputDisabled, SessionScope(.direct), .flag(true))
        #expect(verona.fixture.send("f", from: verona.romeo, to: direct("juliet")).refusal == .inputDisabled)
    }

    @Test("content of a kind that is not allowed is refused to people, by role; servers and the operator send it")
    func kinds() throws {
        let asked = Lock(0)
        let verona = try Verona {
            $0.contentKinds = { content in
                asked.withLock { $0 += 1 }
                return content.body == Array("voice".utf8) ? [.voice] : [.text]
            }
        }
        #expect(self.send(verona, "voice", verona.romeo).accepted != nil)
        try self.set(verona, .allowedKinds, .everywhere, .words(ContentKind.allCases.map(\.rawValue)))
        #expect(self.send(verona, "voice", verona.romeo).accepted != nil)
        #expect(asked.withLock { $0 } == 0, "nothing is read while everything is allowed")
        try self.set(verona, .allowedKinds, SessionScope(.group, .member), .words(["text"]))
        #expect(self.send(verona, "voice", verona.romeo).refusal == .contentNotAllowed)
        #expect(self.send(verona, "text", verona.romeo).accepted != nil)
        #expect(self.send(verona, "voice", verona.mercutio).accepted != nil)
        #expect(self.send(verona, "voice", verona.romeo, .application).accepted != nil)
        #expect(self.send(verona, "voice", verona.romeo, .operator).accepted != nil)
        try self.set(verona, .allowedKinds, SessionScope(.group, .member), .words([]))
        #expect(self.send(verona, "text", verona.romeo).refusal == .contentNotAllowed)
        let (romeo, id) = (verona.romeo, verona.id)
        let place = MessagePlace(id, 1)
        let refusal = verona.refusal { store throws(StoreError) in
            try store.messages.edit(place, newBody: Array("voice".utf8), isJSONObject: false, by: Actor(romeo))
        }
        #expect(refusal == .mayNotSend)
        #expect(try verona.write { store throws(StoreError) in try store.maySend(romeo, in: id) })
    }

    @Test("a resent message gets its first answer also when it could not be sent any more")
    func resent() throws {
        let verona = try Verona()
        let address = ConversationAddress.id(verona.id)
        let first = verona.fixture.send("long enough", from: verona.romeo, to: address, token: "t")
        try self.set(verona, .maxInput, .everywhere, .number(3))
        let again = verona.fixture.send("long enough", from: verona.romeo, to: address, token: "t")
        #expect(again.accepted?.isDuplicate == true)
        #expect(again.accepted?.message.id == first.accepted?.message.id)
    }

    @Test("edits are held to the same length, and nobody edits where they only read")
    func edits() throws {
        let verona = try Verona()
        let place = try verona.say("one", verona.romeo)
        let romeo = verona.romeo
        try self.set(verona, .maxInput, .everywhere, .number(3))
        #expect(throws: StoreError.self) {
            try verona.write { store throws(StoreError) in
                try store.messages.edit(place, newBody: Array("three".utf8), isJSONObject: false, by: Actor(romeo))
            }
        }
        try verona.write { store throws(StoreError) in
            try store.messages.edit(place, newBody: Array("二二二".utf8), isJSONObject: false, by: Actor(romeo))
        }
        try self.set(verona, .inputDisabled, .everywhere, .flag(true))
        let refusal = verona.refusal { store throws(StoreError) in
            try store.messages.edit(place, newBody: Array("x".utf8), isJSONObject: false, by: Actor(romeo))
        }
        #expect(refusal == .mayNotSend)
    }

    @Test("readers are recorded as the setting says, at once")
    func receipts() throws {
        let verona = try Verona()
        let (id, juliet) = (verona.id, verona.juliet)
        let places = try ["1", "2", "3"].map { try verona.say($0, verona.romeo) }
        func read(_ index: Int) throws -> Int {
            let sequence = places[index].sequence
            return try verona.write { store throws(StoreError) in
                try store.messages.markRead([sequence], in: id, by: juliet).count
            }
        }
        try self.set(verona, .receipts, SessionScope(.group), .text("off"))
        #expect(try read(0) == 0)
        try self.set(verona, .receipts, SessionScope(.group), .text("small"))
        try self.set(verona, .receiptsTeamSize, .everywhere, .number(3))
        #expect(try read(1) == 0)
        try self.set(verona, .receiptsTeamSize, .everywhere, .number(4))
        #expect(try read(1) == 1)
        try self.set(verona, .receipts, SessionScope(.group), nil)
        #expect(try read(2) == 1)
    }

    @Test("a change that fails later leaves nothing behind, neither on the disk nor in the writer's memory")
    func undone() throws {
        let verona = try Verona()
        #expect(throws: StoreError.self) {
            try verona.write { store throws(StoreError) in
                try store.sessionSettings.setSessionSetting(.maxInput, in: .everywhere, to: .number(1))
                throw .invalid("no")
            }
        }
        #expect(self.send(verona, "12345", verona.romeo).accepted != nil)
        #expect(
            try verona.read { store throws(StoreError) in try store.sessionSettings.sessionSettings() }
                == SessionSettings())
    }

    @Test("setting what is set is no change; what was set is read back; rows of a newer version hold nothing")
    func stored() throws {
        let verona = try Verona()
        let scope = SessionScope(.room, .owner)
        #expect(
            try verona.write { store throws(StoreError) in
                try store.sessionSettings.setSessionSetting(.maxInput, in: scope, to: .number(7))
            })
        #expect(
            try !verona.write { store throws(StoreError) in
                try store.sessionSettings.setSessionSetting(.maxInput, in: scope, to: .number(7))
            })
        try verona.write { store throws(StoreError) in
            try store.connection.script(
                """
                INSERT INTO session_setting VALUES ('of_tomorrow', -1, -1, '1'), ('max_input', 99, -1, '1'),
                    ('max_input', -1, 9, '1'), ('page_size', -1, -1, 'all')
                """)
        }
        let settings = try verona.read { store throws(StoreError) in try store.sessionSettings.sessionSettings() }
        var expected = SessionSettings()
        expected[.maxInput, scope] = .number(7)
        #expect(settings == expected)
    }

    @Test("the sign-in policy and what is set over the file are kept; a policy of tomorrow is the default")
    func others() throws {
        let verona = try Verona()
        func policy() throws -> SignInPolicy {
            try verona.read { store throws(StoreError) in try store.sessionSettings.signInPolicy() }
        }
        #expect(try policy().preset == .byLevel)
        try verona.write { store throws(StoreError) in
            try store.sessionSettings.setSignInPolicy(SignInPolicy.Preset.desktopOrWeb.policy)
            try store.sessionSettings.setServerSetting("limits.connections", "77")
        }
        #expect(try policy().preset == .desktopOrWeb)
        let reopened = try verona.fixture.reopened()
        let kept = try reopened.store.readAndWait { store throws(StoreError) in
            (try store.sessionSettings.signInPolicy().preset, try store.sessionSettings.serverSettings())
        }
        #expect(kept.0 == .desktopOrWeb && kept.1 == ["limits.connections": "77"])
        let none = try reopened.store.writeAndWait { store throws(StoreError) in
            try store.sessionSettings.setServerSetting("limits.connections", nil)
            try store.setSetting("sign_in.policy", "by moonlight")
            return (
                try store.reading.sessionSettings.serverSettings(),
                try store.reading.sessionSettings.signInPolicy().preset
            )
        }
        #expect(none.0.isEmpty && none.1 == .byLevel)
    }
}
