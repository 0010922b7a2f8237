/// Bounds of invitations.
package enum InvitationBounds {
    /// Hours for which an invitation may be good.
    package static let hours: ClosedRange<Int64> = 1...720
    /// Hours, where nobody says.
    package static let usualHours: Int64 = 72
    /// Invitations that are open at once, of all people.
    package static let open = 1_000
    /// Days for which one is kept after its end.
    package static let keptDays: Int64 = 30
}
