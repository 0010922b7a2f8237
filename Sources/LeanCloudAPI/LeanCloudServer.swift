package import APIKit
package import Accounts
package import Execution
package import Transfers

/// The HTTP API of LeanCloud under `/1.1` and `/1.2`: what its SDKs call by themselves, and what an app's own server
/// calls. Each area has its table of routes. Source: LeanCloud realtime REST guide v1 and v2, its REST guide, and its
/// SDKs.
package struct LeanCloudServer: Sendable {
    let app: AppAuthenticator
    let transfers: Transfers
    let functions: AppFunctions
    let clock: Clock

    /// - Parameters:
    ///   - app: judges the keys that requests show.
    ///   - transfers: takes what clients upload.
    ///   - functions: the way to the app's own.
    ///   - clock: what `/1.1/date` says, and what signed requests are held to.
    package init(app: AppAuthenticator, transfers: Transfers, functions: AppFunctions, clock: Clock) {
        self.app = app
        self.transfers = transfers
        self.functions = functions
        self.clock = clock
    }

    /// Group of routes of LeanCloud's HTTP API.
    package var group: RouteGroup {
        RouteGroup(
            Router(self.routes, notServed: Self.notServed),
            callerCheck: self.callerCheck, wordFailure: { .leanCloud($0) })
    }

    private var routes: [Route] {
        let served =
            ClockRoutes(clock: self.clock).routes + Self.realtime
            + PeopleRoutes(app: self.app).routes + InstallationRoutes.routes
            + FilesRoutes(transfers: self.transfers).routes + FunctionRoutes(functions: self.functions).routes
        return served + BatchRoutes(router: Router(served)).routes
    }

    private static let realtime: [Route] =
        ConversationRoutes.routes + ScanRoutes.routes + MemberRoutes.routes + RoleRoutes.routes + HistoryRoutes.routes
        + MessageRoutes.routes + RoomRoutes.routes + ClientRoutes.routes

    /// All that is not known below these is answered here, in the words of this API.
    private static let notServed: [NotServed] = [
        NotServed("/1.2/rtm/broadcasts/", Self.broadcasts), NotServed("/1.1/rtm/broadcasts/", Self.broadcasts),
        NotServed("/1.1/", "see docs/protocols/leancloud.md for what is"),
        NotServed("/1.2/", "see docs/protocols/leancloud.md for what is"),
    ]

    private static let broadcasts = "of what was sent to everybody nothing is kept"

    private var callerCheck: CallerCheck {
        let (app, clock) = (self.app, self.clock)
        return CallerCheck(
            headers: [CrossOrigin.anybody], preflight: CrossOrigin.preflight, unfold: FoldedRequest.unfold
        ) { request, access, mayShowSecrets throws(APIFailure) in
            try AppCaller.prove(
                request, access, keys: app.keys, mayShowSecrets: mayShowSecrets, now: clock.wallMilliseconds())
        }
    }
}
