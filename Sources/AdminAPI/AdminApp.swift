/// What an operator can ask about the app whose clients speak LeanCloud's protocols.
package enum AdminAppRequest: Hashable, Sendable {
    /// Without the keys.
    case show
    /// The keys in full; the audit log keeps that they were looked at.
    case keys
    case rotate(AdminAppRotation)
    case set(AdminAppPatch)
    /// What the app's own server would sign, and the signature; the audit log keeps what for.
    case sign(AdminAppSigning)
}

extension AdminAppRequest {
    var word: String {
        switch self {
        case .show: "app.show"
        case .keys: "app.keys"
        case .rotate: "app.rotate"
        case .set: "app.set"
        case .sign: "app.sign"
        }
    }

    /// A signature lets somebody in, as a token does.
    var isChange: Bool {
        switch self {
        case .show, .keys: false
        case .rotate, .set, .sign: true
        }
    }

    /// Changes, and looking at the keys.
    var isNoted: Bool { self == .keys || self.isChange }

    /// The key that is replaced, or who is signed for.
    var subject: String? {
        switch self {
        case .show, .keys, .set: nil
        case .rotate(let rotation): rotation.key.rawValue
        case .sign(let signing): signing.client.isEmpty ? nil : signing.client
        }
    }

    var withoutSecrets: AdminAppRequest {
        guard case .rotate(var rotation) = self, rotation.value != nil else { return self }
        rotation.value = "(brought along)"
        return .rotate(rotation)
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .show, .keys: break
        case .rotate(let rotation): rotation.write(to: &fields)
        case .set(let patch): patch.write(to: &fields)
        case .sign(let signing): signing.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of apps.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "app.show": self = .show
        case "app.keys": self = .keys
        case "app.rotate": self = .rotate(try AdminAppRotation(with))
        case "app.set": self = .set(try AdminAppPatch(with))
        case "app.sign": self = .sign(try AdminAppSigning(with))
        default: return nil
        }
    }
}

/// What the server answers about the app.
package enum AdminAppAnswer: Hashable, Sendable {
    /// As it is now.
    case app(AdminApp)
    case keys(AdminAppKeys)
    case signed(AdminAppSigned)
}

extension AdminAppAnswer {
    var word: String {
        switch self {
        case .app: "app"
        case .keys: "app.keys"
        case .signed: "app.signed"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .app(let app): app.write(to: &fields)
        case .keys(let keys): keys.write(to: &fields)
        case .signed(let signed): signed.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of apps.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "app": self = .app(try AdminApp(with))
        case "app.keys": self = .keys(try AdminAppKeys(with))
        case "app.signed": self = .signed(try AdminAppSigned(with))
        default: return nil
        }
    }
}

/// Replaces a key.
package struct AdminAppRotation: Hashable, Sendable, AdminRecord {
    package enum Key: String, Hashable, Sendable, CaseIterable {
        /// Is in every client.
        case appKey = "app-key"
        /// Only the app's own server has it.
        case masterKey = "master-key"
    }

    package var key: Key
    /// One that is brought along; `nil` for a random one.
    package var value: String?
    /// How long the old one counts beside it.
    package var overlapSeconds: Int64

    package init(key: Key, value: String? = nil, overlapSeconds: Int64) {
        self.key = key
        self.value = value
        self.overlapSeconds = overlapSeconds
    }

    func write(to fields: inout FieldWriter) {
        fields.text("key", self.key.rawValue)
        fields.text("value", self.value)
        fields.number("overlap", self.overlapSeconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        guard let key = Key(rawValue: try fields.text("key")) else { throw FieldReader.wrong("key") }
        self.init(
            key: key, value: try fields.optionalText("value"), overlapSeconds: try fields.number("overlap"))
    }
}

/// Changes what clients have to prove; `nil` leaves a thing as it is.
package struct AdminAppPatch: Hashable, Sendable, AdminRecord {
    /// `signature`, `token` or `open`.
    package var signIn: String?
    package var signsConversations: Bool?
    package var signsHistory: Bool?
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

    func write(to fields: inout FieldWriter) {
        fields.text("signIn", self.signIn)
        if let isOn = self.signsConversations { fields.flag("conversations", isOn) }
        if let isOn = self.signsHistory { fields.flag("history", isOn) }
        if let isOn = self.createsUsers { fields.flag("createsUsers", isOn) }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.signIn = try fields.optionalText("signIn")
        if fields.has("conversations") { self.signsConversations = try fields.flag("conversations") }
        if fields.has("history") { self.signsHistory = try fields.flag("history") }
        if fields.has("createsUsers") { self.createsUsers = try fields.flag("createsUsers") }
    }
}

/// What to sign, as the app's own server would.
package struct AdminAppSigning: Hashable, Sendable, AdminRecord {
    package enum Action: String, Hashable, Sendable, CaseIterable {
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

        /// Also by the words that older guides and SDKs have for it.
        package init?(typed word: String) {
            switch word {
            case "join", "add": self = .invite
            case "remove": self = .kick
            default: self.init(rawValue: word)
            }
        }
    }

    package var action: Action
    /// Empty for the header of HTTP requests.
    package var client: String
    package var members: [String]
    package var conversation: String?
    /// Seconds or milliseconds since 1970; `nil` for now.
    package var timestamp: Int64?
    /// `nil` for a random one.
    package var nonce: String?

    /// Most members of one signature.
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

    func write(to fields: inout FieldWriter) {
        fields.text("action", self.action.rawValue)
        fields.text("client", self.client)
        fields.texts("members", self.members)
        fields.text("conversation", self.conversation)
        fields.number("timestamp", self.timestamp)
        fields.text("nonce", self.nonce)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        guard let action = Action(rawValue: try fields.text("action")) else { throw FieldReader.wrong("action") }
        let members = try fields.texts("members")
        guard members.count <= Self.maximumMembers else { throw FieldReader.wrong("members") }
        self.init(
            action, client: try fields.text("client"), members: members,
            conversation: try fields.optionalText("conversation"),
            timestamp: try fields.optionalNumber("timestamp"), nonce: try fields.optionalText("nonce"))
    }
}

/// The app, as much of it as anybody may see who looks over the operator's shoulder.
package struct AdminApp: Hashable, Sendable, AdminRecord {
    package var appID: String
    /// How the keys begin.
    package var appKeyHint: String
    package var masterKeyHint: String
    /// Until when the key before counts too, UTC milliseconds; `nil` when it does not.
    package var previousAppKeyUntilMilliseconds: Int64?
    package var previousMasterKeyUntilMilliseconds: Int64?
    /// `signature`, `token` or `open`.
    package var signIn: String
    package var signsConversations: Bool
    package var signsHistory: Bool
    package var createsUsers: Bool
    package var signatureWindowSeconds: Int64
    package var sessionTokenSeconds: Int64
    /// What came since the start.
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

    func write(to fields: inout FieldWriter) {
        fields.text("appId", self.appID)
        fields.text("appKeyHint", self.appKeyHint)
        fields.text("masterKeyHint", self.masterKeyHint)
        fields.number("previousAppKeyUntil", self.previousAppKeyUntilMilliseconds)
        fields.number("previousMasterKeyUntil", self.previousMasterKeyUntilMilliseconds)
        fields.text("signIn", self.signIn)
        fields.flag("conversations", self.signsConversations)
        fields.flag("history", self.signsHistory)
        fields.flag("createsUsers", self.createsUsers)
        fields.number("signatureWindow", self.signatureWindowSeconds)
        fields.number("sessionToken", self.sessionTokenSeconds)
        fields.records("signatures", self.signatures)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init(
            appID: try fields.text("appId"), appKeyHint: try fields.text("appKeyHint"),
            masterKeyHint: try fields.text("masterKeyHint"),
            previousAppKeyUntilMilliseconds: try fields.optionalNumber("previousAppKeyUntil"),
            previousMasterKeyUntilMilliseconds: try fields.optionalNumber("previousMasterKeyUntil"),
            signIn: try fields.text("signIn"), signsConversations: try fields.flag("conversations"),
            signsHistory: try fields.flag("history"), createsUsers: try fields.flag("createsUsers"),
            signatureWindowSeconds: try fields.number("signatureWindow"),
            sessionTokenSeconds: try fields.number("sessionToken"), signatures: try fields.records("signatures"))
    }
}

/// Signatures for one action since the start.
package struct AdminSignatureCounts: Hashable, Sendable, AdminRecord {
    /// `open`, `start`, `invite`, `kick`, `conversation-block-clients`, `conversation-unblock-clients` or `history`.
    package var action: String
    package var valid: Int64
    package var missing: Int64
    package var wrong: Int64
    package var expired: Int64
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

    func write(to fields: inout FieldWriter) {
        fields.text("action", self.action)
        fields.number("valid", self.valid)
        fields.number("missing", self.missing)
        fields.number("wrong", self.wrong)
        fields.number("expired", self.expired)
        fields.number("replayed", self.replayed)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init(
            action: try fields.text("action"), valid: try fields.number("valid"),
            missing: try fields.number("missing"), wrong: try fields.number("wrong"),
            expired: try fields.number("expired"), replayed: try fields.number("replayed"))
    }
}

/// The keys of the app, in full.
package struct AdminAppKeys: Hashable, Sendable, AdminRecord {
    package var appID: String
    package var appKey: String
    package var masterKey: String

    package init(appID: String, appKey: String, masterKey: String) {
        self.appID = appID
        self.appKey = appKey
        self.masterKey = masterKey
    }

    func write(to fields: inout FieldWriter) {
        fields.text("appId", self.appID)
        fields.text("appKey", self.appKey)
        fields.text("masterKey", self.masterKey)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init(
            appID: try fields.text("appId"), appKey: try fields.text("appKey"),
            masterKey: try fields.text("masterKey"))
    }
}

/// A signature, with what was signed.
package struct AdminAppSigned: Hashable, Sendable, AdminRecord {
    /// What was signed, byte for byte; of HTTP requests with the name of the key in place of the key.
    package var text: String
    /// Hexadecimal; of HTTP requests the whole header `X-LC-Sign`.
    package var signature: String
    package var timestamp: Int64
    /// `nil` for HTTP requests, which have none.
    package var nonce: String?

    package init(text: String, signature: String, timestamp: Int64, nonce: String?) {
        self.text = text
        self.signature = signature
        self.timestamp = timestamp
        self.nonce = nonce
    }

    func write(to fields: inout FieldWriter) {
        fields.text("text", self.text)
        fields.text("signature", self.signature)
        fields.number("timestamp", self.timestamp)
        fields.text("nonce", self.nonce)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init(
            text: try fields.text("text"), signature: try fields.text("signature"),
            timestamp: try fields.number("timestamp"), nonce: try fields.optionalText("nonce"))
    }
}
