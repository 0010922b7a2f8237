package import Diagnostics
package import Execution

/// How people sign in.
package struct AccountsOptions: Sendable {
    package var passwords = PasswordPolicy()
    /// Tokens without TLS are taken from private networks: SDKs on a local network speak plainly. From loopback they
    /// always are, from public addresses never.
    package var takesPlainTokens = true
    /// Passwords without TLS are taken from private networks too, where whoever listens reads them. From loopback they
    /// always are, from public addresses never.
    package var takesPlainPasswords = false
    /// Token sign-ins that may wait for the store; one more is refused as busy.
    package var queuedTokenSignIns = 16_384
    /// What clients that speak LeanCloud's protocols have to prove, at the start.
    package var app = AppPolicy()
    package var clock = Clock.system
    package var log = Log.silent

    package init() {}
}
