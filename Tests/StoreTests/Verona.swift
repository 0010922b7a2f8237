import ChatModel
import Testing

@testable import Store

/// A group with an owner, a manager, two members, and somebody outside.
struct Verona {
    var fixture: Fixture
    let escalus: UserID
    let mercutio: UserID
    let romeo: UserID
    let juliet: UserID
    let tybalt: UserID
    let id: ConversationID

    init(change: (inout StoreOptions) -> Void = { _ in }) throws {
        let fixture = try Fixture(change: change)
        self.fixture = fixture
        self.escalus = try fixture.user("escalus")
        self.mercutio = try fixture.user("mercutio")
        self.romeo = try fixture.user("romeo")
        self.juliet = try fixture.user("juliet")
        self.tybalt = try fixture.user("tybalt")
        self.id = try fixture.group("verona", owner: self.escalus, [self.mercutio, self.romeo, self.juliet])
        let (manager, id) = (self.mercutio, self.id)
        try self.write { store throws(StoreError) in try store.conversations.setRole(manager, .manager, in: id) }
    }

    var everyone: [UserID] { [self.escalus, self.mercutio, self.romeo, self.juliet] }

    /// Sends a message to the group.
    @discardableResult
    func say(
        _ body: String, _ sender: UserID, flags: MessageFlags = [.countsAsUnread, .receiptRequested],
        token: String? = nil, mentions: Mentions = .none
    ) throws -> MessagePlace {
        var append = self.fixture.append(body, from: sender, to: .id(self.id), token: token, flags: flags)
        append.content.mentions = mentions
        let accepted = try #require(self.fixture.send([append])[0].accepted)
        return MessagePlace(accepted.message.conversation, accepted.message.sequence)
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try self.fixture.store.writeAndWait(body)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try self.fixture.store.readAndWait(body)
    }

    /// Why a change was refused; `nil` when it was not.
    func refusal<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) -> ActionRefusal? {
        do throws(StoreError) {
            try self.write(body)
            return nil
        } catch {
            guard case .refused(let refusal) = error else {
                Issue.record("\(error)")
                return nil
            }
            return refusal
        }
    }

    func message(_ place: MessagePlace) throws -> Message {
        let message = try self.read { store throws(StoreError) in
            try store.messages.one(in: place.conversation, sequence: place.sequence, as: .unrestricted)
        }
        return try #require(message)
    }

    func extra(_ place: MessagePlace, for user: UserID? = nil) throws -> MessageExtra? {
        try self.read { store throws(StoreError) in
            try store.messages.extras(of: [place.sequence], in: place.conversation, for: user)[place.sequence]
        }
    }

    func revision() throws -> Int64 {
        let id = self.id
        return try #require(try self.read { store throws(StoreError) in try store.conversations.one(id)?.revision })
    }

    func advance(seconds: Int64) { self.fixture.clock.advance(milliseconds: seconds * 1_000) }

    func isSound() throws -> [VerifyFinding] { try self.fixture.verified().findings }
}
