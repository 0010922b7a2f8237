package import Diagnostics
package import Execution

/// How people sign in.
package struct AccountsOptions: Sendable {
    /// Rules for passwords and the cost of their hashes.
    package var passwords = PasswordPolicy()
    /// Tokens without TLS are taken from private networks: SDKs on a local network speak plainly. From loopback they
    /// always are, from public addresses never.
    package var takesPlainTokens = true
    /// Passwords without TLS are taken from private networks too, where whoever listens reads them. From loopback they
    /// always are, from public addresses never.
    package var takesPlainPasswords = false
    /// Token sign-ins that may wait for the store; one more is refused as busy.
    package var queuedTokenSignIns = 16_384
    /// Proofs that clients of LeanCloud's protocols owe, at the start.
    package var app = AppPolicy()
    /// Journal of sign-ins; `nil` for none.
    package var journal: SignInJournal?
    /// Clock for expiry and for slowing down guesses.
    package var clock = Clock.system
    /// Log of sign-ins.
    package var log = Log.silent

    package init() {}
}
