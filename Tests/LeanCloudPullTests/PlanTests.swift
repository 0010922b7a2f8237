import Testing

@testable import HTTPClient
@testable import LeanCloudPull

@Suite("The way through a history") struct HistoryWalkTests {
    private func key(_ time: Int64, _ id: String) -> MessageKey {
        MessageKey(timestamp: time, conversation: "c", message: id)
    }

    @Test("goes on behind the last message until nothing new comes")
    func pages() {
        var walk = HistoryWalk(.app)
        #expect(walk.path == "/1.2/rtm/messages?reversed=true&limit=1000")
        #expect(walk.takeKeys([self.key(5, "a"), self.key(7, "b/+")], rows: 2) == .more)
        #expect(walk.path == "/1.2/rtm/messages?reversed=true&limit=1000&timestamp=7&msgid=b%2F%2B")
        #expect(walk.takeKeys([self.key(7, "b/+")], rows: 1) == .end)
        #expect(walk.takeKeys([], rows: 0) == .end)
    }

    @Test("says why it cannot go on", arguments: [0, 1, 2])
    func stuck(_ kind: Int) {
        var walk = HistoryWalk(.app, limit: 2)
        #expect(walk.takeKeys([self.key(5, "a"), self.key(7, "b")], rows: 2) == .more)
        let keys = [[self.key(5, "a"), self.key(7, "b")], [self.key(9, "d"), self.key(8, "c")], []][kind]
        guard case .stuck = walk.takeKeys(keys, rows: 2) else {
            Issue.record("it goes on")
            return
        }
    }

    @Test("each kind of conversation has its path, system conversations that of version 1.1")
    func places() {
        #expect(HistoryWalk(.conversation("a b"), since: 9).path.hasPrefix("/1.2/rtm/conversations/a%20b/messages?"))
        #expect(HistoryWalk(.room("r")).path.hasPrefix("/1.2/rtm/chatrooms/r/messages?"))
        #expect(
            HistoryWalk(.service("s"), since: 9).path
                == "/1.1/rtm/messages/history?convid=s&reversed=true&limit=1000&max_ts=9")
    }

    @Test("asks for less where a page was too long, down to one")
    func shrinks() {
        var walk = HistoryWalk(.app)
        var limits: [Int] = []
        while walk.shrink() { limits.append(walk.limit) }
        #expect(limits == [250, 62, 15, 3, 1])
    }

    @Test("keys sort by time, then conversation, then id")
    func keys() {
        let keys = [self.key(10, "a"), self.key(9, "z"), self.key(9, "b")].sorted()
        #expect(keys.map(\.message) == ["b", "z", "a"])
        #expect(keys[0].bytes.lexicographicallyPrecedes(keys[1].bytes))
        #expect(self.key(9, "z").bytes.lexicographicallyPrecedes(self.key(10, "a").bytes))
    }
}

@Suite("Asking again") struct RetryPolicyTests {
    private func response(_ status: Int, _ fields: [HTTPResponse.Field] = [], _ body: String = "") -> HTTPResponse {
        HTTPResponse(status: status, fields: fields, body: Array(body.utf8), isCut: false)
    }

    @Test("waits twice as long each time, and not longer than a minute")
    func doubles() {
        var policy = RetryPolicy()
        var waits: [Int64] = []
        for _ in 0..<10 {
            if case .wait(let time) = policy.judge(.success(self.response(500)), what: "", chance: 1, now: 0) {
                waits.append(time)
            }
        }
        #expect(waits == [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
        #expect(policy.judge(.success(self.response(200)), what: "", chance: 1, now: 0) == .use)
        #expect(policy.judge(.success(self.response(503)), what: "", chance: 0, now: 0) == .wait(milliseconds: 250))
    }

    @Test("does what Retry-After says")
    func retryAfter() {
        var policy = RetryPolicy()
        let busy = self.response(429, [HTTPResponse.Field(name: "retry-after", value: "7")])
        #expect(policy.judge(.success(busy), what: "", chance: 0, now: 0) == .wait(milliseconds: 7_000))
    }

    @Test("waits a day for a limit, and half an hour for a source that fails")
    func patience() {
        var policy = RetryPolicy()
        let hour: Int64 = 3_600_000
        _ = policy.judge(.success(self.response(429)), what: "", chance: 0, now: 0)
        #expect(
            policy.judge(.success(self.response(429)), what: "", chance: 0, now: 25 * hour) == .wait(milliseconds: 500))
        guard case .fail(.gaveUp) = policy.judge(.success(self.response(502)), what: "", chance: 0, now: 25 * hour)
        else {
            Issue.record("it waits")
            return
        }
    }

    @Test("a key that is wrong is asked about once, in the source's own words")
    func wrongKey() {
        var policy = RetryPolicy()
        let answer = self.response(401, [], #"{"code":401,"error":"Unauthorized."}"#)
        #expect(
            policy.judge(.success(answer), what: "", chance: 0, now: 0)
                == .fail(.wrongKey(status: 401, text: "401: Unauthorized.")))
    }

    @Test("requests are spaced; a source that says too much gets half, and is recovered towards")
    func gate() {
        var gate = RateGate(perSecond: 10)
        #expect(
            [gate.takePlace(atNanoseconds: 0), gate.takePlace(atNanoseconds: 0), gate.takePlace(atNanoseconds: 0)] == [
                0, 100, 200,
            ])
        gate.slowDown()
        #expect(gate.takePlace(atNanoseconds: 1_000_000_000) == 0)
        #expect(gate.takePlace(atNanoseconds: 1_000_000_000) == 200)
        for _ in 0..<100 { gate.recover() }
        #expect(gate.takePlace(atNanoseconds: 9_000_000_000) == 0)
        #expect(gate.takePlace(atNanoseconds: 9_000_000_000) == 100)
    }
}

@Suite("Contents") struct FilePlanTests {
    private func plan(_ text: String) -> FilePlan? { Row(line: Array(text.utf8)).flatMap { FilePlan($0) } }

    @Test("a row says where, how long and which hash")
    func reads() throws {
        let plan = try #require(
            self.plan(
                #"{"objectId":"5e3a","name":"a/b.jpg","url":"http://x/y","metaData":{"size":7,"_checksum":"ABCDEF0123456789abcdef0123456789"}}"#
            ))
        #expect(plan.path == "files/3a/5e3a-a_b.jpg" && plan.size == 7)
        #expect(plan.md5 == "abcdef0123456789abcdef0123456789")
        #expect(self.plan(#"{"objectId":"5e3a","name":"x"}"#) == nil)
    }

    @Test(
        "names are safe for any file system and keep their ending",
        arguments: [
            ("a\u{0}b\n.jpg", "a_b_.jpg"), ("..", ".."), ("x:y*z?.txt", "x_y_z_.txt"), ("照片.jpg", "照片.jpg"),
            (String(repeating: "长", count: 100) + ".jpeg", String(repeating: "长", count: 38) + ".jpeg"),
        ])
    func names(_ name: String, _ safe: String) { #expect(FilePlan.safe(name) == safe) }

    @Test("what became of a content is a line, and back")
    func entries() throws {
        let plan = try #require(self.plan(#"{"objectId":"5e3a","name":"x","url":"http://x/\u4e2d"}"#))
        var entry = FileEntry(plan, .differs, why: "7 bytes, its row says 8")
        entry.path = plan.path
        entry.bytes = 7
        entry.sha256 = "00"
        #expect(FileEntry(line: entry.line) == entry)
        #expect(FileEntry(line: FileEntry(plan, .gone, why: "HTTP 404").line)?.isHere == false)
    }

    @Test("addresses as apps write them")
    func addresses() throws {
        #expect(try ContentFetch.address("https://x.com/中 文.jpg#top").target == "/%E4%B8%AD%20%E6%96%87.jpg")
        #expect(throws: HTTPClientError.self) { try ContentFetch.address("ftp://x.com/a") }
        let base = try HTTPAddress("https://x.com/a?b")
        #expect(try base.following(location: "/c").description == "https://x.com/c")
        #expect(try base.following(location: "//y.com/c").description == "https://y.com/c")
    }
}

@Suite("How far a pull is") struct PullStateTests {
    @Test("is written and read back")
    func roundTrip() throws {
        var state = PullState(source: "https://x", app: "app")
        state.roundBegan = 12
        state.newest = 11
        state.askedUpTo = "c"
        state.done = ["history", "class _File"]
        state.changed = ["_File": 9]
        state.scans = ["Post": PullState.Scan(cursor: "x\"y", cursorAt: 8, rows: 7, restarts: 1)]
        state.walk = PullState.Walk(
            anchor: MessageKey(timestamp: 5, conversation: "c", message: "m"), day: "2026-07-15")
        #expect(try PullState(parsing: state.serialized, path: "p") == state)
    }

    @Test("one of a newer teahouse, or damaged, is not touched")
    func refuses() {
        #expect(throws: PullError.newerFolder(format: 9)) {
            try PullState(parsing: Array(#"{"format":9,"source":"x","app":"y"}"#.utf8), path: "p")
        }
        #expect(throws: PullError.self) { try PullState(parsing: Array("{".utf8), path: "p") }
    }
}
