import AdminAPI

/// Every request about imports once, with the line it is on the socket.
let importRequestVectors: [(AdminRequest, String)] = [
    (.imports(.begin(origin: "app")), #"{"id":7,"ask":"import.begin","with":{"origin":"app"}}"#),
    (
        .imports(.begin(origin: "http://old", source: "wukongim")),
        #"{"id":7,"ask":"import.begin","with":{"origin":"http://old","source":"wukongim"}}"#
    ),
    (
        .imports(
            .lines(
                AdminImportLines(
                    number: 3, table: "files", lines: [#"{"a":1}"#], expected: ["c"], contents: ["th-f1"]))),
        #"{"id":7,"ask":"import.lines","with":{"number":3,"table":"files","lines":["{\"a\":1}"],"expected":["c"],"#
            + #""contents":["th-f1"]}}"#
    ),
    (
        .imports(.finish(number: 3, counts: "{}")),
        #"{"id":7,"ask":"import.finish","with":{"number":3,"counts":"{}"}}"#
    ),
    (.imports(.list(before: nil)), #"{"id":7,"ask":"import.list","with":{}}"#),
    (.imports(.list(before: 4)), #"{"id":7,"ask":"import.list","with":{"before":4}}"#),
    (.imports(.undo(number: 3)), #"{"id":7,"ask":"import.undo","with":{"number":3}}"#),
]

let importReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.imports(.begun(number: 3)))),
        #"{"id":7,"answer":"import.begun","with":{"number":3}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .imports(
                    .outcome(
                        AdminImportOutcome(
                            rows: 6, added: 1, changed: 2, known: 3, kept: 4, refused: 5,
                            remarks: [AdminImportRemark(index: 0, text: "no id", refused: true)], wanted: [4]))))),
        #"{"id":7,"answer":"import.outcome","with":{"rows":6,"added":1,"changed":2,"known":3,"kept":4,"refused":5,"#
            + #""remarks":[{"index":0,"text":"no id","refused":true}],"wanted":[4]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .imports(
                    .list(
                        [
                            AdminImport(
                                number: 3, source: "leancloud", origin: "app", state: "whole", asker: "ming",
                                begunAtMilliseconds: 8, changedAtMilliseconds: 9, counts: "{}")
                        ], next: 3)))),
        #"{"id":7,"answer":"import.list","with":{"imports":[{"number":3,"source":"leancloud","origin":"app","#
            + #""state":"whole","asker":"ming","begunAt":8,"changedAt":9,"counts":"{}"}],"next":3}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .imports(
                    .undone(
                        AdminImportUndone(
                            conversations: 1, messages: 2, people: 3, devices: 4, kept: 5, isDone: true))))),
        #"{"id":7,"answer":"import.undone","with":{"conversations":1,"messages":2,"people":3,"devices":4,"kept":5,"#
            + #""done":true}}"#
    ),
]
