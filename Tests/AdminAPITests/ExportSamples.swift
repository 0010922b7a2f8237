import AdminAPI
import ChatModel

private let (ming, lan) = (UserName("ming")!, UserName("lan")!)
private let key = FileKey("th-f" + String(repeating: "a", count: 26))!
private let file = AdminExportFile(key: key, name: "茶.png", mediaType: "image/png", bytes: 5, hash: "ab")
private let fileJSON = #"{"key":"\#(key)","name":"茶.png","mediaType":"image/png","bytes":5,"sha256":"ab"}"#
private let form = AdminBodyForm(MessageContent(kind: .text, flags: .bodyIsJSONObject, wire: .wuKong, body: []))

private var wide: AdminExportScope {
    var scope = AdminExportScope()
    scope.people = [ming, lan]
    scope.conversations = ["tea"]
    scope.fromMilliseconds = 5
    scope.untilMilliseconds = 6
    return scope
}

private var message: AdminExportMessage {
    var message = AdminExportMessage(
        AdminExportedMessage(
            sequence: 7, id: MessageID(rawValue: 8), sender: "ming", sentAtMilliseconds: 9, kind: .text,
            body: Array("{}".utf8), isRecalled: false, isDeletedForAll: false, editCount: 1),
        form: form, senderName: "小明", line: "[card]")
    message.former = [
        AdminExportVersion(
            AdminFormerBody(number: 0, editor: "ming", atMilliseconds: 4, body: Array("x".utf8)), form: form)
    ]
    message.formerLeftOut = 2
    message.files = [file]
    return message
}

/// Every request about exports once, with the line it is on the socket.
let exportRequestVectors: [(AdminRequest, String)] = [
    (
        .exports(.begin(wide)),
        #"{"id":7,"ask":"export.begin","with":{"people":["ming","lan"],"conversations":["tea"],"from":5,"until":6}}"#
    ),
    (
        .exports(.begin(AdminExportScope(person: ming))),
        #"{"id":7,"ask":"export.begin","with":{"person":"ming"}}"#
    ),
    (.exports(.conversations(after: nil)), #"{"id":7,"ask":"export.conversations","with":{}}"#),
    (.exports(.conversations(after: 3)), #"{"id":7,"ask":"export.conversations","with":{"after":3}}"#),
    (
        .exports(.messages(conversation: 3, after: 4)),
        #"{"id":7,"ask":"export.messages","with":{"conversation":3,"after":4}}"#
    ),
    (.exports(.people([ming])), #"{"id":7,"ask":"export.people","with":{"people":["ming"]}}"#),
    (.exports(.files(after: nil)), #"{"id":7,"ask":"export.files","with":{}}"#),
    (
        .exports(.read(AdminExportPlace(file: key, conversation: 3, sequence: 4, offset: 5))),
        #"{"id":7,"ask":"export.read","with":{"file":"\#(key)","conversation":3,"sequence":4,"offset":5}}"#
    ),
    (
        .exports(.read(AdminExportPlace(file: key))),
        #"{"id":7,"ask":"export.read","with":{"file":"\#(key)","offset":0}}"#
    ),
]

private let formJSON = #""form":{"wire":1,"flags":16}"#

let exportReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.exports(.begun(atMilliseconds: 1, version: "1.0")))),
        #"{"id":7,"answer":"export.begun","with":{"at":1,"version":"1.0"}}"#
    ),
    (
        .answer(id: 7, .success(.exports(.messages([message], next: 7)))),
        #"{"id":7,"answer":"export.messages","with":{"messages":[{"sequence":7,"id":"8","sender":"ming","sentAt":9,"#
            + #""kind":-1,"body":"{}","recalled":false,"deletedForAll":false,"edits":1,"senderName":"小明","#
            + #""line":"[card]",\#(formJSON),"versions":[{"number":0,"editor":"ming","at":4,"body":"x",\#(formJSON)}],"#
            + #""versionsLeftOut":2,"files":[\#(fileJSON)]}],"next":7}}"#
    ),
    (
        .answer(id: 7, .success(.exports(.files([file], next: nil)))),
        #"{"id":7,"answer":"export.files","with":{"files":[\#(fileJSON)]}}"#
    ),
    (
        .answer(id: 7, .success(.exports(.piece(AdminBackupPiece(bytes: [1, 2, 3]))))),
        #"{"id":7,"answer":"export.piece","with":{"bytes":"AQID"}}"#
    ),
    (
        .answer(id: 7, .success(.exports(.people([])))),
        #"{"id":7,"answer":"export.people","with":{"people":[]}}"#
    ),
    (
        .answer(id: 7, .success(.exports(.conversations([], next: nil)))),
        #"{"id":7,"answer":"export.conversations","with":{"conversations":[]}}"#
    ),
]
