/// WuKongIM's HTTP API: one row per path. Source: WuKongIM v2.2.5, its server API.
package enum WuKongRows {
    package static let all: [Route] = Self.users + Self.routes + Self.operations

    private static let users: [Route] = [
        Route("POST", "/user/token", .manager, Users.registerToken),
        Route("POST", "/user/device_quit", .manager, Users.quitDevice),
        Route("POST", "/user/onlinestatus", .manager, Users.onlineStatus),
    ]

    private static let routes: [Route] = [
        Route("GET", "/route", .anyone, Addresses.find),
        Route("POST", "/route/batch", .anyone, Addresses.findBatch),
    ]

    private static let operations: [Route] = [
        Route("GET", "/health", .anyone, Operations.health)
    ]
}
