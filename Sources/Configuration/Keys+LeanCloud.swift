/// Apps made with LeanCloud's SDKs.
extension Keys {
    package static let leanCloud = SettingKey<Bool>(
        "leancloud.enabled", true, "Whether clients that speak LeanCloud's protocols are served.")
    package static let leanCloudAppID = SettingKey<String>(
        "leancloud.app_id", "",
        "The id of the app, as its clients were built with. Empty: a random one is made at first start and kept.")
    package static let leanCloudSignIn = SettingKey<String>(
        "leancloud.sign_in", "signature", choices: ["signature", "token", "open"],
        "What proves who signs in: a signature of the app's own server, a device token in its place, or nothing.")
    package static let leanCloudConversationSignatures = SettingKey<Bool>(
        "leancloud.conversation_signatures", true,
        "Whether creating a conversation, and changing who is in it, needs a signature.")
    package static let leanCloudHistorySignatures = SettingKey<Bool>(
        "leancloud.history_signatures", true, "Whether clients that read the history over HTTP need a signature.")
    package static let leanCloudCreatesUsers = SettingKey<Bool>(
        "leancloud.creates_users", true,
        "Whether somebody who signs in and is not known is added, as LeanCloud does; else the operator adds people.")
    package static let leanCloudRegistration = SettingKey<Bool>(
        "leancloud.registration", false,
        "Whether anybody with the app's key may sign up as a person of the app; its master key may in any case.")
    package static let leanCloudSignatureWindowSeconds = SettingKey<Int64>(
        "leancloud.signature_window_seconds", 21_600, in: 60...604_800, "seconds",
        "How far the time in a signature may be from this server's, before or after; LeanCloud's bound is 6 hours.")
    package static let leanCloudSignaturesOnce = SettingKey<Bool>(
        "leancloud.signatures_once", false,
        "Whether each signature is good for one use; else, as with LeanCloud, for as long as its time allows.")
    package static let leanCloudSessionTokenSeconds = SettingKey<Int64>(
        "leancloud.session_token_seconds", 172_800, in: 300...2_592_000, "seconds",
        "How long a client may come back without a new signature after its connection broke.")

    package static let leanCloudLookup = SettingKey<String>(
        "leancloud.lookup", "anyone", choices: ["anyone", "members"],
        "Who finds a conversation by its id or a query: everybody who is signed in, as with LeanCloud, or its members.")
    package static let leanCloudJoin = SettingKey<String>(
        "leancloud.join", "anyone", choices: ["anyone", "invited"],
        "Who comes into a conversation: everybody who knows its id, as with LeanCloud, or whom a member adds.")
    package static let leanCloudOwnerStays = SettingKey<Bool>(
        "leancloud.owner_stays", false,
        "Whether the owner of a conversation can neither leave nor be removed (code 4324); else another one follows.")

    static let leanCloudKeys: [SettingDefinition] = [
        leanCloudLookup.definition, leanCloudJoin.definition, leanCloudOwnerStays.definition,
        leanCloud.definition, leanCloudAppID.definition, leanCloudSignIn.definition,
        leanCloudConversationSignatures.definition, leanCloudHistorySignatures.definition,
        leanCloudCreatesUsers.definition, leanCloudRegistration.definition, leanCloudSignatureWindowSeconds.definition,
        leanCloudSignaturesOnce.definition, leanCloudSessionTokenSeconds.definition,
    ]
}
