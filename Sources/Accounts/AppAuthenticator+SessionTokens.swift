package import ChatModel
import Execution
import Store

/// A session token for a client, and for how long it is told to be good.
package struct IssuedSessionToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// At most 512 characters of base64url.
    package let text: String
    /// Seconds that a new session token lasts.
    package let lifetimeSeconds: Int64

    package var description: String { "(a session token)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Verdict on a session token.
package enum SessionTokenFinding: Hashable, Sendable {
    case valid(SessionClaims)
    /// It was right: its time is over, it was taken back, or it is of a time when everybody was believed.
    case expired
    /// This server never gave it out, or gave it to somebody else.
    case wrong
}

extension AppAuthenticator {
    /// A token with which the session of a client goes on after its connection broke, and asks over HTTP.
    ///
    /// - Parameter identity: who signed in, as the authenticator said.
    /// - Returns: `nil` when something was taken from the account since then, and before `open`: the session has to
    ///   end.
    package func issueSessionToken(_ claims: SessionClaims, of identity: Identity) -> IssuedSessionToken? {
        let now = self.now
        let found: (key: [UInt8], revocation: Int64, policy: AppPolicy)? = self.state.withLock { state in
            // Inside the lock, as `revoke` is: a token that knows of the newest revocation belongs to who signed in
            // after.
            guard let key = state.tokenKey, claims.user == identity.user,
                self.changes.isUnchanged(identity.user, since: identity.epoch)
            else { return nil }
            return (key, state.revocations[claims.user] ?? 0, state.policy)
        }
        guard let found else { return nil }
        var claims = claims
        claims.issuedAtMilliseconds = now
        claims.lifetimeSeconds = found.policy.sessionTokenSeconds
        let token = SessionToken(
            claims: claims, revocation: found.revocation, isFromOpenSignIn: found.policy.signIn == .open)
        return IssuedSessionToken(text: token.text(key: found.key), lifetimeSeconds: claims.lifetimeSeconds)
    }

    /// Reads a session token that somebody shows.
    ///
    /// - Parameter client: who shows it; `nil` where they need not say.
    package func readSessionToken(_ text: String, for client: UserName?) -> SessionTokenFinding {
        guard let key = self.state.withLock({ $0.tokenKey }), let token = SessionToken(text, key: key) else {
            return .wrong
        }
        guard client == nil || client == token.claims.name else { return .wrong }
        guard token.claims.expiresAtMilliseconds > self.now else { return .expired }
        return self.state.withLock { state in
            guard token.revocation == state.revocations[token.claims.user] ?? 0,
                !token.isFromOpenSignIn || state.policy.signIn == .open
            else { return .expired }
            return .valid(token.claims)
        }
    }

    /// Holds to what the store says of somebody's session tokens, and no longer to sign-ins that were being checked
    /// meanwhile. After the commit, and before the sessions are ended.
    func revoked(_ user: UserID, count: Int64) {
        self.state.withLock { state in
            state.revocations[user] = max(count, state.revocations[user] ?? 0)
            state.revokedBehind[user] = state.used.uses
            self.changes.changed(user)
        }
    }
}
