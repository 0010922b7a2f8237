/// What the clients of an app have to prove. An operator may change it while the server runs.
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

    package var signIn = SignIn.signature
    /// Whether creating conversations, and changing who is in them, needs a signature.
    package var signsConversations = true
    /// Whether reading the history over HTTP needs a signature.
    package var signsHistory = true
    /// Whether somebody who signs in and is not known is added.
    package var createsUsers = true
    /// Whether anybody may sign up who has the key of the app's clients.
    package var registrationIsOpen = false
    /// How far the time in a signature may be from the server's, before or after. Source: LeanCloud realtime guide,
    /// signatures are valid for 6 hours.
    package var signatureWindowSeconds: Int64 = 21_600
    /// Whether each signature is good for one use. Source: LeanCloud realtime guide, which names only the time and a kick as
    /// what ends a signature: apps may keep one and show it again.
    package var signaturesAreForOneUse = false
    /// How long a session token is good for. LeanCloud's are good for about two days.
    package var sessionTokenSeconds: Int64 = 172_800

    package init() {}
}
