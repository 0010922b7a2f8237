import AdminAPI
import ChatModel

private let oneSearch = AdminSearch("龙井 tea", conversation: "verona", sender: romeo, limit: 5)
private let nextSearch: AdminSearch = {
    var search = AdminSearch("tea")
    search.after = "s3"
    return search
}()

/// Every request about searching once, with the line it is on the socket.
let searchRequestVectors: [(AdminRequest, String)] = [
    (
        .search(.messages(oneSearch)),
        #"{"id":7,"ask":"message.search","with":{"words":"龙井 tea","conversation":"verona","sender":"romeo","limit":5}}"#
    ),
    (
        .search(.messages(nextSearch)),
        #"{"id":7,"ask":"message.search","with":{"words":"tea","limit":20,"after":"s3"}}"#
    ),
    (.search(.status), #"{"id":7,"ask":"search.status","with":{}}"#),
    (.search(.rebuild), #"{"id":7,"ask":"search.rebuild","with":{}}"#),
]

private let found = AdminFound(
    message: AdminMessage(
        conversation: 3, conversationName: "verona", sequence: 7, id: MessageID(rawValue: 9), sender: "romeo",
        sentAtMilliseconds: 6, kind: .text, text: "one\ntea", isCut: false), snippet: "one tea")
private let foundJSON =
    #""conversation":3,"conversationName":"verona","sequence":7,"id":"9","sender":"romeo","sentAt":6,"kind":-1,"#
    + #""text":"one\ntea","cut":false,"form":"text","snippet":"one tea""#

let searchReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.search(.found([found], next: "s7", indexedTo: 8)))),
        #"{"id":7,"answer":"search.found","with":{"found":[{\#(foundJSON)}],"next":"s7","indexedTo":8}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .search(
                    .status(
                        AdminSearchStatus(
                            state: "ready", indexedToMilliseconds: 8, messages: 1, waiting: 2, bytes: 3, rebuilds: 4,
                            searches: 5, cutShort: 6, reason: "r"))))),
        #"{"id":7,"answer":"search.status","with":{"state":"ready","indexedTo":8,"messages":1,"waiting":2,"bytes":3,"#
            + #""rebuilds":4,"searches":5,"cutShort":6,"reason":"r"}}"#
    ),
]
