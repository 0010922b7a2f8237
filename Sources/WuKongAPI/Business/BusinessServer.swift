package import APIKit
package import Accounts
package import ChatModel

/// Settings of the API for apps, from the configuration.
package struct BusinessSettings: Sendable {
    /// True when everybody may make an account.
    package var registrationIsOpen = false
    /// How long somebody's coming or going has to hold before their friends are told of it.
    package var presenceSettleMilliseconds: Int64 = 1_000
    /// The rules that the store enforces now, to tell apps.
    package var rules: @Sendable () -> MessageRules = { MessageRules() }

    package init() {}
}

/// The HTTP API that WuKongIM's apps expect of a business server, under `/v1`: the paths and fields that the open apps
/// use. Each area has its table of routes. Source: TangSengDaoDao server and apps.
package struct BusinessServer: Sendable {
    private let settings: BusinessSettings

    package init(_ settings: BusinessSettings = BusinessSettings()) { self.settings = settings }

    /// Routes of the API for apps.
    package var routes: [Route] {
        SignInRoutes(settings: self.settings).routes + CommonRoutes(settings: self.settings).routes
            + ConversationRoutes.routes + HistoryRoutes.routes + SearchRoutes.routes
            + MessageChangeRoutes.routes + ReceiptRoutes.routes
            + ReactionRoutes.routes + PinRoutes.routes + ReminderRoutes.routes + ChannelRoutes.routes
            + GroupRoutes.routes
            + GroupMemberRoutes.routes + PeopleRoutes.routes + FriendRoutes.routes + FileRoutes.routes
    }

    /// How a token alone finds its person.
    package static func sessions(of accounts: Accounts) -> SessionLookup {
        { holder, then in accounts.authenticator.findPerson(holder, then: then) }
    }

    /// Routes of the open server that this one does not serve.
    package static let notServed: [NotServed] = [
        NotServed("/v1/file/", "files go up and down by the addresses of /v1/file/upload and /v1/file/preview"),
        NotServed("/v1/user/device_token", Self.push),
        NotServed("/v1/user/device_badge", Self.push),
        NotServed("/v1/user/sms/", Self.phones),
        NotServed("/v1/user/qrcode", Self.codes),
        NotServed("/v1/qrcode/", Self.codes),
        NotServed("/v1/user/loginuuid", Self.codes),
        NotServed("/v1/robot/inline_query", "there are no robots here"),
        NotServed("/v1/message/send", "messages are sent over the connection"),
        NotServed("/v1/group/invite/", "a manager adds people: there are no pages to confirm invitations on"),
        NotServed("/v1/report/", "there is nobody to report to but the operator"),
        NotServed("/v1/moment", "there are no moments here"),
        NotServed("/v1/manager/", "operators use teahouse ctl on the server"),
        NotServed("/v1/", "see docs/protocols/wukongim-business.md for what is"),
    ]

    private static let push = "nothing is pushed through others on a local network: apps hear while they are connected"
    private static let phones = "accounts have names and no telephone numbers"
    private static let codes = "there is no signing in or joining by code"
}
