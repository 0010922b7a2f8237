import ChatModel
import Testing

@testable import Store

@Suite("Who may send")
struct PermissionTests {
    @Test("a block list, and an allow list when it is in force, hold for the next message")
    func personalLists() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        func change(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) throws {
            try house.store.writeAndWait(body)
        }
        func send() -> PublishRefusal? { house.send("hello", from: romeo, to: direct("juliet")).refusal }
        #expect(send() == nil)
        try change { store throws(StoreError) in try store.setListed(owner: juliet, .blocked, romeo, true) }
        #expect(send() == .blocked)
        #expect(house.send("official", from: romeo, to: direct("juliet"), authority: .application).accepted != nil)
        try change { store throws(StoreError) in try store.setListed(owner: juliet, .blocked, romeo, false) }
        #expect(send() == nil)
        try change { store throws(StoreError) in try store.setAllowlistOnly(juliet, true) }
        #expect(send() == .notAllowlisted)
        try change { store throws(StoreError) in try store.setListed(owner: juliet, .allowed, romeo, true) }
        #expect(send() == nil)
    }

    @Test("a transient message to someone without a conversation is checked too")
    func transientIsChecked() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        try house.store.writeAndWait { store throws(StoreError) in
            try store.setListed(owner: juliet, .blocked, romeo, true)
        }
        #expect(house.send("…", from: romeo, to: direct("juliet"), flags: .transient).refusal == .blocked)
        #expect(house.send("…", from: romeo, to: direct("nobody"), flags: .transient).refusal == .noSuchUser)
    }

    @Test("lists are kept over a restart, and read by name")
    func listsAreKept() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        try house.store.writeAndWait { store throws(StoreError) in
            try store.setListed(owner: juliet, .blocked, romeo, true)
        }
        let again = try house.reopened()
        #expect(again.send("hello", from: romeo, to: direct("juliet")).refusal == .blocked)
        let names = try again.store.readAndWait { store throws(StoreError) in
            try store.personalList(of: juliet, .blocked)
        }
        #expect(names.map(\.text) == ["romeo"])
    }

    @Test("a group's deny list, and its allow list once it has an entry, decide for members")
    func groupLists() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: juliet, [romeo])
        try house.store.writeAndWait { store throws(StoreError) in
            try store.setConversationList(.denied, of: verona, to: [romeo])
        }
        #expect(house.send("1", from: romeo, to: .id(verona)).refusal == .blocked)
        try house.store.writeAndWait { store throws(StoreError) in
            try store.setConversationList(.denied, of: verona, to: [])
            try store.setListed(in: verona, .allowed, juliet, true)
        }
        #expect(house.send("2", from: romeo, to: .id(verona)).refusal == .notAllowlisted)
        #expect(house.send("3", from: juliet, to: .id(verona)).accepted != nil)
        let again = try house.reopened()
        #expect(again.send("4", from: romeo, to: .id(verona)).refusal == .notAllowlisted)
    }

    @Test(
        "switches of person and group refuse with their own reason",
        arguments: [
            (ConversationFlags.banned, PublishRefusal.conversationBanned),
            (.disbanded, .conversationDisbanded), (.sendBanned, .conversationSendBanned),
        ])
    func flags(_ flags: ConversationFlags, _ refusal: PublishRefusal) throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        try house.store.writeAndWait { store throws(StoreError) in try store.setFlags(flags, of: verona) }
        #expect(house.send("no", from: romeo, to: .id(verona)).refusal == refusal)
        try house.store.writeAndWait { store throws(StoreError) in try store.setFlags([], of: verona) }
        #expect(house.send("yes", from: romeo, to: .id(verona)).accepted != nil)
    }

    @Test("a disabled or send-banned person is refused from the next message on")
    func personSwitches() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        try house.store.writeAndWait { store throws(StoreError) in try store.setSendBanned(romeo, true) }
        #expect(house.send("no", from: romeo, to: .id(verona)).refusal == .senderSendBanned)
        try house.store.writeAndWait { store throws(StoreError) in try store.setDisabled(romeo, true) }
        #expect(house.send("no", from: romeo, to: .id(verona)).refusal == .senderDisabled)
        let again = try house.reopened()
        #expect(again.send("no", from: romeo, to: .id(verona)).refusal == .senderDisabled)
    }

    @Test("a direct conversation does not exist for a third person, even by its number")
    func thirdPerson() throws {
        let house = try House()
        let (romeo, tybalt) = (try house.user("romeo"), try house.user("tybalt"))
        _ = try house.user("juliet")
        let secret = try #require(house.send("love", from: romeo, to: direct("juliet")).accepted?.message.conversation)
        #expect(house.send("ha", from: tybalt, to: .id(secret)).refusal == .noSuchConversation)
        #expect(throws: StoreError.notFound("the conversation")) {
            try house.store.readAndWait { store throws(StoreError) in
                try store.latestMessages(in: secret, limit: 1, as: .member(tybalt)).count
            }
        }
    }

    @Test("the system may write to anyone, and what a business server sends needs no membership")
    func authority() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: juliet)
        #expect(house.send("hello", from: .system, to: direct("romeo"), authority: .operator).accepted != nil)
        #expect(house.send("user", from: romeo, to: .id(verona)).refusal == .notMember)
        #expect(house.send("app", from: romeo, to: .id(verona), authority: .application).accepted != nil)
        #expect(try house.verified().findings == [])
    }
}
