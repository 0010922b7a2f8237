/// Ground that the colours are for.
package enum Theme: String, Sendable, CaseIterable {
    case dark, light

    /// Theme for a terminal that tells its colours.
    ///
    /// - Parameter environment: `COLORFGBG`, numbers of the text and of the ground with `;` between them, as rxvt, konsole
    ///   and others set it: grounds 7 and 9 to 15 are light.
    package init(environment: [String: String]) {
        let ground = environment["COLORFGBG"]?.split(separator: ";").last.flatMap { Int($0) }
        self = ground.map { $0 == 7 || (9...15).contains($0) } ?? false ? .light : .dark
    }
}
