package import ChatModel
import Store

/// Looks at a message before it goes to the store.
package protocol MessageScreening: Sendable {
    /// Called on the broker's thread, for every message and edit: short, and in time that grows with the text alone.
    ///
    /// - Returns: `nil` when the message may go on as it is.
    func screen(_ content: MessageContent, from authority: Authority) -> Screening?
}

/// Result of screening.
package struct Screening: Sendable {
    /// Why the message is not taken.
    package var refusal: PublishRefusal?
    /// The message as it goes on. A changed body comes with the flag `masked`.
    package var content: MessageContent
    /// Watched words that it has.
    package var flagged: [String]

    package init(refusal: PublishRefusal? = nil, content: MessageContent, flagged: [String] = []) {
        self.refusal = refusal
        self.content = content
        self.flagged = flagged
    }
}

/// Screenings, one after the other. Each looks at what the one before has made of the message; the first refusal ends it.
struct ScreeningChain {
    /// Most screenings.
    static let maximumLength = 8

    private let screenings: [any MessageScreening]

    /// `nil` when there is nothing to ask.
    init?(_ screenings: [any MessageScreening]) {
        precondition(screenings.count <= Self.maximumLength, "too many screenings")
        guard !screenings.isEmpty else { return nil }
        self.screenings = screenings
    }

    func screen(_ content: MessageContent, from authority: Authority) -> Screening? {
        var result: Screening?
        for screening in self.screenings {
            guard let found = screening.screen(result?.content ?? content, from: authority) else { continue }
            result = Screening(
                refusal: found.refusal, content: found.content, flagged: (result?.flagged ?? []) + found.flagged)
            if found.refusal != nil { break }
        }
        return result
    }
}

extension ScreeningChain {
    /// The message as it goes to the writer, with what was found.
    func screened(_ append: Append) -> Append {
        guard let found = self.screen(append.content, from: append.authority) else { return append }
        var append = append
        append.screening = AppendScreening(
            refusal: found.refusal, sentBody: append.content.body, flagged: found.flagged)
        append.content = found.content
        return append
    }
}

extension Broker {
    /// Sets the checks of messages, in this order; at most eight. Messages that are published after the call meet them.
    package func setScreenings(_ screenings: [any MessageScreening]) {
        self.ask { core in core.screening = ScreeningChain(screenings) }
    }

    /// Screens a text that is no new message: an edit.
    ///
    /// - Parameter then: gets `nil` when the text may go on as it is.
    package func screen(
        _ content: MessageContent, from authority: Authority, then: @escaping @Sendable (Screening?) -> Void
    ) {
        self.ask { core in then(core.screening?.screen(content, from: authority)) }
    }
}
