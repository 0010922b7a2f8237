import AdminAPI
import ChatModel
import Testing

private let allRequestVectors: [(AdminRequest, String)] = [
    requestVectors, fileRequestVectors, teamRequestVectors, auditRequestVectors, talkRequestVectors, wordRequestVectors,
    settingRequestVectors, peopleRequestVectors, appRequestVectors, filterRequestVectors, hookRequestVectors,
    arrivalRequestVectors, searchRequestVectors, invitationRequestVectors, importRequestVectors,
    retentionRequestVectors, exportRequestVectors,
].flatMap { $0 }

private let allReplyVectors: [(AdminReply, String)] = [
    replyVectors, fileReplyVectors, teamReplyVectors, auditReplyVectors, talkReplyVectors, wordReplyVectors,
    settingReplyVectors, peopleReplyVectors, appReplyVectors, filterReplyVectors, hookReplyVectors,
    arrivalReplyVectors, searchReplyVectors, invitationReplyVectors, importReplyVectors,
    retentionReplyVectors, exportReplyVectors,
].flatMap { $0 }

@Suite("Lines of the admin socket") struct LineTests {
    @Test(
        "a request is this line, and the line is the request",
        arguments: allRequestVectors)
    func request(_ request: AdminRequest, _ line: String) throws {
        #expect(String(decoding: request.line(id: 7), as: UTF8.self) == line)
        let read = try AdminRequest.read(Array(line.utf8))
        #expect(read.id == 7)
        #expect(try read.request.get() == request)
    }

    @Test(
        "a reply is this line, and the line is the reply",
        arguments: allReplyVectors)
    func reply(_ reply: AdminReply, _ line: String) throws {
        #expect(String(decoding: reply.line, as: UTF8.self) == line)
        #expect(try AdminReply(line: Array(line.utf8)) == reply)
    }

    @Test("who asks is beside what is asked")
    func who() throws {
        let who = AdminOperator(name: "小明", source: .console, reason: "r")
        let line = AdminRequest.status.line(id: 7, by: who)
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"id":7,"ask":"status","by":{"name":"小明","source":"console","reason":"r"},"with":{}}"#)
        #expect(try AdminRequest.read(line).by == who)
        #expect(try AdminRequest.read(AdminRequest.status.line(id: 7)).by == AdminOperator())
    }

    @Test("the hello line")
    func hello() throws {
        #expect(String(decoding: AdminProtocol.hello, as: UTF8.self) == #"{"teahouse":"admin","version":1}"#)
        try AdminProtocol.check(hello: AdminProtocol.hello)
    }

    @Test(
        "another hello is refused",
        arguments: ["{\"teahouse\":\"admin\",\"version\":2}", "{\"teahouse\":\"chat\",\"version\":1}", "{}", "x", ""])
    func otherHello(_ line: String) {
        #expect(throws: AdminError.self) { try AdminProtocol.check(hello: Array(line.utf8)) }
    }

    @Test(
        "what is no JSON object, or has no id, cannot be answered",
        arguments: [
            "", "[]", "7", "{", "{\"id\":1}x", "{\"ask\":\"status\"}", "{\"id\":\"1\"}", "{\"id\":1,\"id\":2}",
            "{\"id\":1.5}", "{\"id\":99999999999999999999}", "{'id':1}", "{\"id\":1,}", "{\"id\":1,\"a\":\"\n\"}",
            "{\"id\":1,\"a\":\"\\x\"}", "{\"id\":1,\"a\":\"\\ud800\"}", "{\"id\":1,\"a\":tru}",
            "{\"id\":1,\"a\":" + String(repeating: "[", count: 100_000) + "}",
        ])
    func noRequest(_ line: String) {
        let error = #expect(throws: AdminError.self) { _ = try AdminRequest.read(Array(line.utf8)).request.get() }
        #expect(error?.code == .protocolError || error?.code == .invalid)
    }

    @Test("bytes that are no UTF-8 are no text")
    func badText() {
        let line = Array(#"{"id":1,"ask":""#.utf8) + [0xFF] + Array(#"","with":{}}"#.utf8)
        #expect(throws: AdminError.self) { try AdminRequest.read(line) }
    }

    @Test(
        "a known request with wrong fields is answered under its id",
        arguments: [
            #"{"id":9,"ask":"nothing","with":{}}"#, #"{"id":9,"ask":"user.show","with":{}}"#,
            #"{"id":9,"ask":"user.show","with":{"name":"a\u0007"}}"#, #"{"id":9,"ask":"user.show","with":{"name":7}}"#,
            #"{"id":9,"ask":"user.show"}"#, #"{"id":9,"with":{}}"#,
            #"{"id":9,"ask":"user.token","with":{"name":"a","device":"app","level":"third"}}"#,
            #"{"id":9,"ask":"team.remove","with":{"team":"g","people":["a",1]}}"#,
            #"{"id":9,"ask":"team.ban","with":{"team":"","banned":true}}"#,
        ])
    func wrongFields(_ line: String) throws {
        let read = try AdminRequest.read(Array(line.utf8))
        #expect(read.id == 9)
        let error = #expect(throws: AdminError.self) { try read.request.get() }
        #expect(error?.code == .invalid)
    }

    @Test("keys, bounds and base64 of requests about files are looked at", arguments: brokenFileRequests)
    func brokenFileRequest(_ line: String) {
        let error = #expect(throws: AdminError.self) { try AdminRequest.read(Array(line.utf8)).request.get() }
        #expect(error?.code == .invalid || error?.code == .protocolError)
    }

    @Test("words and names of requests about teams are looked at", arguments: brokenTeamRequests)
    func brokenTeamRequest(_ line: String) {
        let error = #expect(throws: AdminError.self) { try AdminRequest.read(Array(line.utf8)).request.get() }
        #expect(error?.code == .invalid)
    }

    @Test("bounds of requests about the app are looked at", arguments: brokenAppRequests)
    func brokenApp(_ line: String) throws {
        let read = try AdminRequest.read(Array(line.utf8))
        #expect(throws: AdminError.self) { try read.request.get() }
    }

    @Test("what is done with keys is noted without them, and looking at them too")
    func appNotes() {
        let requests = appRequestVectors.map(\.0)
        #expect(requests.filter(\.isAudited).count == requests.count - 1 && !AdminRequest.app(.show).isAudited)
        #expect(!AdminRequest.app(.keys).isChange && AdminRequest.app(.sign(AdminAppSigning(.open))).isChange)
        let rotation = AdminAppRotation(key: .appKey, value: "secret key of before", overlapSeconds: 0)
        #expect(
            AdminRequest.app(.rotate(rotation)).asked == #"{"key":"app-key","value":"(brought along)","overlap":0}"#)
        #expect(AdminRequest.app(.rotate(rotation)).subject == "app-key")
    }

    @Test("bounds of requests about words and kinds are looked at", arguments: brokenWordRequests)
    func brokenWordRequest(_ line: String) {
        let error = #expect(throws: AdminError.self) { try AdminRequest.read(Array(line.utf8)).request.get() }
        #expect(error?.code == .invalid)
    }

    @Test("the journal has every change of the word list and of message kinds, and by its name")
    func wordJournal() {
        let looks: Set = ["word.list", "word.test", "word.flagged", "kind.list", "kind.try"]
        for (request, _) in wordRequestVectors {
            #expect(request.isChange != looks.contains(request.word))
            if request.isChange { #expect(["茶", "500"].contains(request.subject)) }
        }
    }

    @Test("the journal has every change of a setting and of the sign-in policy; a wrong policy or scope is no request")
    func settingJournal() {
        for (request, _) in settingRequestVectors {
            let isChange = ["setting.set", "setting.reset", "policy.set"].contains(request.word)
            #expect(request.isChange == isChange)
        }
        let scope = SessionScope(.group, .member)
        #expect(AdminRequest.settings(.set("max_input", scope, "1")).subject == "max_input")
        for line in [
            #"{"id":1,"ask":"policy.preview","with":{"policy":"app=0"}}"#,
            #"{"id":1,"ask":"setting.reset","with":{"name":"max_input","kind":"planet"}}"#,
        ] {
            let error = #expect(throws: AdminError.self) { try AdminRequest.read(Array(line.utf8)).request.get() }
            #expect(error?.code == .invalid)
        }
    }

    @Test("the journal has every switch of a cloud function, and by its name")
    func hookJournal() {
        let changes = hookRequestVectors.map(\.0).filter(\.isChange)
        #expect(changes.map(\.word) == ["hook.disable"] && changes.map(\.subject) == ["_messageSent"])
    }

    @Test("the journal has what was searched for, and bounds of a search are looked at")
    func searchJournal() {
        let requests = searchRequestVectors.map(\.0)
        #expect(requests.map(\.isAudited) == [true, true, false, true])
        #expect(requests.map(\.isChange) == [false, false, false, true])
        #expect(requests[0].asked.contains("龙井") && requests[0].subject == "verona")
        for fields in [#""words":"a","limit":0"#, #""words":"a","limit":21"#, #""limit":5"#] {
            let line = #"{"id":1,"ask":"message.search","with":{\#(fields)}}"#
            let error = #expect(throws: AdminError.self) { try AdminRequest.read(Array(line.utf8)).request.get() }
            #expect(error?.code == .invalid)
        }
    }

    @Test("the journal has who was invited and what was withdrawn, and hours are looked at")
    func invitationJournal() {
        let requests = invitationRequestVectors.map(\.0)
        #expect(requests.map(\.isChange) == [true, true, false, false, true])
        #expect(requests.map(\.subject) == ["romeo", nil, nil, nil, "3"])
        for hours in [0, 721] {
            let line = #"{"id":1,"ask":"invitation.add","with":{"hours":\#(hours)}}"#
            let error = #expect(throws: AdminError.self) { try AdminRequest.read(Array(line.utf8)).request.get() }
            #expect(error?.code == .invalid)
        }
    }

    @Test("the journal has every change of a team, and by its name")
    func teamJournal() {
        let looks: Set = ["team.show", "team.card", "team.announcements", "request.list"]
        for (request, _) in teamRequestVectors {
            #expect(request.isChange != looks.contains(request.word))
            if request.isChange { #expect(["verona", "5"].contains(request.subject)) }
        }
    }

    @Test("the journal has deletions and announcements, not who looks")
    func peopleJournal() {
        let changes = peopleRequestVectors.map(\.0).filter(\.isChange)
        #expect(changes.map(\.word) == ["user.delete", "notice.send", "notice.send"])
        #expect(changes.map(\.subject) == [juliet.text, verona.text, nil])
    }

    @Test("people who are brought are noted without their passwords and what an app knows of them, a dry run is not")
    func arrivals() {
        let requests = arrivalRequestVectors.map(\.0)
        #expect(requests.map(\.isChange) == [true, false] && requests.map(\.isAudited) == [true, false])
        let asked = requests[0].asked
        for secret in ["s4lt", "aGFzaA", "verona.it", "138", "nickname"] { #expect(!asked.contains(secret)) }
        #expect(asked.contains(#""name":"romeo","username":"tom""#) && asked.contains(#""hash":"(set)""#))
    }

    @Test("the most that is asked for at once fits a line, people as long as they may be")
    func arrivalBound() throws {
        var row = AdminArrival(name: romeo, username: String(repeating: "\u{1}", count: AppLimits.usernameScalars))
        row.fields = #"{"a":""# + String(repeating: "\\\"", count: AppLimits.fieldsBytes / 2 - 4) + #""}"#
        var rows: [AdminArrival] = []
        var bytes = 0
        while bytes < AdminProtocol.arrivalBytes {
            rows.append(row)
            bytes += row.lineBytes
        }
        let line = AdminRequest.people(.bring(rows, isDryRun: false)).line(id: .max)
        #expect(line.count <= AdminProtocol.maximumLineBytes)
        let tooMany = Array(repeating: AdminArrival(name: romeo, username: "r"), count: AdminProtocol.importRows + 1)
        let broken = AdminRequest.people(.bring(tooMany, isDryRun: true)).line(id: 1)
        #expect(throws: AdminError.self) { try AdminRequest.read(broken).request.get() }
    }

    @Test("a piece of the largest size fits a line, one byte more is refused")
    func pieceBound() throws {
        let largest = AdminPiece(offset: .max, bytes: Array(repeating: 0xFF, count: AdminProtocol.pieceBytes))
        let line = AdminRequest.transfers(.piece(largest)).line(id: .max)
        #expect(line.count <= AdminProtocol.maximumLineBytes)
        #expect(try AdminRequest.read(line).request.get() == .transfers(.piece(largest)))
        let tooLarge = AdminPiece(offset: 0, bytes: largest.bytes + [0])
        let broken = AdminRequest.transfers(.piece(tooLarge)).line(id: 1)
        #expect(throws: AdminError.self) { try AdminRequest.read(broken).request.get() }
    }

    @Test("the journal has what changes something, and no piece of an upload")
    func journal() {
        let changes = fileRequestVectors.map(\.0).filter(\.isChange)
        #expect(
            Set(changes.map(\.word)) == [
                "file.delete", "file.send", "transfer.change", "upload.open", "profile.set", "profile.invalidate",
            ])
        #expect(AdminRequest.files(.collect(isDryRun: false)).isChange)
        #expect(AdminRequest.files(.delete(sampleKey)).subject == sampleKey.text)
        #expect(AdminRequest.transfers(.change(sampleTransferKey, .cancel)).subject == sampleTransferKey.text)
    }

    @Test("an import request over its bound is refused, at the bound it is taken")
    func importBound() throws {
        let rows = Array(repeating: AdminImportRow(name: romeo), count: AdminProtocol.importRows)
        let allowed = AdminRequest.importUsers(rows, [.app])
        #expect(try AdminRequest.read(allowed.line(id: 1)).request.get() == allowed)
        let tooMany = AdminRequest.importUsers(rows + rows.prefix(1), [.app]).line(id: 1)
        #expect(throws: AdminError.self) { try AdminRequest.read(tooMany).request.get() }
    }

    @Test("escapes of other writers are understood")
    func escapes() throws {
        let line = #" { "id" : 1 , "ask" : "user.show" , "with" : { "name" : "\u5f20\ud83c\udf75\/\"" } } "#
        #expect(try AdminRequest.read(Array(line.utf8)).request.get() == .showUser(UserName("张🍵/\"")!))
    }

    @Test("an error code of a newer server is a refusal")
    func newCode() throws {
        let reply = try AdminReply(line: Array(#"{"id":1,"error":{"code":"brandNew","message":"m"}}"#.utf8))
        #expect(reply == .answer(id: 1, .failure(AdminError(.refused, "m"))))
    }
}

@Suite("Cutting a stream into lines") struct LineSplitterTests {
    @Test("cut anywhere, the lines are the same", arguments: 0...12)
    func cut(_ place: Int) throws {
        let stream = Array("ab\n\ncdef\nghi".utf8)
        var splitter = LineSplitter()
        var lines: [[UInt8]] = []
        for part in [stream[..<place], stream[place...]] {
            splitter.append(part)
            while let line = try splitter.next() { lines.append(line) }
        }
        #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["ab", "", "cdef"])
        splitter.append(Array("\n".utf8))
        #expect(try splitter.next() == Array("ghi".utf8))
    }

    @Test("a line at the bound passes, one byte more is refused", arguments: [true, false])
    func bound(_ ended: Bool) throws {
        var splitter = LineSplitter(maximumBytes: 4)
        splitter.append(Array("1234\n".utf8))
        #expect(try splitter.next() == Array("1234".utf8))
        splitter.append(Array((ended ? "12345\n" : "12345").utf8))
        #expect(throws: AdminError.self) { try splitter.next() }
    }
}
