/// Requests about the app whose clients speak LeanCloud's protocols.
package enum AdminAppRequest: AdminDefinitions {
    /// Shows the app without its keys.
    case show
    /// Shows the keys in full; the audit log keeps that they were read.
    case keys
    case rotate(AdminAppRotation)
    case set(AdminAppPatch)
    /// Makes the signature that the app's own server would make; the audit log keeps the operation that was signed.
    case sign(AdminAppSigning)

    static let all: [Self] = [.show, .keys, .rotate(.sample), .set(.sample), .sign(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .show:
            fields.look("app.show", role: .observer)
            fields.ctl("app show", examples: [""])
            return self
        case .keys:
            fields.look("app.keys", isAudited: true)
            fields.ctl("app keys", examples: ["", "--why 'setting up the signing server'"])
            return self
        case .rotate(let rotation):
            fields.change("app.rotate", .app(rotation.key.word), audited: .app(.rotate(rotation.withoutValue)))
            fields.line(
                ctl(
                    "app rotate", .word(rotation.key.word), .option("overlap", rotation.overlapSeconds),
                    .flag("key-stdin", rotation.value != nil)))
            return try .rotate(fields.inline(rotation))
        case .set(let patch):
            fields.change("app.set", .app(nil))
            fields.asks("console.app.edit", patch.signIn == "open" ? ["console.app.openConsequence"] : [], of: [])
            fields.line(patch.command)
            return try .set(fields.inline(patch))
        // A signature lets somebody in, as a token does.
        case .sign(let signing):
            fields.change("app.sign", .text(signing.client.nonEmpty))
            fields.ctl(
                "app sign",
                examples: [
                    "open --client tom", "start --client tom --members bob,jerry",
                    "invite --client tom --conversation 551260efe4b01608686c3e0f --members harry",
                    "open --client tom --timestamp 1794873600000 --nonce a1b2c3", "rest-master",
                ])
            return try .sign(fields.inline(signing))
        }
    }
}

/// Answers about the app.
package enum AdminAppAnswer: AdminFamily {
    /// State after the request.
    case app(AdminApp)
    case keys(AdminAppKeys)
    case signed(AdminAppSigned)

    static let all: [Self] = [.app(.sample), .keys(.sample), .signed(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .app(let app): try .app(fields.named("app").inline(app))
        case .keys(let keys): try .keys(fields.named("app.keys").inline(keys))
        case .signed(let signed): try .signed(fields.named("app.signed").inline(signed))
        }
    }
}

/// Replaces a key.
package struct AdminAppRotation: AdminRecord {
    /// Key of the app.
    package enum Key: String, AdminWord, AdminText {
        /// Key that every client has.
        case appKey = "app-key"
        /// Key that only the app's own server has.
        case masterKey = "master-key"
    }

    /// Key to replace.
    package var key: Key
    /// New key; `nil` for a random one.
    package var value: String?
    /// Time during which the old key is accepted too, seconds.
    package var overlapSeconds: Int64

    package init(key: Key, value: String? = nil, overlapSeconds: Int64) {
        self.key = key
        self.value = value
        self.overlapSeconds = overlapSeconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.key = try fields("key", \.key)
        self.value = try fields("value", \.value)
        self.overlapSeconds = try fields("overlap", \.overlapSeconds)
    }
}

/// Changes what clients have to prove; `nil` leaves a thing as it is.
package struct AdminAppPatch: AdminRecord {
    /// `signature`, `token` or `open`.
    package var signIn: String?
    /// True to require a signature when a client creates a conversation or changes its members.
    package var signsConversations: Bool?
    /// True to require a signature when a client reads the history over HTTP.
    package var signsHistory: Bool?
    /// True to create a user at the first sign-in under an unknown name.
    package var createsUsers: Bool?

    package init() {}

    /// The settings of the server's file that it changes, as operators write them.
    package var settings: [(name: String, value: String)] {
        let word: (Bool) -> String = { $0 ? "on" : "off" }
        let all = [
            ("leancloud.sign_in", self.signIn),
            ("leancloud.conversation_signatures", self.signsConversations.map(word)),
            ("leancloud.history_signatures", self.signsHistory.map(word)),
            ("leancloud.creates_users", self.createsUsers.map(word)),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.signIn = try fields("signIn", \.signIn)
        self.signsConversations = try fields("conversations", \.signsConversations)
        self.signsHistory = try fields("history", \.signsHistory)
        self.createsUsers = try fields("createsUsers", \.createsUsers)
    }
}

/// Input of a signature, as the app's own server would make it.
package struct AdminAppSigning: AdminRecord {
    /// Operation that a signature is for.
    package enum Action: String, AdminWord, AdminText {
        case open
        case start
        case invite
        case kick
        case block
        case unblock
        case history
        /// The header of HTTP requests, under the app key.
        case rest
        /// The same under the master key.
        case restMaster = "rest-master"

        /// Accepts the words of older guides and SDKs too: `join` and `add` for `invite`, `remove` for `kick`.
        package init?(typed word: String) {
            switch word {
            case "join", "add": self = .invite
            case "remove": self = .kick
            default: self.init(rawValue: word)
            }
        }
    }

    /// Operation to sign.
    package var action: Action
    /// Client ID that the signature is for; empty for the header of HTTP requests.
    package var client: String
    /// Client IDs that the operation names, at most `maximumMembers`.
    package var members: [String]
    /// ID of the conversation; `nil` where the operation has none.
    package var conversation: String?
    /// Seconds or milliseconds since 1970; `nil` for now.
    package var timestamp: Int64?
    /// Nonce; `nil` for a random one.
    package var nonce: String?

    /// Maximum number of members in one signature.
    package static let maximumMembers = 1_000

    package init(
        _ action: Action, client: String = "", members: [String] = [], conversation: String? = nil,
        timestamp: Int64? = nil, nonce: String? = nil
    ) {
        self.action = action
        self.client = client
        self.members = members
        self.conversation = conversation
        self.timestamp = timestamp
        self.nonce = nonce
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.action = try fields(
            "action", \.action, .argument("ACTION", "argument.appAction", refusal: "ctl.app.badAction"))
        self.client = try fields("client", \.client, .option("client", "NAME", "option.appClient"))
        self.members = try fields("members", \.members, .list("members", "NAMES", "option.appMembers"))
        self.conversation = try fields(
            "conversation", \.conversation, .option("conversation", "ID", "option.appConversation"))
        self.timestamp = try fields(
            "timestamp", \.timestamp, .number("timestamp", 0...Int64.max, "option.appTimestamp"))
        self.nonce = try fields("nonce", \.nonce, .option("nonce", "TEXT", "option.appNonce"))
        let count = self.members.count
        try fields.check(count <= Self.maximumMembers, "members")
    }
}

/// The app without its secrets: safe to show while somebody else looks at the screen.
package struct AdminApp: AdminRecord {
    /// ID of the app.
    package var appID: String
    /// First characters of the app key.
    package var appKeyHint: String
    /// First characters of the master key.
    package var masterKeyHint: String
    /// Time until which the previous app key is accepted too, UTC milliseconds; `nil` when it is not.
    package var previousAppKeyUntilMilliseconds: Int64?
    /// Time until which the previous master key is accepted too, UTC milliseconds; `nil` when it is not.
    package var previousMasterKeyUntilMilliseconds: Int64?
    /// `signature`, `token` or `open`.
    package var signIn: String
    /// True when creating a conversation or changing its members needs a signature.
    package var signsConversations: Bool
    /// True when reading the history over HTTP needs a signature.
    package var signsHistory: Bool
    /// True when the first sign-in under an unknown name creates a user.
    package var createsUsers: Bool
    /// Maximum age of a signature, seconds.
    package var signatureWindowSeconds: Int64
    /// Life of a session token, seconds.
    package var sessionTokenSeconds: Int64
    /// Counts of checked signatures since the server started, per operation.
    package var signatures: [AdminSignatureCounts]

    package init(
        appID: String, appKeyHint: String, masterKeyHint: String, previousAppKeyUntilMilliseconds: Int64? = nil,
        previousMasterKeyUntilMilliseconds: Int64? = nil, signIn: String, signsConversations: Bool,
        signsHistory: Bool, createsUsers: Bool, signatureWindowSeconds: Int64, sessionTokenSeconds: Int64,
        signatures: [AdminSignatureCounts] = []
    ) {
        self.appID = appID
        self.appKeyHint = appKeyHint
        self.masterKeyHint = masterKeyHint
        self.previousAppKeyUntilMilliseconds = previousAppKeyUntilMilliseconds
        self.previousMasterKeyUntilMilliseconds = previousMasterKeyUntilMilliseconds
        self.signIn = signIn
        self.signsConversations = signsConversations
        self.signsHistory = signsHistory
        self.createsUsers = createsUsers
        self.signatureWindowSeconds = signatureWindowSeconds
        self.sessionTokenSeconds = sessionTokenSeconds
        self.signatures = signatures
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.appID = try fields("appId", \.appID)
        self.appKeyHint = try fields("appKeyHint", \.appKeyHint)
        self.masterKeyHint = try fields("masterKeyHint", \.masterKeyHint)
        self.previousAppKeyUntilMilliseconds = try fields("previousAppKeyUntil", \.previousAppKeyUntilMilliseconds)
        self.previousMasterKeyUntilMilliseconds = try fields(
            "previousMasterKeyUntil", \.previousMasterKeyUntilMilliseconds)
        self.signIn = try fields("signIn", \.signIn)
        self.signsConversations = try fields("conversations", \.signsConversations)
        self.signsHistory = try fields("history", \.signsHistory)
        self.createsUsers = try fields("createsUsers", \.createsUsers)
        self.signatureWindowSeconds = try fields("signatureWindow", \.signatureWindowSeconds)
        self.sessionTokenSeconds = try fields("sessionToken", \.sessionTokenSeconds)
        self.signatures = try fields("signatures", \.signatures)
    }
}

/// Signatures for one action since the start.
package struct AdminSignatureCounts: AdminRecord {
    /// `open`, `start`, `invite`, `kick`, `conversation-block-clients`, `conversation-unblock-clients` or `history`.
    package var action: String
    /// Signatures that were accepted.
    package var valid: Int64
    /// Requests without a signature.
    package var missing: Int64
    /// Signatures that did not match.
    package var wrong: Int64
    /// Signatures whose timestamp was too far from the server's time.
    package var expired: Int64
    /// Signatures whose nonce was used before.
    package var replayed: Int64

    package init(
        action: String, valid: Int64, missing: Int64, wrong: Int64, expired: Int64, replayed: Int64
    ) {
        self.action = action
        self.valid = valid
        self.missing = missing
        self.wrong = wrong
        self.expired = expired
        self.replayed = replayed
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.action = try fields("action", \.action)
        self.valid = try fields("valid", \.valid)
        self.missing = try fields("missing", \.missing)
        self.wrong = try fields("wrong", \.wrong)
        self.expired = try fields("expired", \.expired)
        self.replayed = try fields("replayed", \.replayed)
    }
}

/// The keys of the app, in full.
package struct AdminAppKeys: AdminRecord {
    /// ID of the app.
    package var appID: String
    /// Key that every client has.
    package var appKey: String
    /// Key that only the app's own server has.
    package var masterKey: String

    package init(appID: String, appKey: String, masterKey: String) {
        self.appID = appID
        self.appKey = appKey
        self.masterKey = masterKey
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.appID = try fields("appId", \.appID)
        self.appKey = try fields("appKey", \.appKey)
        self.masterKey = try fields("masterKey", \.masterKey)
    }
}

/// A signature, with its input.
package struct AdminAppSigned: AdminRecord {
    /// Text that was signed, byte for byte; for HTTP requests it has the name of the key in place of the key.
    package var text: String
    /// Signature in hexadecimal digits; for HTTP requests the whole header `X-LC-Sign`.
    package var signature: String
    /// Timestamp that was signed, in the unit of the request: seconds or milliseconds since 1970.
    package var timestamp: Int64
    /// Nonce that was signed; `nil` for HTTP requests, which have none.
    package var nonce: String?

    package init(text: String, signature: String, timestamp: Int64, nonce: String?) {
        self.text = text
        self.signature = signature
        self.timestamp = timestamp
        self.nonce = nonce
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.text = try fields("text", \.text)
        self.signature = try fields("signature", \.signature)
        self.timestamp = try fields("timestamp", \.timestamp)
        self.nonce = try fields("nonce", \.nonce)
    }
}

extension AdminAppRotation {
    fileprivate var withoutValue: AdminAppRotation {
        var rotation = self
        if rotation.value != nil { rotation.value = "(brought along)" }
        return rotation
    }
}

extension AdminAppPatch {
    /// `nil` for nothing.
    fileprivate var command: [String]? {
        guard self != AdminAppPatch() else { return nil }
        return ctl(
            "app policy", .option("sign-in", self.signIn), .option("conversations", self.signsConversations),
            .option("history", self.signsHistory), .option("create-users", self.createsUsers))
    }
}

extension AdminAppSigning.Action {
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        let word = try place.word(of: words)
        guard let action = Self(typed: word) else { throw place.refusal(of: word) }
        self = action
    }
}
