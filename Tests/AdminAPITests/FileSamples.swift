import AdminAPI
import ChatModel

let sampleKey = FileKey("th-fabcdefghijklmnopqrstuvwxyz")!
let sampleLink = FileLinkKey("th-l234567abcdefghijklmnopqrst")!
let sampleTransferKey = TransferKey("th-tzyxwvutsrqponmlkjihgfedcba")!
let sampleHash = ContentHash(Array(0..<32))!
private let hashText = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

let sampleFile = AdminFile(
    key: sampleKey, name: "会议\u{1B}.pdf", mediaType: "application/pdf", size: 100, storedSize: 40, hash: sampleHash,
    owner: juliet, references: 2, isComplete: true, isDamaged: false, createdAtMilliseconds: 9)
private let fileJSON =
    #""key":"th-fabcdefghijklmnopqrstuvwxyz","name":"会议\u001b.pdf","mediaType":"application/pdf","size":100,"#
    + #""storedSize":40,"hash":"\#(hashText)","owner":"朱丽叶","references":2,"complete":true,"damaged":false,"#
    + #""createdAt":9"#

private var sampleTotals: FileTotals {
    var totals = FileTotals()
    totals.files = 1
    totals.objects = 2
    totals.fileBytes = 3
    totals.plainBytes = 4
    totals.storedBytes = 5
    totals.unreferencedFiles = 6
    totals.damagedObjects = 7
    return totals
}

private let sampleCheck = AdminFileCheck(
    objects: 1, bytes: 2, allObjects: 3, allBytes: 4, damagedCount: 5,
    damaged: [AdminDamage(hash: sampleHash, problem: "p")])
private let checkJSON =
    #""objects":1,"bytes":2,"allObjects":3,"allBytes":4,"damagedCount":5,"damaged":[{"hash":"\#(hashText)","problem":"p"}]"#

func sampleTransfer(
    _ name: String = "片.mp4", state: TransferState = .progressing, size: Int64? = 1000, offset: Int64 = 250
) -> TransferRecord {
    TransferRecord(
        id: TransferID(rawValue: 1), key: sampleTransferKey, direction: .upload, transferClass: .operator,
        state: state, owner: UserID(rawValue: 1), ownerName: romeo, file: sampleKey, fileName: name, mediaType: "m",
        size: size, offset: offset, provider: "objects", error: state == .failed ? "e" : nil,
        createdAtMilliseconds: 5, updatedAtMilliseconds: 6, expiresAtMilliseconds: 7)
}

private let transferStart =
    #""key":"th-tzyxwvutsrqponmlkjihgfedcba","direction":"upload","class":"operator","#
private let transferJSON =
    transferStart
    + #""state":"progressing","owner":"romeo","file":"th-fabcdefghijklmnopqrstuvwxyz","fileName":"片.mp4","size":1000,"#
    + #""offset":250,"live":true,"bytesPerSecond":50,"remainingSeconds":15,"createdAt":5,"updatedAt":6"#
private let failedJSON =
    transferStart
    + #""state":"failed","owner":"romeo","file":"th-fabcdefghijklmnopqrstuvwxyz","fileName":"片.mp4","#
    + #""offset":250,"error":"e","live":false,"bytesPerSecond":0,"createdAt":5,"updatedAt":6"#
private let moving = AdminTransfer(sampleTransfer(), isLive: true, bytesPerSecond: 50, remainingSeconds: 15)

private func ask(_ word: String, _ with: String) -> String { #"{"id":7,"ask":"\#(word)","with":{\#(with)}}"# }
private let fileField = #""file":"th-fabcdefghijklmnopqrstuvwxyz""#
private let transferField = #""transfer":"th-tzyxwvutsrqponmlkjihgfedcba""#

/// Every request about files, transfers and profiles, with the line it is on the socket.
let fileRequestVectors: [(AdminRequest, String)] = [
    (
        .files(.list(AdminFileQuery())),
        ask("file.list", #""order":"time","orphans":false,"damaged":false,"limit":100"#)
    ),
    (
        .files(
            .list(
                AdminFileQuery(
                    owner: romeo, conversation: "verona", order: .ratio, onlyOrphans: true, onlyDamaged: true,
                    limit: 1000))),
        ask(
            "file.list",
            #""owner":"romeo","conversation":"verona","order":"ratio","orphans":true,"damaged":true,"limit":1000"#)
    ),
    (.files(.show(sampleKey)), ask("file.show", fileField)), (.files(.verify(nil)), ask("file.verify", "")),
    (.files(.verify(sampleKey)), ask("file.verify", fileField)),
    (.files(.collect(isDryRun: true)), ask("file.collect", #""dryRun":true"#)),
    (.files(.delete(sampleKey)), ask("file.delete", fileField)),
    (
        .files(.send(AdminFileSend(from: romeo, to: .user(juliet), file: sampleKey))),
        ask("file.send", #""from":"romeo","to":"朱丽叶",\#(fileField)"#)
    ),
    (
        .files(.send(AdminFileSend(from: romeo, to: .conversation("id:3"), file: sampleKey))),
        ask("file.send", #""from":"romeo","conversation":"id:3",\#(fileField)"#)
    ),
    (.transfers(.list(nil, withOver: false, limit: 1)), ask("transfer.list", #""over":false,"limit":1"#)),
    (
        .transfers(.list(romeo, withOver: true, limit: 1000)),
        ask("transfer.list", #""owner":"romeo","over":true,"limit":1000"#)
    ),
    (
        .transfers(.change(sampleTransferKey, .suspend)),
        ask("transfer.change", transferField + #","action":"suspend""#)
    ),
    (
        .transfers(.change(sampleTransferKey, .resume)),
        ask("transfer.change", transferField + #","action":"resume""#)
    ),
    (
        .transfers(.change(sampleTransferKey, .cancel)),
        ask("transfer.change", transferField + #","action":"cancel""#)
    ),
    (.transfers(.watch(nil)), ask("transfer.watch", "")),
    (.transfers(.watch(romeo)), ask("transfer.watch", #""owner":"romeo""#)),
    (
        .transfers(
            .upload(
                AdminUpload(owner: romeo, name: "片", mediaType: "m", size: 0, source: "0123456789abcdef"))),
        ask(
            "upload.open",
            #""owner":"romeo","name":"片","mediaType":"m","size":0,"source":"0123456789abcdef","avatar":false"#)
    ),
    (
        .transfers(
            .upload(
                AdminUpload(
                    owner: romeo, name: "n", mediaType: "m", size: 9, source: "0123456789abcdef",
                    resumed: sampleTransferKey, isAvatar: true, importing: 3))),
        ask(
            "upload.open",
            #""owner":"romeo","name":"n","mediaType":"m","size":9,"source":"0123456789abcdef","#
                + #""resume":"th-tzyxwvutsrqponmlkjihgfedcba","avatar":true,"import":3"#)
    ),
    (
        .transfers(.piece(AdminPiece(offset: 3, bytes: [0, 0xFF, 7, 8]))),
        ask("upload.piece", #""offset":3,"bytes":"AP8HCA==""#)
    ),
    (.transfers(.finishUpload), ask("upload.finish", "")),
    (.profiles(.show(romeo, by: nil, in: nil)), ask("profile.show", #""name":"romeo""#)),
    (
        .profiles(.show(romeo, by: juliet, in: "verona")),
        ask("profile.show", #""name":"romeo","by":"朱丽叶","conversation":"verona""#)
    ),
    (.profiles(.set(AdminProfileChange(name: romeo))), ask("profile.set", #""name":"romeo""#)),
    (
        .profiles(
            .set(
                AdminProfileChange(
                    name: romeo, displayName: "R", externalID: "", avatar: sampleKey, attributes: "{}"))),
        ask(
            "profile.set",
            #""name":"romeo","displayName":"R","externalID":"","avatar":"th-fabcdefghijklmnopqrstuvwxyz","#
                + #""attributes":"{}""#)
    ),
    (.profiles(.invalidate(.person(romeo))), ask("profile.invalidate", #""name":"romeo""#)),
    (.profiles(.invalidate(.team("tea"))), ask("profile.invalidate", #""conversation":"tea""#)),
    (.profiles(.invalidate(.all)), ask("profile.invalidate", #""all":true"#)),
    (.profiles(.metrics), ask("profile.figures", "")),
]

private func answer(_ word: String, _ with: String) -> String { #"{"id":7,"answer":"\#(word)","with":{\#(with)}}"# }

/// Every answer and event about them.
let fileReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.files(.list([sampleFile], sampleTotals)))),
        answer(
            "files",
            #""files":[{\#(fileJSON)}],"totals":{"files":1,"objects":2,"fileBytes":3,"plainBytes":4,"storedBytes":5,"#
                + #""orphans":6,"damaged":7}"#)
    ),
    (
        .answer(
            id: 7,
            .success(
                .files(
                    .one(
                        AdminFileDetail(
                            file: sampleFile, provider: "objects", codec: "gzip", metadata: "{}",
                            references: [
                                AdminFileReference(.message, name: "verona", conversation: 3, sequence: 4),
                                AdminFileReference(.smallAvatar, name: "romeo"),
                            ], links: [AdminFileLink(key: sampleLink, conversation: 3, createdAtMilliseconds: 1)]))))),
        answer(
            "file",
            #""file":{\#(fileJSON)},"provider":"objects","codec":"gzip","metadata":"{}","references":["#
                + #"{"kind":"message","name":"verona","conversation":3,"sequence":4},"#
                + #"{"kind":"smallAvatar","name":"romeo"}],"links":["#
                + #"{"key":"th-l234567abcdefghijklmnopqrst","conversation":3,"createdAt":1}]"#)
    ),
    (.answer(id: 7, .success(.files(.checked(sampleCheck)))), answer("files.checked", checkJSON)),
    (
        .answer(
            id: 7,
            .success(
                .files(.collected(AdminCollection(isDryRun: true, files: 1, objects: 2, bytes: 3, uploads: 4))))),
        answer("files.collected", #""dryRun":true,"files":1,"objects":2,"bytes":3,"uploads":4,"names":[]"#)
    ),
    (.answer(id: 7, .success(.transfers(.one(moving)))), answer("transfer", transferJSON)),
    (
        .answer(
            id: 7,
            .success(.transfers(.list([AdminTransfer(sampleTransfer(state: .failed, size: nil))])))),
        answer("transfers", #""transfers":[{\#(failedJSON)}]"#)
    ),
    (.answer(id: 7, .success(.transfers(.taken(131_072)))), answer("upload.taken", #""offset":131072"#)),
    (
        .answer(
            id: 7,
            .success(
                .profiles(
                    .one(
                        AdminProfile(
                            name: romeo, shownName: "R", isKnown: true, isPlaceholder: false,
                            fields: [AdminProfileField("displayName", "R", source: "account")],
                            entry: AdminProfileEntry(source: "both", ageMilliseconds: 1, leftMilliseconds: -2),
                            watchers: 3))))),
        answer(
            "profile",
            #""name":"romeo","shownName":"R","known":true,"placeholder":false,"fields":["#
                + #"{"name":"displayName","value":"R","source":"account"}],"#
                + #""entry":{"source":"both","ageMilliseconds":1,"leftMilliseconds":-2},"watchers":3"#)
    ),
    (
        .answer(id: 7, .success(.profiles(.metrics([AdminMetric("profiles.entries", 4)])))),
        answer("profile.figures", #""figures":[{"name":"profiles.entries","value":4}]"#)
    ),
    (.event(id: 7, .transfers([moving])), #"{"id":7,"event":"transfers","with":{"transfers":[{\#(transferJSON)}]}}"#),
    (.event(id: 7, .checking(sampleCheck)), #"{"id":7,"event":"files.checking","with":{\#(checkJSON)}}"#),
]

/// Requests that break a bound of their form.
let brokenFileRequests = [
    ask("file.show", #""file":"th-fabc""#), ask("file.show", #""file":"th-tzyxwvutsrqponmlkjihgfedcba""#),
    ask("file.list", #""order":"name","orphans":false,"damaged":false,"limit":100"#),
    ask("file.list", #""order":"time","orphans":false,"damaged":false,"limit":1001"#),
    ask("file.list", #""order":"time","orphans":false,"damaged":false,"limit":0"#), ask("file.collect", ""),
    ask("file.send", #""from":"romeo",\#(fileField)"#), ask("transfer.list", #""over":true,"limit":1001"#),
    ask("transfer.change", transferField + #","action":"stop""#), ask("transfer.change", #""action":"suspend""#),
    ask(
        "upload.open",
        #""owner":"romeo","name":"n","mediaType":"m","size":-1,"source":"0123456789abcdef","avatar":false"#
    ), ask("upload.open", #""owner":"romeo","name":"n","mediaType":"m","size":1,"source":"0123","avatar":false"#),
    ask(
        "upload.open",
        #""owner":"romeo","name":"n","mediaType":"m","size":1,"source":"0123456789ABCDEF","avatar":false"#
    ), ask("upload.piece", #""offset":0,"bytes":"""#), ask("upload.piece", #""offset":-1,"bytes":"AAAA""#),
    ask("upload.piece", #""offset":0,"bytes":"A""#), ask("upload.piece", #""offset":0,"bytes":"A-=="}"#),
    ask("profile.invalidate", ""), ask("profile.set", #""name":"romeo","avatar":"cat.png""#),
]
