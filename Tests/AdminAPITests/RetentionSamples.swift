import AdminAPI

private let hold = AdminHold(
    number: 3, kind: .conversation, name: "tea", conversation: 5, reason: "case 7", asker: "anna",
    createdAtMilliseconds: 6)
private let holdJSON =
    #""number":3,"kind":"conversation","name":"tea","conversation":5,"reason":"case 7","asker":"anna","createdAt":6"#

/// Every request about retention once, with the line it is on the socket.
let retentionRequestVectors: [(AdminRequest, String)] = [
    (.retention(.forecast), #"{"id":7,"ask":"retention.forecast","with":{}}"#),
    (.retention(.holds(after: nil)), #"{"id":7,"ask":"hold.list","with":{}}"#),
    (.retention(.holds(after: 4)), #"{"id":7,"ask":"hold.list","with":{"after":4}}"#),
    (
        .retention(.hold(AdminNewHold(kind: .person, name: "ming", reason: "case 7"))),
        #"{"id":7,"ask":"hold.add","with":{"kind":"person","name":"ming","reason":"case 7"}}"#
    ),
    (.retention(.release(3)), #"{"id":7,"ask":"hold.remove","with":{"number":3}}"#),
]

private let amount = AdminRetentionAmount(
    conversations: 1, messages: 2, bytes: 3, attachments: 4, attachmentBytes: 5)
private let amountJSON = #"{"conversations":1,"messages":2,"bytes":3,"attachments":4,"attachmentBytes":5}"#

let retentionReplyVectors: [(AdminReply, String)] = [
    (
        .answer(
            id: 7,
            .success(
                .retention(
                    .forecast(
                        [
                            AdminRetentionRow(
                                name: "direct", days: 30, messages: 0, attachmentDays: 7, now: amount, soon: amount)
                        ], held: 9)))),
        #"{"id":7,"answer":"retention.forecast","with":{"rows":[{"name":"direct","days":30,"messages":0,"#
            + #""attachmentDays":7,"now":\#(amountJSON),"soon":\#(amountJSON)}],"held":9}}"#
    ),
    (
        .answer(id: 7, .success(.retention(.holds([hold], next: 3)))),
        #"{"id":7,"answer":"hold.list","with":{"holds":[{\#(holdJSON)}],"next":3}}"#
    ),
    (.answer(id: 7, .success(.retention(.hold(hold)))), #"{"id":7,"answer":"hold","with":{\#(holdJSON)}}"#),
]
