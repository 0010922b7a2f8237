package import ChatModel
package import Store

/// A request whose answer comes from the store: its reads and writes, and what fails in the words of one API.
///
/// A `then` or `answer` runs on a thread of the store, after the commit of a write, and only when nothing failed.
package protocol StoreCall: Sendable {
    var store: Store { get }
    var reply: APIReply { get }
    /// The account on which the store reads.
    var asker: ReadAsker { get }
    /// The protocol that changes come through, as their events name it. The server's own, unless said otherwise.
    var origin: EventOrigin { get }

    /// Words what the store could not do.
    func failure(_ error: StoreError) -> APIFailure
}

extension StoreCall {
    /// The server's own.
    package var origin: EventOrigin { .server }

    /// Reads, and goes on with what was found.
    package func read<Value: Sendable>(
        as lane: ReadLane = .page, _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        self.store.read(as: lane, for: self.asker, body) { self.finish($0, then) }
    }

    /// Reads, and answers with what `answer` makes of it, or why it cannot.
    package func read<Value: Sendable>(
        as lane: ReadLane = .page, _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value,
        answer: @escaping @Sendable (Value) throws(APIFailure) -> APIAnswer
    ) {
        self.read(as: lane, body, then: { self.reply(Self.answer(with: $0, answer)) })
    }

    /// Changes something, and goes on once it is on disk.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        let origin = self.origin
        self.store.write({ transaction throws(StoreError) in
            transaction.origin = origin
            return try body(transaction)
        }) { self.finish($0, then) }
    }

    /// Moves a position of a person, as `Store.mark` does, and answers once it is on disk.
    package func mark<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        answer: @escaping @Sendable (Value) throws(APIFailure) -> APIAnswer
    ) {
        let origin = self.origin
        self.store.mark({ transaction throws(StoreError) in
            transaction.origin = origin
            return try body(transaction)
        }) { self.finish($0) { self.reply(Self.answer(with: $0, answer)) } }
    }

    /// Changes something, and answers once it is on disk.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        answer: @escaping @Sendable (Value) throws(APIFailure) -> APIAnswer
    ) {
        self.write(body, then: { self.reply(Self.answer(with: $0, answer)) })
    }

    private func finish<Value>(_ result: Result<Value, StoreError>, _ then: (Value) -> Void) {
        switch result {
        case .success(let value): then(value)
        case .failure(let error): self.reply(.failure(self.failure(error)))
        }
    }

    private static func answer<Value>(
        with value: Value, _ answer: (Value) throws(APIFailure) -> APIAnswer
    ) -> APIAnswer {
        do throws(APIFailure) {
            return try answer(value)
        } catch {
            return .failure(error)
        }
    }
}

/// A request in the plain words of HTTP.
package struct PlainCall: StoreCall {
    /// The store of the server.
    package let store: Store
    /// Takes the answer.
    package let reply: APIReply
    /// The account on which the store reads.
    package let asker: ReadAsker
    /// The gateway by which changes come.
    package let origin: EventOrigin

    package init(_ store: Store, for asker: ReadAsker, by origin: EventOrigin = .server, _ reply: @escaping APIReply) {
        self.store = store
        self.asker = asker
        self.origin = origin
        self.reply = reply
    }

    /// Words what the store could not do, in numbers of HTTP.
    package func failure(_ error: StoreError) -> APIFailure { APIFailure(error) }
}
