package import Diagnostics

/// Sign-ins since the start. Any thread.
package final class SignInMetrics: Sendable {
    /// Sign-ins that succeeded.
    package let signedIn = Counter()
    /// Sign-ins with wrong credentials.
    package let wrongCredentials = Counter()
    /// Sign-ins with expired credentials.
    package let expired = Counter()
    /// Sign-ins of disabled accounts.
    package let disabled = Counter()
    /// Sign-ins refused after too many failures.
    package let throttled = Counter()
    /// Sign-ins refused because secrets may not cross the connection unencrypted.
    package let plainNotAllowed = Counter()
    /// Sign-ins refused because too many wait for a password check.
    package let busy = Counter()
    /// Sign-ins refused because the store did not answer.
    package let unavailable = Counter()

    func count(_ refusal: SignInRefusal) {
        switch refusal {
        case .wrongCredentials: self.wrongCredentials.add()
        case .expired: self.expired.add()
        case .disabled: self.disabled.add()
        case .throttled: self.throttled.add()
        case .plainNotAllowed: self.plainNotAllowed.add()
        case .busy: self.busy.add()
        case .unavailable: self.unavailable.add()
        }
    }
}
