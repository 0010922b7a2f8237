package import ChatModel
import Execution
package import Store

/// Reads bodies of one protocol.
package protocol MessageBodyReading: Sendable {
    /// Shows every text in a body that people read, and puts what comes back in its place; the rest of the body stays as
    /// it is, byte for byte.
    ///
    /// - Parameter rewrite: gives another text, or `nil` to leave it.
    /// - Returns: the new body; `nil` when nothing was changed, or nothing can be read because the body is encrypted
    ///   between devices.
    func rewriting(_ content: MessageContent, _ rewrite: (String) -> String?) -> [UInt8]?

    /// Why a message of a registered kind cannot be read; `nil` when it can.
    func problem(of content: MessageContent, as entry: MessageKindEntry) -> KindProblem?
}

extension MessageBodyReading {
    /// The texts of a body that people read, in no particular order.
    package func texts(of content: MessageContent) -> [String] {
        var texts: [String] = []
        _ = self.rewriting(content) { text in
            texts.append(text)
            return nil
        }
        return texts
    }
}

/// The word list and the message kinds as they are in force: kept in memory, brought up to date when the operator changes
/// them, held against messages by the broker.
package final class Moderation: Sendable {
    /// Bodies by the protocol they came from.
    package typealias Bodies = [WireFormat: any MessageBodyReading]

    private struct State {
        var matcher = WordMatcher([])
        var kinds = MessageKinds.none
        var isReloading = false
        /// Callers who wait for a reload that begins after they asked.
        var waiting: [@Sendable (Result<Void, StoreError>) -> Void] = []
    }

    private let store: Store
    private let broker: Broker
    private let bodies: Bodies
    private let undecodable = Lock<[MessageKind: Int64]>([:])
    private let state = Lock(State())

    /// Reads what is stored, and waits for it: at start-up.
    package init(store: Store, broker: Broker, bodies: Bodies) throws(StoreError) {
        self.store = store
        self.broker = broker
        self.bodies = bodies
        try self.takeRules(store.readAndWait(Self.read))
    }

    /// The kinds that are in force.
    package var kinds: MessageKinds { self.state.withLock { $0.kinds } }

    /// Messages of a kind since the start that could not be read.
    package func undecodable(_ kind: MessageKind) -> Int64 { self.undecodable.withLock { $0[kind, default: 0] } }

    /// Verdict on a text by the list in force.
    package func verdict(on text: String) -> WordVerdict { self.state.withLock { $0.matcher }.verdict(on: text) }

    /// Has what is stored now come into force: for messages published after `then`.
    ///
    /// - Parameter then: runs once, on any thread.
    package func reload(then: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let begins = self.state.withLock { state in
            state.waiting.append(then)
            defer { state.isReloading = true }
            return !state.isReloading
        }
        if begins { self.reload() }
    }

    /// One at a time, so that an older list never comes after a newer one.
    private func reload() {
        let waiting = self.state.withLock { state in
            defer { state.waiting = [] }
            state.isReloading = !state.waiting.isEmpty
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        self.store.read(Self.read) { result in
            let done = result.map { self.takeRules($0) }
            for then in waiting { then(done) }
            self.reload()
        }
    }

    private static let read:
        @Sendable (ReadTransaction) throws(StoreError) -> (rules: [WordRule], kinds: [MessageKindEntry]) = {
            transaction throws(StoreError) in
            (try transaction.moderation.wordRules(), try transaction.moderation.messageKinds())
        }

    private func takeRules(_ stored: (rules: [WordRule], kinds: [MessageKindEntry])) {
        let (matcher, kinds) = (WordMatcher(stored.rules), MessageKinds(stored.kinds))
        self.state.withLock { state in
            state.matcher = matcher
            state.kinds = kinds
        }
        var screenings: [any MessageScreening] = []
        if !matcher.isEmpty { screenings.append(WordScreening(matcher: matcher, bodies: self.bodies)) }
        if !kinds.isEmpty {
            screenings.append(
                KindCounting(kinds: kinds, bodies: self.bodies) { kind in
                    self.undecodable.withLock { $0[kind, default: 0] += 1 }
                })
        }
        self.broker.setScreenings(screenings)
    }
}

/// Holds the word list against what people send.
private struct WordScreening: MessageScreening {
    let matcher: WordMatcher
    let bodies: Moderation.Bodies

    func screen(_ content: MessageContent, from authority: Authority) -> Screening? {
        guard authority == .user, let reading = self.bodies[content.wire] else { return nil }
        var hits: [WordRule] = []
        let body = reading.rewriting(content) { text in
            let verdict = self.matcher.verdict(on: text)
            for hit in verdict.hits where !hits.contains(hit) { hits.append(hit) }
            return verdict.masked
        }
        guard !hits.isEmpty else { return nil }
        guard !hits.contains(where: { $0.action == .refuse }) else {
            return Screening(refusal: .wordNotAllowed, content: content)
        }
        var screening = Screening(content: content, flagged: hits.filter { $0.action == .flag }.map(\.word))
        if let body {
            screening.content.body = body
            screening.content.flags.insert(.masked)
        }
        return screening
    }
}

/// Counts messages of registered kinds that cannot be read; changes nothing.
private struct KindCounting: MessageScreening {
    let kinds: MessageKinds
    let bodies: Moderation.Bodies
    let count: @Sendable (MessageKind) -> Void

    func screen(_ content: MessageContent, from authority: Authority) -> Screening? {
        guard let entry = self.kinds[content.kind], let reading = self.bodies[content.wire] else { return nil }
        if reading.problem(of: content, as: entry) != nil { self.count(content.kind) }
        return nil
    }
}
