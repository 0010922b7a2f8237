import ChatModel
import Configuration
import Diagnostics
import Execution
import HTTPClient
package import Profiles
import Store
import Transport

/// Settings of profiles, and of another user system that has them too.
package struct ProfileSettings: Sendable {
    /// Options of the profile service.
    package var service = ProfileOptions()
    /// `nil`: only this server knows.
    package var remote: HTTPProfileOptions?
    /// Signs the news of another user system; `nil`: none are taken.
    package var secret: [UInt8]?

    package init() {}
}

/// Another user system whose client is made when it is known where this server listens: nothing is posted to itself.
/// Until then it fails, and is asked again.
final class LateProfileProvider: ProfileProvider {
    private let options: HTTPProfileOptions
    private let made = Lock<(client: HTTPClient, provider: HTTPProfileProvider)?>(nil)

    init(_ options: HTTPProfileOptions) { self.options = options }

    var name: String { self.options.address.description }

    var state: ProfileProviderState { self.made.withLock { $0?.provider }?.state ?? .trying }

    func fetch(
        _ names: [UserName], then: @escaping @Sendable (Result<[FetchedProfile], ProfileProviderError>) -> Void
    ) {
        guard let provider = self.made.withLock({ $0?.provider }) else { return then(.failure(.busy)) }
        provider.fetch(names, then: then)
    }

    /// - Throws: for a file of authorities that cannot be used.
    func open(_ outgoing: HTTPClientOptions, listening: [BoundAddress]) throws(ServerError) {
        var outgoing = outgoing
        outgoing.rule = AddressRule(listening: listening)
        do throws(HTTPClientError) {
            let client = try HTTPClient(outgoing)
            self.made.withLock { $0 = (client, HTTPProfileProvider(client, self.options)) }
        } catch {
            throw .outgoing(error)
        }
    }

    /// After the service; once only.
    func stop() { self.made.withLock { $0?.client }?.stop() }
}

extension ServerOptions {
    /// - Throws: `ConfigurationError` for an address, fields or a secret that are none.
    mutating func applyProfiles(_ settings: Settings) throws(ConfigurationError) {
        self.profiles.service.cacheEntries = Int(settings[Keys.profilesCacheEntries])
        self.profiles.service.cacheBytes = Int(settings[Keys.profilesCacheBytes])
        self.profiles.service.ttlMilliseconds = settings[Keys.profilesTTLSeconds] * 1_000
        self.profiles.service.negativeTTLMilliseconds = settings[Keys.profilesNegativeTTLSeconds] * 1_000
        self.profiles.service.batch = Int(settings[Keys.profilesBatch])
        self.profiles.service.visibility = ProfileVisibility(rawValue: settings[Keys.profilesVisibleTo]) ?? .everybody
        self.profiles.secret = try Self.secret(settings, Keys.profilesSecretFile)
        guard let address = try Self.address(settings, Keys.profilesURL) else { return }
        guard let fields = ProfileFieldNames(settings[Keys.profilesFields]) else {
            throw ConfigurationError(
                origin: settings.origin(of: Keys.profilesFields.definition),
                problem: "each field is OURS=THEIRS, such as display_name=nick")
        }
        var remote = HTTPProfileOptions(address: address)
        remote.fields = fields
        remote.secret = self.profiles.secret
        remote.timeoutMilliseconds = settings[Keys.profilesTimeoutMilliseconds]
        remote.clock = self.clock
        self.profiles.remote = remote
    }
}
