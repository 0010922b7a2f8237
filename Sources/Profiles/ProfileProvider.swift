package import ChatModel

/// Profile from another user system. A field that it leaves out is `nil`, and the local value stays.
package struct FetchedProfile: Hashable, Sendable {
    /// Name of the person, unique on the server.
    package var name: UserName
    /// Id in the other user system.
    package var externalID: String?
    /// Name to show.
    package var displayName: String?
    /// Picture of the person.
    package var picture: Picture
    /// The text of a JSON object.
    package var attributes: [UInt8]?
    /// How long it may be believed; `nil` leaves that to us.
    package var ttlMilliseconds: Int64?

    package init(
        name: UserName, externalID: String? = nil, displayName: String? = nil, picture: Picture = Picture(),
        attributes: [UInt8]? = nil, ttlMilliseconds: Int64? = nil
    ) {
        self.name = name
        self.externalID = externalID
        self.displayName = displayName
        self.picture = picture
        self.attributes = attributes
        self.ttlMilliseconds = ttlMilliseconds
    }
}

/// Why another user system gave no answer.
package enum ProfileProviderError: Error, Hashable, Sendable {
    /// The request failed, and why.
    case unreachable(String)
    /// It answered with a status other than 200.
    case refused(status: Int)
    /// Answer that is no list of people, with the reason.
    case badAnswer(String)
    /// It failed too often and is left alone for a while; nothing was sent.
    case paused
    /// Too many requests are under way; nothing was sent.
    case busy
}

extension ProfileProviderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .refused(let status): "the user system answered with status \(status): its log says why"
        case .badAnswer(let reason): "the user system's answer cannot be used: \(reason)"
        case .paused: "the user system failed several times and is asked again in a while"
        case .busy: "too many questions to the user system are under way"
        }
    }
}

/// How another user system is doing.
package enum ProfileProviderState: String, Hashable, Sendable {
    case working
    /// Failed too often: left alone until the pause is over.
    case paused
    /// The pause is over and one request finds out whether it works again.
    case trying
}

/// Another user system that knows who people are. Any thread.
package protocol ProfileProvider: Sendable {
    /// For the operator.
    var name: String { get }
    var state: ProfileProviderState { get }
    /// Asks for people, at most as many as a batch has. `then` runs once, on any thread, also before this returns, and
    /// must be short. Who is not in the answer is unknown there.
    func fetch(
        _ names: [UserName], then: @escaping @Sendable (Result<[FetchedProfile], ProfileProviderError>) -> Void)
}
