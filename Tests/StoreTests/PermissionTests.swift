import ChatModel
import Testing

@testable import Store

@Suite("Who may send")
struct PermissionTests {
    @Test("a block list, and an allow list when it is in force, hold for the next message")
    func personalLists() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        func change(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) throws {
            try fixture.store.writeAndWait(body)
        }
        func send() -> PublishRefusal? { fixture.send("hello", from: romeo, to: direct("juliet")).refusal }
        #expect(send() == nil)
        try change { store throws(StoreError) in try store.people.setListed(owner: juliet, .blocked, romeo, true) }
        #expect(send() == .blocked)
        #expect(fixture.send("official", from: romeo, to: direct("juliet"), authority: .application).accepted != nil)
        try change { store throws(StoreError) in try store.people.setListed(owner: juliet, .blocked, romeo, false) }
        #expect(send() == nil)
        try change { store throws(StoreError) in try store.people.setAllowlistOnly(juliet, true) }
        #expect(send() == .notAllowlisted)
        try change { store throws(StoreError) in try store.people.setListed(owner: juliet, .allowed, romeo, true) }
        #expect(send() == nil)
    }

    @Test("a transient message to someone without a conversation is checked too")
    func transientIsChecked() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.setListed(owner: juliet, .blocked, romeo, true)
        }
        #expect(fixture.send("…", from: romeo, to: direct("juliet"), flags: .transient).refusal == .blocked)
        #expect(fixture.send("…", from: romeo, to: direct("nobody"), flags: .transient).refusal == .noSuchUser)
    }

    @Test("lists are kept over a restart, and read by name")
    func listsAreKept() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.setListed(owner: juliet, .blocked, romeo, true)
        }
        let again = try fixture.reopened()
        #expect(again.send("hello", from: romeo, to: direct("juliet")).refusal == .blocked)
        let names = try again.store.readAndWait { store throws(StoreError) in
            try store.people.personalList(of: juliet, .blocked)
        }
        #expect(names.map(\.text) == ["romeo"])
    }

    @Test("a group's deny list, and its allow list once it has an entry, decide for members")
    func groupLists() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: juliet, [romeo])
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.setList(.denied, of: verona, to: [romeo])
        }
        #expect(fixture.send("1", from: romeo, to: .id(verona)).refusal == .blocked)
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.setList(.denied, of: verona, to: [])
            try store.conversations.setListed(in: verona, .allowed, juliet, true)
        }
        #expect(fixture.send("2", from: romeo, to: .id(verona)).refusal == .notAllowlisted)
        #expect(fixture.send("3", from: juliet, to: .id(verona)).accepted != nil)
        let again = try fixture.reopened()
        #expect(again.send("4", from: romeo, to: .id(verona)).refusal == .notAllowlisted)
    }

    @Test(
        "switches of person and group refuse with their own reason",
        arguments: [
            (ConversationFlags.banned, PublishRefusal.conversationBanned),
            (.disbanded, .conversationDisbanded), (.sendBanned, .conversationSendBanned),
        ])
    func flags(_ flags: ConversationFlags, _ refusal: PublishRefusal) throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        try fixture.store.writeAndWait { store throws(StoreError) in try store.conversations.setFlags(flags, of: verona)
        }
        #expect(fixture.send("no", from: romeo, to: .id(verona)).refusal == refusal)
        try fixture.store.writeAndWait { store throws(StoreError) in try store.conversations.setFlags([], of: verona) }
        #expect(fixture.send("yes", from: romeo, to: .id(verona)).accepted != nil)
    }

    @Test("a disabled or send-banned person is refused from the next message on")
    func personSwitches() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        try fixture.store.writeAndWait { store throws(StoreError) in try store.people.setSendBanned(romeo, true) }
        #expect(fixture.send("no", from: romeo, to: .id(verona)).refusal == .senderSendBanned)
        try fixture.store.writeAndWait { store throws(StoreError) in try store.people.setDisabled(romeo, true) }
        #expect(fixture.send("no", from: romeo, to: .id(verona)).refusal == .senderDisabled)
        let again = try fixture.reopened()
        #expect(again.send("no", from: romeo, to: .id(verona)).refusal == .senderDisabled)
    }

    @Test("a direct conversation does not exist for a third person, even by its number")
    func thirdPerson() throws {
        let fixture = try Fixture()
        let (romeo, tybalt) = (try fixture.user("romeo"), try fixture.user("tybalt"))
        _ = try fixture.user("juliet")
        let secret = try #require(
            fixture.send("love", from: romeo, to: direct("juliet")).accepted?.message.conversation)
        #expect(fixture.send("ha", from: tybalt, to: .id(secret)).refusal == .noSuchConversation)
        #expect(throws: StoreError.notFound("the conversation")) {
            try fixture.store.readAndWait { store throws(StoreError) in
                try store.messages.latest(in: secret, limit: 1, as: .member(tybalt)).count
            }
        }
    }

    @Test("the system may write to anyone, and what a business server sends needs no membership")
    func authority() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: juliet)
        #expect(fixture.send("hello", from: .system, to: direct("romeo"), authority: .operator).accepted != nil)
        #expect(fixture.send("user", from: romeo, to: .id(verona)).refusal == .notMember)
        #expect(fixture.send("app", from: romeo, to: .id(verona), authority: .application).accepted != nil)
        #expect(try fixture.verified().findings == [])
    }
}
