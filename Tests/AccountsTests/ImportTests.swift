import Accounts
import ChatModel
import Store
import Testing

@Suite("Importing people") struct ImportTests {
    @Test("one token signs in on every class it was made for, and on no other")
    func classes() throws {
        let fixture = try Fixture()
        let imported = try fixture.accounts.wait {
            fixture.accounts.importUser(romeo, displayName: "Romeo", classes: [.app, .desktop], then: $0)
        }
        #expect(!imported.existed)
        let token = Credentials.token(imported.token.text)
        #expect(fixture.signIn(romeo, token, class: .app).identity?.user == imported.user)
        #expect(fixture.signIn(romeo, token, class: .desktop).identity?.user == imported.user)
        #expect(fixture.signIn(romeo, token, class: .web).identity == nil)
    }

    @Test("who was there keeps name and tokens, and gets one more")
    func existing() throws {
        let fixture = try Fixture()
        try fixture.add(romeo)
        let old = try fixture.issue(romeo)
        let imported = try fixture.accounts.wait {
            fixture.accounts.importUser(romeo, displayName: "Other", classes: [.app], then: $0)
        }
        #expect(imported.existed)
        #expect(fixture.signIn(romeo, .token(old)).identity != nil)
        #expect(fixture.signIn(romeo, .token(imported.token.text)).identity != nil)
        let user = try fixture.store.readAndWait { transaction throws(StoreError) in
            try transaction.people.user(named: romeo)
        }
        #expect(user?.displayName == nil)
    }
}
