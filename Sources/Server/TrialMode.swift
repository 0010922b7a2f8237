import Diagnostics
import Store

/// Start of the trial mode, and the end of what it left.
enum TrialMode {
    /// Sentence for the operator while the mode is on.
    static let trouble =
        "the trial mode is on: anybody on this network can act as the people it made; set wukong.trial = false when done"

    /// Says in the log that the mode is on. Where it is off, tokens that it gave end: nobody had proved anything for them.
    static func begin(_ options: ServerOptions, _ store: Store) {
        guard !options.runsTrial else {
            return options.log.warning("trial_mode", ["advice": .text(Self.trouble)])
        }
        do throws(StoreError) {
            let count = try store.writeAndWait { transaction throws(StoreError) in
                try transaction.trial.revokeTokens()
            }
            if count > 0 { options.log.info("trial_mode_ended", ["tokens": .number(Int64(count))]) }
        } catch {
            options.log.warning("trial_tokens_stay", ["reason": .text("\(error)")])
        }
    }
}

extension ServerOptions {
    /// True when requests without a token may be taken.
    var runsTrial: Bool { self.servesWuKong && self.servesWuKongAPI && self.wuKongAPI.trial != nil }
}
