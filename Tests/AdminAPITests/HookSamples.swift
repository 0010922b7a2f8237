import AdminAPI

private let function = AdminHookFunction(
    name: "_messageReceived", calls: 9, failures: 2, rejections: 1, lastMilliseconds: 30, lastError: "it answered 500",
    isDisabled: true)
private let functionJSON =
    #""name":"_messageReceived","calls":9,"failures":2,"rejections":1,"lastMilliseconds":30,"#
    + #""lastError":"it answered 500","disabled":true"#

/// Every request about cloud functions once, with the line it is on the socket.
let hookRequestVectors: [(AdminRequest, String)] = [
    (.hooks(.list), #"{"id":7,"ask":"hook.list","with":{}}"#),
    (
        .hooks(.setDisabled("_messageSent", true)),
        #"{"id":7,"ask":"hook.disable","with":{"name":"_messageSent","disabled":true}}"#
    ),
]

let hookReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.hooks(.functions([function], dropped: 3)))),
        #"{"id":7,"answer":"hooks","with":{"hooks":[{\#(functionJSON)}],"dropped":3}}"#
    ),
    (
        .answer(id: 7, .success(.hooks(.function(AdminHookFunction(name: "_clientOnline"))))),
        #"{"id":7,"answer":"hook","with":{"name":"_clientOnline","calls":0,"failures":0,"rejections":0,"#
            + #""disabled":false}}"#
    ),
]
