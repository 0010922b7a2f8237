import ByteCodec
import ChatModel
import Store

/// Messages that wait for a business server: of each conversation one is asked about, the others wait behind it in
/// their order. Confined to the broker's thread.
struct HookLine {
    /// Messages that one sender's gateway names alike go one after the other.
    struct Lane: Hashable {
        let address: ConversationAddress
        /// Two people's conversation has another address on each side.
        let sender: UserID?

        init(_ append: Append) {
            self.address = append.address
            if case .direct = append.address { self.sender = append.sender } else { self.sender = nil }
        }
    }

    enum Step {
        /// To be asked about now.
        case ask
        case wait
        case busy
    }

    /// Most messages that wait, over all conversations, and bytes of them.
    static let maximumMessages = 4_096
    static let maximumBytes = 16 * 1024 * 1024

    private var lanes: [Lane: [Append]] = [:]
    private(set) var count = 0
    private var bytes = 0

    func isEmpty(_ lane: Lane) -> Bool { self.lanes[lane] == nil }

    mutating func add(_ append: Append) -> Step {
        let size = append.content.body.count
        guard self.count < Self.maximumMessages, self.bytes + size <= Self.maximumBytes else { return .busy }
        self.count += 1
        self.bytes += size
        self.lanes[Lane(append), default: []].append(append)
        return self.lanes[Lane(append)]?.count == 1 ? .ask : .wait
    }

    /// The message that was asked about leaves the line.
    ///
    /// - Returns: it, and the one to ask about next.
    mutating func answered(_ lane: Lane) -> (first: Append, next: Append?)? {
        guard var waiting = self.lanes[lane], !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        self.count -= 1
        self.bytes -= first.content.body.count
        self.lanes[lane] = waiting.isEmpty ? nil : waiting
        return (first, waiting.first)
    }
}

extension BrokerCore {
    /// Hands a message on, or has it wait for a business server.
    func consultAndPass(_ append: Append) {
        let lane = HookLine.Lane(append)
        let isAsked = append.authority == .user && append.screening?.refusal == nil
        guard let hooks = self.hooks, isAsked, hooks.wants("_messageReceived") || !self.hookLine.isEmpty(lane) else {
            return self.pass(append)
        }
        switch self.hookLine.add(append) {
        case .ask: self.ask(append, lane, hooks)
        case .wait: break
        case .busy: self.settle(AppendOutcome(ticket: append.ticket, result: .failed(.busy)))
        }
    }

    private func ask(_ append: Append, _ lane: HookLine.Lane, _ hooks: any HookHandler) {
        let onVerdict = self.onVerdict
        hooks.ask(.message(append, from: self.address(ofSender: append))) { verdict in onVerdict(lane, verdict) }
    }

    func answered(_ lane: HookLine.Lane, _ verdict: HookVerdict) {
        guard let hooks = self.hooks, let (first, next) = self.hookLine.answered(lane) else { return }
        switch verdict {
        case .allowed(let changes): self.pass(first.changed(changes))
        case .rejected(let code, let detail):
            let refusal = PublishRefusal.byHook(code: code, detail: detail)
            self.settle(AppendOutcome(ticket: first.ticket, result: .refused(refusal)))
        }
        if let next { self.ask(next, lane, hooks) }
    }
}

extension Append {
    /// The message as a business server wants it. A resend is known by the body that was sent.
    fileprivate func changed(_ changes: HookChanges) -> Append {
        var append = self
        if let body = changes.content, body != self.content.body {
            append.screening =
                append.screening ?? AppendScreening(refusal: nil, sentBody: self.content.body, flagged: [])
            append.content.body = body
            append.content.flags.insert(.masked)
            append.content.kind = changes.kind ?? append.content.kind
            append.content.flags.remove(.bodyIsJSONObject)
            if Self.isJSONObject(body) { append.content.flags.insert(.bodyIsJSONObject) }
        }
        if let isBinary = changes.isBinary {
            append.content.flags.remove(.binary)
            if isBinary { append.content.flags.insert(.binary) }
        }
        if let receivers = changes.receivers {
            // Fewer than the sender has named, never more.
            let named = self.content.envelope?.visibleTo
            append.content.envelope = (self.content.envelope ?? MessageEnvelope()).visible(
                to: receivers.filter { named?.contains($0) ?? true })
        }
        return append
    }

    /// True when a body may stand inside other JSON texts as it is.
    private static func isJSONObject(_ body: [UInt8]) -> Bool {
        (try? JSONValue(parsing: body))?.object != nil
    }
}
