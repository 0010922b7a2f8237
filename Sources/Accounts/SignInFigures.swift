package import Diagnostics

/// Sign-ins since the start. Any thread.
package final class SignInFigures: Sendable {
    package let signedIn = Counter()
    package let wrongCredentials = Counter()
    package let expired = Counter()
    package let disabled = Counter()
    package let throttled = Counter()
    package let plainNotAllowed = Counter()
    package let busy = Counter()
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
