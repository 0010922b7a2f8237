/// Apps made with LeanCloud's SDKs.
extension Keys {
    package static let leanCloud = SettingKey<Bool>(
        "leancloud.enabled", true, "Serve clients that speak LeanCloud's protocols.")
    package static let leanCloudAppID = SettingKey<String>(
        "leancloud.app_id", "",
        "ID of the app that its clients were built with. Empty: the first start makes a random one and keeps it.")
    package static let leanCloudSignIn = SettingKey<String>(
        "leancloud.sign_in", "signature", choices: ["signature", "token", "open"],
        "Proof that signing in needs: a signature by the app's own server, a device token in its place, or nothing.")
    package static let leanCloudConversationSignatures = SettingKey<Bool>(
        "leancloud.conversation_signatures", true,
        "Ask for a signature when a client creates a conversation or changes its members.")
    package static let leanCloudHistorySignatures = SettingKey<Bool>(
        "leancloud.history_signatures", true, "Ask for a signature when a client reads the history over HTTP.")
    package static let leanCloudCreatesUsers = SettingKey<Bool>(
        "leancloud.creates_users", true,
        "Add unknown people when they sign in, as LeanCloud does; else the operator adds people.")
    package static let leanCloudRegistration = SettingKey<Bool>(
        "leancloud.registration", false,
        "Let everybody who has the app's key sign up as a person of the app; the master key may always do so.")
    package static let leanCloudSignatureWindowSeconds = SettingKey<Int64>(
        "leancloud.signature_window_seconds", 21_600, in: 60...604_800, "seconds",
        "Maximum difference between the time in a signature and this server's time; LeanCloud's bound is 6 hours.")
    package static let leanCloudSignaturesOnce = SettingKey<Bool>(
        "leancloud.signatures_once", false,
        "Accept each signature once; else, as with LeanCloud, for as long as its time allows.")
    package static let leanCloudSessionTokenSeconds = SettingKey<Int64>(
        "leancloud.session_token_seconds", 172_800, in: 300...2_592_000, "seconds",
        "Time within which a client may reconnect without a new signature.")

    package static let leanCloudLookup = SettingKey<String>(
        "leancloud.lookup", "anyone", choices: ["anyone", "members"],
        """
        People who find a conversation by its ID or a query: everybody who is signed in, as with LeanCloud, or its \
        members.
        """)
    package static let leanCloudJoin = SettingKey<String>(
        "leancloud.join", "anyone", choices: ["anyone", "invited"],
        """
        People who may join a conversation: everybody who knows its ID, as with LeanCloud, or only people whom a \
        member adds.
        """)
    package static let leanCloudOwnerStays = SettingKey<Bool>(
        "leancloud.owner_stays", false,
        """
        Refuse to let the owner of a conversation leave or be removed (code 4324); else another member becomes the \
        owner.
        """)

    static let leanCloudKeys: [SettingDefinition] = [
        leanCloudLookup.definition, leanCloudJoin.definition, leanCloudOwnerStays.definition,
        leanCloud.definition, leanCloudAppID.definition, leanCloudSignIn.definition,
        leanCloudConversationSignatures.definition, leanCloudHistorySignatures.definition,
        leanCloudCreatesUsers.definition, leanCloudRegistration.definition, leanCloudSignatureWindowSeconds.definition,
        leanCloudSignaturesOnce.definition, leanCloudSessionTokenSeconds.definition,
    ]
}
