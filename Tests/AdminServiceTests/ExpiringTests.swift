import AdminAPI
import ChatModel
import Store
import Testing

@Suite("What LeanCloud's apps keep, as operators see it") struct ExpiringTests {
    @Test("nothing is expiring that is new, and the days are the server's or those asked for")
    func expiring() throws {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo, juliet]))))
        guard
            case .conversationDetails(.expiring(let usual)) = try client.ask(.conversationDetails(.expiring(days: nil)))
        else {
            Issue.record("another answer was due")
            return
        }
        #expect(usual == AdminExpiring(days: 365, settingDays: 0, conversations: [], isCut: false))
        guard case .conversationDetails(.expiring(let asked)) = try client.ask(.conversationDetails(.expiring(days: 1)))
        else {
            Issue.record("another answer was due")
            return
        }
        #expect(asked.days == 1 && asked.conversations.isEmpty)
    }

    @Test("a conversation of an app is found by its object id, which it shows with what else the app keeps")
    func object() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        let id = try fixture.store.writeAndWait { transaction throws(StoreError) in
            let names = ["Jerry", "Spike"].compactMap { UserName($0) }
            guard let creator = try transaction.reading.people.user(named: romeo)?.id else { return "" }
            let new = NewObject(
                .unique, creator: creator, members: names, fields: Array(#"{"color":"red"}"#.utf8))
            let made = try transaction.apps.createObject(new).id
            return try transaction.reading.conversations.one(made)?.objectID.text ?? ""
        }
        guard case .conversation(let detail) = try client.ask(.showConversation(id)) else {
            Issue.record("another answer was due")
            return
        }
        #expect(detail.objectID == id)
        #expect(detail.isUnique)
        #expect(detail.ownFields == #"{"color":"red"}"#)
        #expect(detail.expiresAtMilliseconds == nil)
    }

    @Test("a person's devices are among their details")
    func devices() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            guard let user = try transaction.reading.people.user(named: romeo)?.id else { return }
            _ = try transaction.apps.register(
                InstallationPatch(deviceType: "ios", deviceToken: "0123456789abcdef", installationID: "i-1"))
            try transaction.apps.bindInstallation("i-1", to: user)
        }
        guard case .user(let shown) = try client.ask(.showUser(romeo)),
            case .details(let details) = try client.ask(.people(.details(romeo)))
        else {
            Issue.record("another answer was due")
            return
        }
        #expect(shown.devices == details.devices)
        #expect(shown.devices.map(\.installationID) == ["i-1"])
        #expect(shown.devices.map(\.tokenHint) == ["01234567…"])
    }
}
