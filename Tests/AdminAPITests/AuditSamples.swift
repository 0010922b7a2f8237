import AdminAPI
import ChatModel

private var sampleQuery: AuditQuery {
    var query = AuditQuery()
    query.who = "小明"
    query.what = "user"
    query.subject = "romeo"
    query.sinceMilliseconds = 5
    query.before = 9
    query.limit = 20
    return query
}

private let sampleEntry = AdminAuditEntry(
    AuditEntry(
        number: 3, atMilliseconds: 1_800_000_000_000,
        actor: AuditActor(uid: 1000, name: "小明", source: .console, reason: "r"), word: "user.disable",
        subject: "romeo", stage: .done, asked: "{\"name\":\"romeo\"}", before: "{}", after: nil), hash: "00ff")
private let entryJSON =
    #""number":3,"at":1800000000000,"uid":1000,"operator":"小明","source":"console","reason":"r","#
    + #""word":"user.disable","subject":"romeo","stage":"done","asked":"{\"name\":\"romeo\"}","before":"{}","#
    + #""hash":"00ff""#

private var sampleSignInQuery: AdminSignInQuery {
    var query = AdminSignInQuery()
    query.user = "小明"
    query.address = "10.0.0.5"
    query.result = "expired"
    query.sinceMilliseconds = 5
    query.untilMilliseconds = 9
    query.before = 17
    query.limit = 20
    return query
}

private var sampleLogQuery: AdminLogQuery {
    var query = AdminLogQuery()
    query.level = "warning"
    query.event = "sign_in"
    query.contains = "小明"
    query.sinceMilliseconds = 5
    query.untilMilliseconds = 9
    query.after = 17
    query.limit = 20
    return query
}

private var sampleSignIn: AdminSignIn {
    var entry = AdminSignIn(number: 3, atMilliseconds: 5, kind: "sum")
    entry.user = "小明"
    entry.address = "10.0.0.5"
    entry.device = "app"
    entry.gateway = "wukong"
    entry.credentials = "token"
    entry.result = "expired"
    entry.reason = "r"
    entry.count = 4_211
    return entry
}

/// Every request and reply about the audit log once, with the line it is on the socket.
let auditRequestVectors: [(AdminRequest, String)] = [
    (
        .audit(.list(sampleQuery)),
        #"{"id":7,"ask":"audit.list","with":{"who":"小明","what":"user","subject":"romeo","since":5,"before":9,"limit":20}}"#
    ),
    (.audit(.show(3)), #"{"id":7,"ask":"audit.show","with":{"number":3}}"#),
    (.audit(.verify), #"{"id":7,"ask":"audit.verify","with":{}}"#),
    (
        .audit(.signIns(sampleSignInQuery)),
        #"{"id":7,"ask":"audit.signIns","with":{"user":"小明","address":"10.0.0.5","result":"expired","since":5,"#
            + #""until":9,"before":17,"limit":20}}"#
    ),
    (.audit(.verifySignIns), #"{"id":7,"ask":"audit.verifySignIns","with":{}}"#),
    (
        .audit(.log(sampleLogQuery)),
        #"{"id":7,"ask":"log.list","with":{"level":"warning","event":"sign_in","contains":"小明","since":5,"#
            + #""until":9,"after":17,"limit":20}}"#
    ),
]

let auditReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.audit(.list([sampleEntry], next: 3)))),
        #"{"id":7,"answer":"audit","with":{"entries":[{\#(entryJSON)}],"next":3}}"#
    ),
    (
        .answer(id: 7, .success(.audit(.one(sampleEntry)))),
        #"{"id":7,"answer":"audit.entry","with":{\#(entryJSON)}}"#
    ),
    (
        .answer(id: 7, .success(.audit(.checked(AdminAuditCheck(count: 3, hash: "00ff", problems: ["p"]))))),
        #"{"id":7,"answer":"audit.checked","with":{"entries":3,"hash":"00ff","problems":["p"]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .audit(
                    .log([
                        AdminLogLine(number: 3, atMilliseconds: 5, level: "info", event: "started", text: "level=info")
                    ])))),
        #"{"id":7,"answer":"log","with":{"lines":[{"number":3,"at":5,"level":"info","event":"started","#
            + #""text":"level=info"}]}}"#
    ),
    (
        .answer(id: 7, .success(.audit(.signIns([sampleSignIn], next: 3)))),
        #"{"id":7,"answer":"signIns","with":{"entries":[{"number":3,"at":5,"kind":"sum","user":"小明","#
            + #""address":"10.0.0.5","device":"app","gateway":"wukong","with":"token","result":"expired","#
            + #""reason":"r","count":4211}],"next":3}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .audit(
                    .checkedSignIns(AdminSignInCheck(first: 2, last: 3, hash: "00ff", mended: 1, problems: ["p"]))))),
        #"{"id":7,"answer":"signIns.checked","with":{"first":2,"last":3,"hash":"00ff","mended":1,"problems":["p"]}}"#
    ),
]
