import AdminAPI

private var patch: AdminAppPatch {
    var patch = AdminAppPatch()
    patch.signIn = "open"
    patch.signsConversations = false
    patch.signsHistory = true
    patch.createsUsers = false
    return patch
}

/// Every request about the app of LeanCloud's clients, with the line it is on the socket.
let appRequestVectors: [(AdminRequest, String)] = [
    (.app(.show), #"{"id":7,"ask":"app.show","with":{}}"#), (.app(.keys), #"{"id":7,"ask":"app.keys","with":{}}"#),
    (
        .app(.rotate(AdminAppRotation(key: .masterKey, overlapSeconds: 60))),
        #"{"id":7,"ask":"app.rotate","with":{"key":"master-key","overlap":60}}"#
    ),
    (
        .app(.rotate(AdminAppRotation(key: .appKey, value: "k", overlapSeconds: 0))),
        #"{"id":7,"ask":"app.rotate","with":{"key":"app-key","value":"k","overlap":0}}"#
    ),
    (
        .app(.set(patch)),
        #"{"id":7,"ask":"app.set","with":"#
            + #"{"signIn":"open","conversations":false,"history":true,"createsUsers":false}}"#
    ),
    (.app(.set(AdminAppPatch())), #"{"id":7,"ask":"app.set","with":{}}"#),
    (
        .app(
            .sign(
                AdminAppSigning(
                    .invite, client: "Tom", members: ["Bob", "Mary"], conversation: "c", timestamp: 5, nonce: "n"))),
        #"{"id":7,"ask":"app.sign","with":{"action":"invite","client":"Tom","members":["Bob","Mary"],"#
            + #""conversation":"c","timestamp":5,"nonce":"n"}}"#
    ),
    (
        .app(.sign(AdminAppSigning(.restMaster))),
        #"{"id":7,"ask":"app.sign","with":{"action":"rest-master","client":"","members":[]}}"#
    ),
]

private let app = AdminApp(
    appID: "id", appKeyHint: "a…", masterKeyHint: "m…", previousAppKeyUntilMilliseconds: 1,
    previousMasterKeyUntilMilliseconds: 2, signIn: "signature", signsConversations: true, signsHistory: false,
    createsUsers: true, signatureWindowSeconds: 3, sessionTokenSeconds: 4,
    signatures: [AdminSignatureCounts(action: "open", valid: 1, missing: 2, wrong: 3, expired: 4, replayed: 5)])

/// Every answer about it.
let appReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.app(.app(app)))),
        #"{"id":7,"answer":"app","with":{"appId":"id","appKeyHint":"a…","masterKeyHint":"m…","#
            + #""previousAppKeyUntil":1,"previousMasterKeyUntil":2,"signIn":"signature","conversations":true,"#
            + #""history":false,"createsUsers":true,"signatureWindow":3,"sessionToken":4,"signatures":[{"#
            + #""action":"open","valid":1,"missing":2,"wrong":3,"expired":4,"replayed":5}]}}"#
    ),
    (
        .answer(id: 7, .success(.app(.keys(AdminAppKeys(appID: "id", appKey: "a", masterKey: "m"))))),
        #"{"id":7,"answer":"app.keys","with":{"appId":"id","appKey":"a","masterKey":"m"}}"#
    ),
    (
        .answer(
            id: 7,
            .success(.app(.signed(AdminAppSigned(text: "t", signature: "s", timestamp: 5, nonce: "n"))))),
        #"{"id":7,"answer":"app.signed","with":{"text":"t","signature":"s","timestamp":5,"nonce":"n"}}"#
    ),
    (
        .answer(
            id: 7,
            .success(.app(.signed(AdminAppSigned(text: "t", signature: "s", timestamp: 5, nonce: nil))))),
        #"{"id":7,"answer":"app.signed","with":{"text":"t","signature":"s","timestamp":5}}"#
    ),
]

/// Requests about it that are out of their bounds.
let brokenAppRequests: [String] = [
    #"{"id":1,"ask":"app.rotate","with":{"key":"x","overlap":0}}"#,
    #"{"id":1,"ask":"app.rotate","with":{"key":"app-key"}}"#,
    #"{"id":1,"ask":"app.set","with":{"conversations":"on"}}"#,
    #"{"id":1,"ask":"app.sign","with":{"action":"x","client":"Tom","members":[]}}"#,
    #"{"id":1,"ask":"app.sign","with":{"action":"open","members":[]}}"#,
    #"{"id":1,"ask":"app.sign","with":{"action":"start","client":"Tom","members":["#
        + Array(repeating: #""a""#, count: AdminAppSigning.maximumMembers + 1).joined(separator: ",") + "]}}",
]
