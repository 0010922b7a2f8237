/// Policy for the proofs that an app's clients owe. An operator may change it while the server runs.
package struct AppPolicy: Hashable, Sendable {
    /// How clients that speak LeanCloud's protocols sign in.
    package enum SignIn: String, Hashable, Sendable, CaseIterable {
        /// Everybody is believed to be who they say: for demonstrations and closed networks.
        case open
        /// The app's own server signs for its people.
        case signature
        /// A device token that the server issued travels where the signature would.
        case token
    }

    /// Proof that signing in needs.
    package var signIn = SignIn.signature
    /// True when creating a conversation, or changing its members, needs a signature.
    package var signsConversations = true
    /// True when reading the history over HTTP needs a signature.
    package var signsHistory = true
    /// True when an unknown person who signs in is added.
    package var createsUsers = true
    /// True when anybody who has the key of the app's clients may sign up.
    package var registrationIsOpen = false
    /// How far the time in a signature may be from the server's, before or after. Source: LeanCloud realtime guide,
    /// signatures are valid for 6 hours.
    package var signatureWindowSeconds: Int64 = 21_600
    /// True when each signature is good for one use. Source: LeanCloud realtime guide, which names only the time and a
    /// kick as the end of a signature: apps may keep one and show it again.
    package var signaturesAreForOneUse = false
    /// How long a session token is good for. LeanCloud's are good for about two days.
    package var sessionTokenSeconds: Int64 = 172_800

    package init() {}
}
