import AdminAPI
import ChatModel

let romeo = UserName("romeo")!
let juliet = UserName("朱丽叶")!
let verona = ChannelName("verona")!

let sampleMessage = AdminMessage(
    conversation: 3, conversationName: "verona", sequence: 7, id: MessageID(rawValue: 9_007_199_254_740_993),
    sender: "romeo", sentAtMilliseconds: 1_800_000_000_000, kind: .text, text: "你好\n\"x\"", isCut: false)

let sampleSession = AdminSession(
    id: 5, user: romeo, device: .app, level: .primary, deviceID: "d", protocolName: "wukong-json",
    address: "127.0.0.1:9", isEncrypted: false, openedAtMilliseconds: 1, activeAtMilliseconds: 6, queuedBytes: 7,
    unacknowledged: 8)

let sampleConversation = AdminConversation(
    Conversation(
        id: ConversationID(rawValue: 3), kind: .group, channel: verona, flags: .banned,
        creator: .system, memberCount: 2, head: 7, headCountable: 7, revision: 0, createdAtMilliseconds: 1,
        activeAtMilliseconds: 2), name: "verona")

let sampleUser = AdminUser(
    User(id: UserID(rawValue: 1), name: juliet, displayName: "J", role: .administrator, createdAtMilliseconds: 4))

/// Every request once, with the line it is on the socket.
let requestVectors: [(AdminRequest, String)] = [
    (.status, #"{"id":7,"ask":"status","with":{}}"#),
    (.setupToken, #"{"id":7,"ask":"setup.token","with":{}}"#),
    (.managerToken, #"{"id":7,"ask":"wukong.token","with":{}}"#),
    (
        .addUser(AdminNewUser(name: romeo, role: .administrator, displayName: "R", password: "p\u{1}")),
        #"{"id":7,"ask":"user.add","with":"#
            + #"{"name":"romeo","role":"administrator","displayName":"R","password":"p\u0001"}}"#
    ),
    (.listUsers(after: nil), #"{"id":7,"ask":"user.list","with":{}}"#),
    (.listUsers(after: 12), #"{"id":7,"ask":"user.list","with":{"after":12}}"#),
    (.showUser(juliet), #"{"id":7,"ask":"user.show","with":{"name":"朱丽叶"}}"#),
    (
        .issueToken(romeo, .web, .secondary),
        #"{"id":7,"ask":"user.token","with":{"name":"romeo","device":"web","level":"secondary"}}"#
    ),
    (.setSendBanned(romeo, true), #"{"id":7,"ask":"user.mute","with":{"name":"romeo","on":true}}"#),
    (.setAllowlistOnly(romeo, false), #"{"id":7,"ask":"user.allowlist","with":{"name":"romeo","on":false}}"#),
    (.revoke(romeo, nil), #"{"id":7,"ask":"user.revoke","with":{"name":"romeo"}}"#),
    (.revoke(romeo, .app), #"{"id":7,"ask":"user.revoke","with":{"name":"romeo","device":"app"}}"#),
    (.setDisabled(romeo, true), #"{"id":7,"ask":"user.disable","with":{"name":"romeo","disabled":true}}"#),
    (
        .setPassword(romeo, "a\"\\"),
        #"{"id":7,"ask":"user.password","with":{"name":"romeo","password":"a\"\\"}}"#
    ),
    (
        .setListed(owner: romeo, .blocked, other: juliet, true),
        #"{"id":7,"ask":"user.listed","with":{"name":"romeo","list":"blocked","other":"朱丽叶","listed":true}}"#
    ),
    (
        .importUsers([AdminImportRow(name: romeo), AdminImportRow(name: juliet, displayName: "J")], [.app, .web]),
        #"{"id":7,"ask":"user.import","with":{"users":[{"name":"romeo"},{"name":"朱丽叶","displayName":"J"}],"#
            + #""devices":["app","web"]}}"#
    ),
    (
        .teams(.create(AdminNewTeam(name: verona, title: "V", members: [romeo, juliet]))),
        #"{"id":7,"ask":"team.create","with":{"name":"verona","members":["romeo","朱丽叶"],"settings":{"title":"V"}}}"#
    ),
    (
        .teams(.add(verona, [romeo])),
        #"{"id":7,"ask":"team.invite","with":{"team":"verona","people":["romeo"],"postscript":""}}"#
    ),
    (.teams(.remove(verona, [])), #"{"id":7,"ask":"team.remove","with":{"team":"verona","people":[]}}"#),
    (.teams(.setBanned(verona, false)), #"{"id":7,"ask":"team.ban","with":{"team":"verona","banned":false}}"#),
    (
        .teams(.mute(verona, .members)),
        #"{"id":7,"ask":"team.set","with":{"team":"verona","patch":{"mute":"members"}}}"#
    ),
    (
        .teams(.mute(verona, romeo, true, minutes: 9)),
        #"{"id":7,"ask":"team.mute","with":{"team":"verona","name":"romeo","on":true,"minutes":9}}"#
    ),
    (
        .teams(.mute(verona, romeo, false, minutes: nil)),
        #"{"id":7,"ask":"team.mute","with":{"team":"verona","name":"romeo","on":false}}"#
    ),
    (.teams(.setNotice(verona, "hi")), #"{"id":7,"ask":"team.notice","with":{"team":"verona","text":"hi"}}"#),
    (.listConversations(after: nil), #"{"id":7,"ask":"conversation.list","with":{}}"#),
    (.showConversation("id:3"), #"{"id":7,"ask":"conversation.show","with":{"conversation":"id:3"}}"#),
    (
        .listMessages(conversation: "verona", before: 9, limit: 20),
        #"{"id":7,"ask":"conversation.messages","with":{"conversation":"verona","before":9,"limit":20}}"#
    ),
    (.listSessions(nil, after: 3), #"{"id":7,"ask":"session.list","with":{"after":3}}"#),
    (.endSessions(ids: [4, 5], user: romeo), #"{"id":7,"ask":"session.end","with":{"ids":[4,5],"user":"romeo"}}"#),
    (
        .send(AdminSend(from: romeo, to: .user(juliet), text: "\t")),
        #"{"id":7,"ask":"send","with":{"from":"romeo","to":"朱丽叶","text":"\t"}}"#
    ),
    (
        .send(AdminSend(from: romeo, to: .group(verona), text: "hi")),
        #"{"id":7,"ask":"send","with":{"from":"romeo","group":"verona","text":"hi"}}"#
    ),
    (
        .send(AdminSend(from: romeo, to: .room(verona), text: "hi")),
        #"{"id":7,"ask":"send","with":{"from":"romeo","room":"verona","text":"hi"}}"#
    ),
    (
        .send(AdminSend(from: romeo, to: .conversation("id:3"), text: "hi")),
        #"{"id":7,"ask":"send","with":{"from":"romeo","conversation":"id:3","text":"hi"}}"#
    ),
    (
        .follow(conversation: "verona", withSessions: true),
        #"{"id":7,"ask":"follow","with":{"conversation":"verona","sessions":true}}"#
    ),
    (.stopFollowing(6), #"{"id":7,"ask":"follow.stop","with":{"follow":6}}"#),
    (.backups(.begin), #"{"id":7,"ask":"backup.begin","with":{}}"#),
    (.backups(.files(after: "aa")), #"{"id":7,"ask":"backup.files","with":{"after":"aa"}}"#),
    (
        .backups(.read(AdminBackupPlace(path: "app.key", offset: 5))),
        #"{"id":7,"ask":"backup.read","with":{"path":"app.key","offset":5}}"#
    ),
    (
        .backups(.finish(AdminBackupEnd(name: "teahouse-1", bytes: 2, proof: "ab"))),
        #"{"id":7,"ask":"backup.finish","with":{"name":"teahouse-1","bytes":2,"proof":"ab"}}"#
    ),
]

private let messageJSON =
    #""conversation":3,"conversationName":"verona","sequence":7,"id":"9007199254740993","sender":"romeo","#
    + #""sentAt":1800000000000,"kind":-1,"text":"你好\n\"x\"","cut":false,"form":"text""#
private let sessionJSON =
    #""id":5,"user":"romeo","device":"app","level":"primary","deviceID":"d","protocol":"wukong-json","#
    + #""address":"127.0.0.1:9","encrypted":false,"openedAt":1,"activeAt":6,"queuedBytes":7,"#
    + #""unacknowledged":8"#
private let userJSON =
    #""name":"朱丽叶","displayName":"J","role":"administrator","disabled":false,"sendBanned":false,"#
    + #""password":false,"createdAt":4"#
private let conversationJSON =
    #""number":3,"kind":"group","name":"verona","banned":true,"disbanded":false,"muted":false,"members":2,"messages":7,"#
    + #""createdAt":1,"activeAt":2"#

/// Every answer and event once, with the line it is on the socket.
let replyVectors: [(AdminReply, String)] = [
    (.answer(id: 7, .success(.done)), #"{"id":7,"answer":"done","with":{}}"#),
    (
        .answer(
            id: 7,
            .success(
                .status(
                    AdminStatus(
                        version: "1.0", processID: 2, dataFolder: "/d", startedAtMilliseconds: 3,
                        addresses: ["127.0.0.1:7677"], troubles: [], metrics: [AdminMetric("users", 1)],
                        limits: [
                            AdminLimit(name: "q", unit: "requests", current: 1, peak: 2, maximum: 3, refusals: 4)
                        ])))),
        #"{"id":7,"answer":"status","with":{"version":"1.0","processID":2,"dataFolder":"/d","startedAt":3,"#
            + #""addresses":["127.0.0.1:7677"],"troubles":[],"figures":[{"name":"users","value":1}],"limits":["#
            + #"{"name":"q","unit":"requests","current":1,"peak":2,"maximum":3,"refusals":4}]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .status(
                    AdminStatus(
                        version: "1.0", processID: 2, dataFolder: "/d", startedAtMilliseconds: 3, addresses: [],
                        troubles: [], metrics: [], limits: [],
                        lastVerify: AdminLastVerify(atMilliseconds: 5, findings: 6, isQuick: true))))),
        #"{"id":7,"answer":"status","with":{"version":"1.0","processID":2,"dataFolder":"/d","startedAt":3,"#
            + #""addresses":[],"troubles":[],"figures":[],"limits":[],"#
            + #""lastVerify":{"at":5,"findings":6,"quick":true}}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .backups(
                    .begun(
                        AdminBackupFacts(
                            atMilliseconds: 1, version: "1.0", tokenDays: 2, schema: 3, epoch: 4, position: 5,
                            databaseBytes: 6, users: 7, conversations: 8, messages: 9, damagedContents: 0))))),
        #"{"id":7,"answer":"backup.begun","with":{"at":1,"version":"1.0","tokenDays":2,"schema":3,"epoch":4,"#
            + #""position":5,"databaseBytes":6,"users":7,"conversations":8,"messages":9,"damagedContents":0}}"#
    ),
    (
        .answer(
            id: 7,
            .success(.backups(.files([AdminBackupFile(path: "app.key", bytes: 1, isContent: false)], next: "aa")))),
        #"{"id":7,"answer":"backup.files","with":{"files":[{"path":"app.key","bytes":1,"content":false}],"next":"aa"}}"#
    ),
    (
        .answer(id: 7, .success(.backups(.piece(AdminBackupPiece(bytes: [1, 2, 3]))))),
        #"{"id":7,"answer":"backup.piece","with":{"bytes":"AQID"}}"#
    ),
    (
        .answer(id: 7, .success(.backups(.piece(AdminBackupPiece(bytes: []))))),
        #"{"id":7,"answer":"backup.piece","with":{"bytes":""}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .backups(
                    .noted(
                        AdminLastBackup(
                            atMilliseconds: 1, verifiedAtMilliseconds: 2, name: "teahouse-1", bytes: 3, proof: "ab"))))),
        #"{"id":7,"answer":"backup.noted","with":{"at":1,"verified":2,"name":"teahouse-1","bytes":3,"proof":"ab"}}"#
    ),
    (
        .event(id: 7, .backingUp(AdminBackupProgress(bytes: 1, allBytes: 2))),
        #"{"id":7,"event":"backup.progress","with":{"bytes":1,"allBytes":2}}"#
    ),
    (
        .answer(id: 7, .success(.users([sampleUser], next: 1))),
        #"{"id":7,"answer":"users","with":{"users":[{"# + userJSON + #"}],"next":1}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .user(
                    AdminUserDetail(
                        user: sampleUser,
                        tokens: [
                            AdminToken(
                                device: .web, level: .secondary, lastSeenAtMilliseconds: 8, expiresAtMilliseconds: nil)
                        ], sessions: [sampleSession], blocked: ["x"], allowed: [], isAllowlistOnly: true)))),
        #"{"id":7,"answer":"user","with":{"user":{"# + userJSON
            + #"},"tokens":[{"device":"web","level":"secondary","lastSeenAt":8}],"sessions":[{"# + sessionJSON
            + #"}],"blocked":["x"],"allowed":[],"allowlistOnly":true}}"#
    ),
    (.answer(id: 7, .success(.token("abc"))), #"{"id":7,"answer":"token","with":{"token":"abc"}}"#),
    (.answer(id: 7, .success(.token(nil))), #"{"id":7,"answer":"token","with":{}}"#),
    (
        .answer(
            id: 7,
            .success(
                .imported([
                    AdminImportResult(name: romeo, token: "t", existed: true, error: nil),
                    AdminImportResult(name: juliet, token: nil, existed: false, error: "no"),
                ]))),
        #"{"id":7,"answer":"imported","with":{"users":[{"name":"romeo","token":"t","existed":true},"#
            + #"{"name":"朱丽叶","existed":false,"error":"no"}]}}"#
    ),
    (
        .answer(id: 7, .success(.conversations([sampleConversation], next: nil))),
        #"{"id":7,"answer":"conversations","with":{"conversations":[{"# + conversationJSON + "}]}}"
    ),
    (
        .answer(
            id: 7,
            .success(
                .conversation(
                    AdminConversationDetail(
                        conversation: sampleConversation, members: [sampleMember], attributes: #"{"a":1}"#)))),
        #"{"id":7,"answer":"conversation","with":{"conversation":{"# + conversationJSON
            + #"},"members":[{"name":"romeo","role":"owner","unread":4,"mutedUntil":0}],"listeners":0,"attributes":"{\"a\":1}"}}"#
    ),
    (
        .answer(id: 7, .success(.messages([sampleMessage]))),
        #"{"id":7,"answer":"messages","with":{"messages":[{"# + messageJSON + "}]}}"
    ),
    (
        .answer(id: 7, .success(.sessions([sampleSession], next: nil))),
        #"{"id":7,"answer":"sessions","with":{"sessions":[{"# + sessionJSON + "}]}}"
    ),
    (.answer(id: 7, .success(.count(2))), #"{"id":7,"answer":"count","with":{"count":2}}"#),
    (.answer(id: 7, .success(.sent(sampleMessage))), #"{"id":7,"answer":"sent","with":{"# + messageJSON + "}}"),
    (.answer(id: 7, .success(.following)), #"{"id":7,"answer":"following","with":{}}"#),
    (
        .answer(id: 7, .failure(AdminError(.notFound, "no \u{1B}"))),
        #"{"id":7,"error":{"code":"notFound","message":"no \u001b"}}"#
    ),
    (.event(id: 7, .message(sampleMessage)), #"{"id":7,"event":"message","with":{"# + messageJSON + "}}"),
    (.event(id: 7, .opened(sampleSession)), #"{"id":7,"event":"session.opened","with":{"# + sessionJSON + "}}"),
    (
        .event(id: 7, .ended(sampleSession, reason: "idle")),
        #"{"id":7,"event":"session.ended","with":{"# + sessionJSON + #","reason":"idle"}}"#
    ),
    (.event(id: 7, .missed(9)), #"{"id":7,"event":"missed","with":{"count":9}}"#),
]

private let sampleMember = AdminMember(
    Member(
        user: UserID(rawValue: 1), name: romeo, role: .owner, readSequence: 3, readCountable: 3,
        ownCountableSinceRead: 0, joinedSequence: 0), headCountable: 7)
