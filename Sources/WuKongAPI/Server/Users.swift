import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Tokens and presence of people.
enum Users {
    /// Most uids of one question.
    private static let maximumUIDs = 10_000

    // MARK: Tokens

    /// Gives a device class of a person this token in place of older ones. With level 1 the sessions of that class end,
    /// as they do when they have lost their token.
    @Sendable static func registerToken(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        try Self.registerToken(request, services, trial: nil, reply)
    }

    /// - Parameter trial: for who asks without a token.
    static func registerToken(
        _ request: APIRequest, _ services: APIServices, trial: TrialSettings?, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        let token = try fields.text("token")
        guard let deviceClass = Translation.deviceClass(Int(clamping: try fields.integer("device_flag"))) else {
            throw .bad("device_flag must be 0 (app), 1 (web) or 2 (desktop)")
        }
        guard let level = Translation.deviceLevel(Int(clamping: try fields.integer("device_level"))) else {
            throw .bad("device_level must be 0 or 1")
        }
        let broker = services.broker
        services.accounts.registerToken(
            token, for: name, class: deviceClass, level: level, trialPeople: trial?.maximumPeople
        ) { result in
            switch result {
            case .success(let sessions):
                if sessions.revokedTokens > 0 || level == .primary {
                    broker.end(allOf: sessions.user, deviceClass: deviceClass, reason: .signedOut)
                }
                reply(.ok)
            case .failure(let error): reply(.failure(APIFailure(error)))
            }
        }
    }

    /// Ends the tokens and sessions of a person's devices of one class, or with -1 of all.
    @Sendable static func quitDevice(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        let flag = try fields.integer("device_flag")
        let deviceClass = flag == -1 ? nil : Translation.deviceClass(Int(clamping: flag))
        guard flag == -1 || deviceClass != nil else { throw .bad("device_flag must be 0, 1, 2, or -1 for all") }
        let broker = services.broker
        services.accounts.revokeTokens(of: name, class: deviceClass) { result in
            switch result {
            case .success(let sessions):
                broker.end(allOf: sessions.user, deviceClass: deviceClass, reason: .signedOut)
                reply(.ok)
            case .failure(let error): reply(.failure(APIFailure(error)))
            }
        }
    }

    // MARK: Presence

    /// Presence of these people, one entry per device class; people who are offline are left out.
    @Sendable static func onlineStatus(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        guard let elements = request.body.array, elements.count <= Self.maximumUIDs else {
            throw .bad("expected an array of at most \(Self.maximumUIDs) uids as the body")
        }
        var names: Set<UserName> = []
        for element in elements {
            guard let name = element.string.flatMap({ UserName($0) }) else { throw .bad("\(element) is no uid") }
            names.insert(name)
        }
        let asked = names
        services.broker.presence(of: asked) { present in
            let entries = present.compactMap { entry -> JSONValue? in
                guard let flag = Translation.deviceFlag(entry.deviceClass) else { return nil }
                return .object([
                    JSONValue.Member("uid", .string(entry.name.text)),
                    JSONValue.Member("device_flag", .integer(Int64(flag))),
                    JSONValue.Member("online", .integer(1)),
                ])
            }
            reply(.json(.array(entries)))
        }
    }
}

extension APIFields {
    /// A uid that somebody may have.
    func uid(_ name: String) throws(APIFailure) -> UserName {
        guard let uid = Translation.userName(try self.text(name)) else {
            throw .bad("\(name) is no uid: 1 to 64 characters without @, # and &")
        }
        return uid
    }

    /// Uids of an array, each once, in order.
    func uids(_ name: String, most limit: Int) throws(APIFailure) -> [UserName] {
        var seen: Set<UserName> = []
        var names: [UserName] = []
        for text in try self.texts(name, most: limit) {
            guard let uid = Translation.userName(text) else {
                throw .bad("\(name) has a uid that is none: 1 to 64 characters without @, # and &")
            }
            if seen.insert(uid).inserted { names.append(uid) }
        }
        return names
    }
}

extension APIFailure {
    init(_ error: AccountsError) {
        switch error {
        case .store(let error): self.init(error)
        case .noSuchUser: self.init(404, "\(error)")
        case .userExists: self.init(409, "\(error)")
        case .busy: self.init(503, "\(error)", retryAfterSeconds: 1)
        case .password, .badToken, .systemUser: self.init(400, "\(error)")
        case .setup, .invitation: self.init(403, "\(error)")
        }
    }
}
