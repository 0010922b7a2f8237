import Accounts
package import Broker
import ChatModel
import Store
import Transport

/// The trial mode: lets WuKongIM's open demo page, which knows no manager's token, use what this mode itself made.
///
/// A request is taken without a token only from loopback or a private address, only when nothing passed it on, and only
/// at a bounded rate. Source of what the page sends: WuKongIM `demo/chatdemo/src/services/APIClient.ts`, `Login.vue`,
/// `Chat.vue`.
package struct TrialSettings: Sendable {
    /// People that the mode makes (`wukong.trial_people`).
    package var maximumPeople = 50
    /// Channels that the mode makes (`wukong.trial_channels`).
    package var maximumChannels = 50
    /// Requests without a token from one address (IPv6: one /64 network), loopback too.
    package var perAddress = RateLimit(perSecond: 10, burst: 100)

    package init() {}

    /// True for peers of this part of the network, unless somebody else passed their request on.
    static func takesPeers(of scope: PeerAddress.Scope, isPassedOn: Bool) -> Bool {
        switch scope {
        case .loopback, .privateNetwork: !isPassedOn
        case .publicNetwork: false
        }
    }
}

/// Service of a route in the trial mode.
package enum TrialUse: Sendable {
    /// The route's own handler, for the person of the trial whose uid stands in the request.
    case person
    /// A handler that itself looks at what is the trial's.
    case handler(APIHandler)
}

extension APIContext {
    /// Header fields by which proxies say that they pass a request on. Source: RFC 7239; RFC 9110 section 7.6.3; the
    /// fields that nginx, Apache and content networks set.
    private static let forwardingFields: [StaticString] = [
        "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server",
        "x-real-ip",
        "x-client-ip", "cf-connecting-ip", "true-client-ip",
    ]

    /// True for a request that the trial mode serves without a token.
    ///
    /// - Throws: 401 for one that shows no token and cannot be of the trial, 429 for too many of them.
    func isTrial(_ request: HTTPRequest) throws(APIFailure) -> Bool {
        guard let rate = self.trialRate, Self.token(of: request) == nil else { return false }
        let isPassedOn = request.isFromProxy || Self.forwardingFields.contains { request.headers[$0] != nil }
        guard TrialSettings.takesPeers(of: request.peer.scope, isPassedOn: isPassedOn) else {
            throw APIFailure(
                401,
                """
                the header field token is missing: the trial mode is for loopback and private addresses, without a \
                proxy
                """)
        }
        guard rate.takeToken(request.peer.throttleKey, at: self.services.clock.now()) else {
            throw APIFailure(429, "too many requests without a token come from this address", retryAfterSeconds: 1)
        }
        return true
    }

    /// Finds a person of the trial; calls back once, on any thread, with 403 for everybody else.
    func findTrialPerson(
        _ name: UserName, for asker: ReadAsker, then: @escaping @Sendable (Result<Identity, APIFailure>) -> Void
    ) {
        self.services.store.read(for: asker) { transaction throws(StoreError) in
            try transaction.trial.person(named: name)
        } then: { result in
            switch result {
            case .failure(let error): then(.failure(APIFailure(error)))
            case .success(let person?) where !person.isDisabled:
                then(
                    .success(
                        Identity(
                            user: person.id, name: name, role: person.role, deviceClass: .web, level: .secondary,
                            epoch: 0)))
            case .success:
                then(.failure(APIFailure(403, "\(name) is not of the trial mode: show a token of theirs")))
            }
        }
    }
}
