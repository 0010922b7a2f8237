import AdminAPI
import ChatModel

private let sampleEntry = MessageKindEntry(
    kind: MessageKind(rawValue: 500), name: "card", version: 2, requiredFields: ["title"], fileFields: ["picture"],
    degrade: "d", typeTitle: "名片", summary: "s", digest: "[{title}]", isDisabled: true)
private let entryJSON =
    #""number":500,"name":"card","version":2,"required":["title"],"files":["picture"],"degrade":"d","#
    + #""typeTitle":"名片","summary":"s","digest":"[{title}]","disabled":true"#

/// Every request about the word list and message kinds once, with the line it is on the socket.
let wordRequestVectors: [(AdminRequest, String)] = [
    (.words(.list(after: nil)), #"{"id":7,"ask":"word.list","with":{}}"#),
    (.words(.list(after: "茶")), #"{"id":7,"ask":"word.list","with":{"after":"茶"}}"#),
    (
        .words(.add([WordRule("茶", .mask)])),
        #"{"id":7,"ask":"word.add","with":{"rules":[{"word":"茶","action":"mask"}]}}"#
    ),
    (.words(.remove(["茶"])), #"{"id":7,"ask":"word.remove","with":{"words":["茶"]}}"#),
    (.words(.test("t")), #"{"id":7,"ask":"word.test","with":{"text":"t"}}"#),
    (.words(.flagged(before: 9)), #"{"id":7,"ask":"word.flagged","with":{"before":9}}"#),
    (.kinds(.list), #"{"id":7,"ask":"kind.list","with":{}}"#),
    (.kinds(.set(sampleEntry)), #"{"id":7,"ask":"kind.set","with":{\#(entryJSON)}}"#),
    (
        .kinds(.setDisabled(sampleEntry.kind, true)),
        #"{"id":7,"ask":"kind.disable","with":{"number":500,"disabled":true}}"#
    ),
    (.kinds(.remove(sampleEntry.kind)), #"{"id":7,"ask":"kind.remove","with":{"number":500}}"#),
    (
        .kinds(.try(sampleEntry.kind, body: "{}")),
        #"{"id":7,"ask":"kind.try","with":{"number":500,"body":"{}"}}"#
    ),
]

let wordReplyVectors: [(AdminReply, String)] =
    [
        (
            .answer(id: 7, .success(.words(.rules([WordRule("茶", .flag)], next: "茶")))),
            #"{"id":7,"answer":"words","with":{"rules":[{"word":"茶","action":"flag"}],"next":"茶"}}"#
        ),
        (
            .answer(
                id: 7,
                .success(
                    .words(.tested(AdminWordTest(action: .mask, masked: "*", hits: [WordRule("茶", .mask)]))))),
            #"{"id":7,"answer":"word.tested","with":{"action":"mask","masked":"*","hits":[{"word":"茶","action":"mask"}]}}"#
        ),
        (
            .answer(id: 7, .success(.words(.tested(AdminWordTest())))),
            #"{"id":7,"answer":"word.tested","with":{"hits":[]}}"#
        ),
        (
            .answer(
                id: 7,
                .success(
                    .words(
                        .flagged(
                            [
                                AdminFlagged(
                                    number: 3, atMilliseconds: 4, conversation: 5, conversationName: "verona",
                                    sequence: 6, sender: "romeo", word: "茶")
                            ], next: 3)))),
            #"{"id":7,"answer":"word.flagged","with":{"messages":[{"number":3,"at":4,"conversation":5,"#
                + #""conversationName":"verona","sequence":6,"sender":"romeo","word":"茶"}],"next":3}}"#
        ),
        (
            .answer(id: 7, .success(.kinds(.kinds([AdminMessageKind(sampleEntry, undecodable: 2)])))),
            #"{"id":7,"answer":"kinds","with":{"kinds":[{\#(entryJSON),"undecodable":2}]}}"#
        ),
        (
            .answer(id: 7, .success(.kinds(.kind(AdminMessageKind(sampleEntry, undecodable: 0))))),
            #"{"id":7,"answer":"kind","with":{\#(entryJSON),"undecodable":0}}"#
        ),
        (.answer(id: 7, .success(.sent(digested))), #"{"id":7,"answer":"sent","with":{\#(digestedJSON)}}"#),
    ] + trialVectors

/// A message of a registered kind, as the server shows it.
private var digested: AdminMessage {
    var sketch = MessageSketch(.custom, kind: sampleEntry.kind)
    sketch.line = "[茶]"
    return AdminMessage(
        conversation: 3, conversationName: "verona", sequence: 7, id: MessageID(rawValue: 9), sender: "romeo",
        sentAtMilliseconds: 6, kind: sampleEntry.kind, text: "{}", isCut: false, sketch: sketch)
}
private let digestedJSON =
    #""conversation":3,"conversationName":"verona","sequence":7,"id":"9","sender":"romeo","sentAt":6,"kind":500,"#
    + #""text":"{}","cut":false,"form":"custom","line":"[茶]""#

private let trialVectors: [(AdminReply, String)] = [
    (nil, ""), (.noObject, #""problem":"noObject","#), (.missing("title"), #""problem":"missing","field":"title","#),
    (.newerVersion(3), #""problem":"newerVersion","version":3,"#),
].map { (problem: KindProblem?, json: String) in
    let trial = AdminKindTrial(problem: problem, line: "l", typeTitle: "t", summary: "s", degrade: "d")
    return (
        .answer(id: 7, .success(.kinds(.tried(trial)))),
        #"{"id":7,"answer":"kind.tried","with":{\#(json)"line":"l","typeTitle":"t","summary":"s","degrade":"d"}}"#
    )
}

/// Requests about words and kinds that are out of their bounds.
let brokenWordRequests: [String] = [
    #"{"id":1,"ask":"word.add","with":{"rules":[]}}"#, #"{"id":1,"ask":"word.remove","with":{"words":[]}}"#,
    #"{"id":1,"ask":"word.add","with":{"rules":[{"word":"a","action":"drop"}]}}"#,
    #"{"id":1,"ask":"word.remove","with":{"words":["#
        + Array(repeating: #""a""#, count: AdminProtocol.wordRows + 1).joined(separator: ",") + "]}}",
    #"{"id":1,"ask":"word.test","with":{"text":""#
        + String(repeating: "a", count: AdminProtocol.maximumTextBytes + 1) + #""}}"#,
    #"{"id":1,"ask":"kind.remove","with":{"number":2147483648}}"#, #"{"id":1,"ask":"kind.try","with":{"number":1}}"#,
    #"{"id":1,"ask":"kind.set","with":{"number":500,"name":"card","degrade":"d","typeTitle":"t"}}"#,
]
