import AdminAPI
import ChatModel

private let replacing = AdminFilterRule(
    number: 3, receiver: UserName("juliet")!, sender: UserName("romeo")!, kind: .text, word: "茶",
    action: .replace(text: "…", kind: MessageKind(rawValue: 500)))
private let replacingJSON =
    #""number":3,"receiver":"juliet","sender":"romeo","kind":-1,"word":"茶","text":"…","as":500"#

/// Every request about the rules for what people are shown once, with the line it is on the socket.
let filterRequestVectors: [(AdminRequest, String)] = [
    (.filters(.list(after: nil)), #"{"id":7,"ask":"filter.list","with":{}}"#),
    (.filters(.list(after: 4)), #"{"id":7,"ask":"filter.list","with":{"after":4}}"#),
    (.filters(.add(replacing)), #"{"id":7,"ask":"filter.add","with":{\#(replacingJSON)}}"#),
    (.filters(.add(AdminFilterRule(action: .drop))), #"{"id":7,"ask":"filter.add","with":{"number":0}}"#),
    (.filters(.remove(3)), #"{"id":7,"ask":"filter.remove","with":{"number":3}}"#),
    (
        .filters(.test(AdminFilterTrial(receiver: UserName("juliet")!, sender: UserName("romeo")!, text: "t"))),
        #"{"id":7,"ask":"filter.test","with":{"receiver":"juliet","sender":"romeo","kind":-1,"text":"t"}}"#
    ),
]

let filterReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.filters(.rules([replacing], next: 3)))),
        #"{"id":7,"answer":"filters","with":{"rules":[{\#(replacingJSON)}],"next":3}}"#
    ),
    (
        .answer(id: 7, .success(.filters(.rule(AdminFilterRule(number: 4, action: .drop))))),
        #"{"id":7,"answer":"filter","with":{"number":4}}"#
    ),
    (
        .answer(id: 7, .success(.filters(.tested(replacing)))),
        #"{"id":7,"answer":"filter.tested","with":{"rules":[{\#(replacingJSON)}]}}"#
    ),
    (.answer(id: 7, .success(.filters(.tested(nil)))), #"{"id":7,"answer":"filter.tested","with":{"rules":[]}}"#),
    (.answer(id: 7, .success(.sent(forSome))), #"{"id":7,"answer":"sent","with":{\#(forSomeJSON)}}"#),
]

/// A message for some only, as operators are shown it.
private var forSome: AdminMessage {
    var message = AdminMessage(
        conversation: 5, conversationName: "verona", sequence: 6, id: MessageID(rawValue: 7), sender: "romeo",
        sentAtMilliseconds: 8, kind: .text, text: "t", isCut: false)
    message.visibleTo = ["juliet"]
    message.visibleCount = 1
    return message
}

private let forSomeJSON =
    #""conversation":5,"conversationName":"verona","sequence":6,"id":"7","sender":"romeo","sentAt":8,"kind":-1,"#
    + #""text":"t","cut":false,"form":"text","visibleCount":1,"visibleTo":["juliet"]"#
