import AdminAPI
import ChatModel

/// Every request about conversations, people and the pulse once, with the line it is on the socket.
let talkRequestVectors: [(AdminRequest, String)] = [
    (
        .conversationDetails(.createDirect(romeo, juliet)),
        #"{"id":7,"ask":"conversation.direct","with":{"one":"romeo","other":"朱丽叶"}}"#
    ),
    (
        .conversationDetails(.createRoom(verona, title: "T")),
        #"{"id":7,"ask":"conversation.room","with":{"name":"verona","title":"T"}}"#
    ),
    (
        .conversationDetails(.rename("verona", title: nil)),
        #"{"id":7,"ask":"conversation.rename","with":{"conversation":"verona"}}"#
    ),
    (
        .conversationDetails(.setAttributes("verona", patch: #"{"a":null}"#)),
        #"{"id":7,"ask":"conversation.attributes","with":{"conversation":"verona","patch":"{\"a\":null}"}}"#
    ),
    (
        .conversationDetails(.delete("verona")),
        #"{"id":7,"ask":"conversation.delete","with":{"conversation":"verona"}}"#
    ),
    (
        .conversationDetails(.list(of: romeo, after: 3)),
        #"{"id":7,"ask":"conversation.of","with":{"member":"romeo","after":3}}"#
    ),
    (
        .conversationDetails(.look("verona", .before(9), limit: 20)),
        #"{"id":7,"ask":"conversation.look","with":{"conversation":"verona","before":9,"limit":20}}"#
    ),
    (
        .conversationDetails(.look("verona", .after(0), limit: 1)),
        #"{"id":7,"ask":"conversation.look","with":{"conversation":"verona","after":0,"limit":1}}"#
    ),
    (
        .conversationDetails(.look("verona", .around(9), limit: 2)),
        #"{"id":7,"ask":"conversation.look","with":{"conversation":"verona","around":9,"limit":2}}"#
    ),
    (
        .conversationDetails(.look("verona", .since(9), limit: 2)),
        #"{"id":7,"ask":"conversation.look","with":{"conversation":"verona","since":9,"limit":2}}"#
    ),
    (
        .conversationDetails(.recall("verona", sequence: 9, forGood: true)),
        #"{"id":7,"ask":"message.recall","with":{"conversation":"verona","sequence":9,"forGood":true}}"#
    ),
    (
        .conversationDetails(.edit("verona", sequence: 9, text: "it was the lark")),
        #"{"id":7,"ask":"message.edit","with":{"conversation":"verona","sequence":9,"text":"it was the lark"}}"#
    ),
    (
        .conversationDetails(.trace("verona", sequence: 9, after: 3)),
        #"{"id":7,"ask":"message.trace","with":{"conversation":"verona","sequence":9,"after":3}}"#
    ),
    (
        .conversationDetails(.seeAs("verona", romeo, before: nil, limit: 20)),
        #"{"id":7,"ask":"conversation.seeAs","with":{"conversation":"verona","member":"romeo","limit":20}}"#
    ),
    (
        .conversationDetails(.export("verona", after: 0)),
        #"{"id":7,"ask":"conversation.export","with":{"conversation":"verona","after":0}}"#
    ),
    (
        .conversationDetails(.export("verona", after: 0, as: romeo)),
        #"{"id":7,"ask":"conversation.export","with":{"conversation":"verona","after":0,"as":"romeo"}}"#
    ),
    (.conversationDetails(.expiring(days: 30)), #"{"id":7,"ask":"conversation.expiring","with":{"days":30}}"#),
    (.conversationDetails(.expiring(days: nil)), #"{"id":7,"ask":"conversation.expiring","with":{}}"#),
    (
        .people(.edit(AdminUserEdit(name: romeo, displayName: "", externalID: "7", role: .administrator))),
        #"{"id":7,"ask":"user.edit","with":"#
            + #"{"name":"romeo","displayName":"","externalID":"7","role":"administrator"}}"#
    ),
    (
        .people(.preview([AdminImportRow(name: romeo, displayName: "R")])),
        #"{"id":7,"ask":"user.preview","with":{"users":[{"name":"romeo","displayName":"R"}]}}"#
    ),
    (
        .people(
            .endSessions(
                AdminSessionFilter(
                    user: romeo, device: .web, protocolName: "p", address: "10.", openedBeforeMilliseconds: 5,
                    isEncrypted: false), isDryRun: true)),
        #"{"id":7,"ask":"session.endWhere","with":{"user":"romeo","device":"web","protocol":"p","address":"10.","#
            + #""openedBefore":5,"encrypted":false,"dryRun":true}}"#
    ),
    (.live(.start), #"{"id":7,"ask":"live.start","with":{}}"#),
    (.live(.look), #"{"id":7,"ask":"live.look","with":{}}"#),
]

private let messageJSON =
    #""conversation":3,"conversationName":"verona","sequence":7,"id":"9007199254740993","sender":"romeo","#
    + #""sentAt":1800000000000,"kind":-1,"text":"你好\n\"x\"","cut":false,"form":"text""#

private var samplePoint: AdminLivePoint {
    var point = AdminLivePoint(atMilliseconds: 1)
    point.messages = 2
    point.downloadedBytes = 17
    return point
}
private let pointJSON =
    #""at":1,"messages":2,"deliveries":0,"refusals":0,"sessions":0,"usersOnline":0,"commits":0,"#
    + #""commitMicroseconds":0,"queueRequests":0,"queueBytes":0,"freeBytes":0,"profileHits":0,"profileLookUps":0,"#
    + #""uploads":0,"downloads":0,"uploadedBytes":0,"downloadedBytes":17"#

let talkReplyVectors: [(AdminReply, String)] = [
    (
        .answer(
            id: 7,
            .success(
                .conversationDetails(
                    .trace(
                        changed(
                            AdminTrace(
                                message: sampleMessage, isRecalled: true, isDeletedForAll: false, editCount: 2,
                                people: [
                                    changed(
                                        AdminTraceRow(
                                            name: romeo, isSender: false, isRead: true, reportedReadAtMilliseconds: 5,
                                            deliveredTo: [.app], waitingFor: [.web],
                                            sessions: [AdminTraceSession(id: 4, device: .app)], withheld: .cleared)
                                    ) {
                                        $0.read = AdminTraceTime(atMilliseconds: 5, isExact: true)
                                        $0.delivered = AdminTraceTime(atMilliseconds: 4, isExact: false)
                                        $0.cameLater = true
                                    }
                                ], next: 9)
                        ) {
                            $0.former = [
                                AdminMessageVersion(
                                    number: 0, editor: "romeo", atMilliseconds: 3, text: "茶", isCut: false)
                            ]
                        })))),
        #"{"id":7,"answer":"trace","with":{"message":{\#(messageJSON)},"recalled":true,"deletedForAll":false,"#
            + #""edits":2,"former":[{"number":0,"editor":"romeo","at":3,"text":"茶","cut":false}],"#
            + #""people":[{"name":"romeo","sender":false,"read":true,"readAt":{"at":5,"exact":true},"#
            + #""cameLater":true,"reportedReadAt":5,"deliveredAt":{"at":4,"exact":false},"#
            + #""deliveredTo":["app"],"waitingFor":["web"],"sessions":[{"id":4,"device":"app"}],"#
            + #""withheld":"cleared"}],"next":9}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .conversationDetails(
                    .seen(
                        AdminSeen(
                            messages: [AdminSeenMessage(message: sampleMessage, isRecalled: false, isEdited: true)],
                            withheld: [AdminWithheld(sequence: 8, reason: .notForThem)], next: nil))))),
        #"{"id":7,"answer":"seen","with":{"messages":[{"message":{\#(messageJSON)},"recalled":false,"edited":true}],"#
            + #""withheld":[{"sequence":8,"reason":"notForThem"}]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .conversationDetails(
                    .exported(
                        [
                            changed(
                                AdminExportedMessage(
                                    sequence: 1, id: MessageID(rawValue: 5), sender: "romeo", sentAtMilliseconds: 6,
                                    kind: .text, body: Array("茶".utf8), isRecalled: false, isDeletedForAll: true,
                                    editCount: 1)
                            ) {
                                $0.former = [
                                    AdminFormerBody(number: 0, editor: "romeo", atMilliseconds: 6, body: [0xFF])
                                ]
                            }
                        ], next: 1)))),
        #"{"id":7,"answer":"exported","with":{"messages":[{"sequence":1,"id":"5","sender":"romeo","sentAt":6,"#
            + #""kind":-1,"body":"茶","recalled":false,"deletedForAll":true,"edits":1,"#
            + #""former":[{"number":0,"editor":"romeo","at":6,"bodyBase64":"/w=="}]}],"next":1}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .conversationDetails(
                    .expiring(
                        AdminExpiring(
                            days: 30, settingDays: 365, conversations: [sampleConversation], isCut: true))))),
        #"{"id":7,"answer":"expiring","with":{"days":30,"settingDays":365,"conversations":[{"#
            + #""number":3,"kind":"group","name":"verona","banned":true,"disbanded":false,"muted":false,"#
            + #""members":2,"messages":7,"createdAt":1,"activeAt":2}],"cut":true}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .previewed([
                    AdminImportPreview(name: romeo, outcome: .new),
                    AdminImportPreview(name: romeo, outcome: .refused, problem: "p"),
                ]))),
        #"{"id":7,"answer":"previewed","with":{"users":[{"name":"romeo","outcome":"new"},"#
            + #"{"name":"romeo","outcome":"refused","problem":"p"}]}}"#
    ),
    (
        .answer(id: 7, .success(.live(AdminLiveHistory(points: [samplePoint], limits: [])))),
        #"{"id":7,"answer":"live","with":{"points":[{\#(pointJSON)}],"limits":[]}}"#
    ),
    (.event(id: 7, .liveMetrics(samplePoint)), #"{"id":7,"event":"pulse","with":{\#(pointJSON)}}"#),
]

/// A copy with something else in it.
private func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var copy = value
    change(&copy)
    return copy
}
