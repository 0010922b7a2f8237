import ByteCodec
import ChatModel
import Execution
import HTTPClient
import Store
import TeahouseTesting
import Testing

@testable import Profiles

@Suite("Another user system")
struct ProviderTests {
    @Test("a thousand who ask for the same hundred people at once make one request")
    func thousand() throws {
        let provider = HandProvider()
        let rig = try Rig(provider) { $0.windowMilliseconds = 3 }
        let names = (0..<100).map { "person\($0)" }
        let boxes = (0..<1_000).map { _ in rig.ask(names) }
        // A full batch goes at once, and so the thousand joined it while it was under way.
        provider.answer(0, prefix: "Sir")
        for box in boxes { #expect(box.value.last?.shownName == "Sir person99") }
        rig.settle()
        #expect(provider.count == 1)
        let metrics = rig.profiles.metrics
        #expect(metrics.providerRequests == 1 && metrics.tableReads == 1)
        #expect(metrics.misses == 100_000 && metrics.coalesced == 99_900)
    }

    @Test("more people than a batch has are several requests")
    func batches() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let box = rig.ask((0..<250).map { "person\($0)" })
        for number in 0..<3 {
            #expect(provider.call(number).names.count <= 100)
            provider.answer(number, prefix: "Sir")
        }
        #expect(box.value.allSatisfy { $0.shownName == "Sir \($0.name)" })
        #expect(provider.count == 3)
    }

    @Test("field by field its word goes before ours; alias and team name are always ours")
    func merging() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let (romeo, juliet, group) = (rig.id("romeo"), rig.id("juliet"), rig.group)
        try rig.write { writing throws(StoreError) in
            try writing.people.setProfile(
                of: romeo, ProfilePatch(avatar: "/ours.jpg", attributes: Array(#"{"a":1}"#.utf8)))
            try writing.friends.make(juliet, romeo)
            try writing.friends.setRemark(romeo, of: juliet, "sweet Montague")
            try writing.conversations.addMembers([romeo], to: group)
            try writing.conversations.setNickname(of: romeo, "guest", in: group, by: .operator)
        }
        let box = rig.ask(["romeo", "stranger"], by: "juliet", in: group)
        let call = provider.call(0)
        call.then(
            .success([
                FetchedProfile(
                    name: UserName("romeo")!, displayName: "R. M.", picture: Picture(full: "https://x/r.png")),
                FetchedProfile(name: UserName("stranger")!, externalID: "77"),
            ]))
        let infos = box.value
        #expect(infos[0].displayName == "R. M." && infos[0].picture == Picture(full: "https://x/r.png"))
        #expect(infos[0].attributes != nil && infos[0].alias == "sweet Montague" && infos[0].teamName == "guest")
        // Known there alone.
        #expect(infos[1].isKnown && infos[1].externalID == "77" && infos[1].shownName == "stranger")
        #expect(rig.profiles.inspect(UserName("romeo")!).source == .both)
        #expect(rig.profiles.inspect(UserName("stranger")!).source == .provider)
    }

    @Test("while it takes three seconds, what is known here is shown, and watchers are told later")
    func slow() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        #expect(rig.lookUp("romeo", wait: 0)[0].shownName == "romeo")
        let patient = rig.ask(["romeo"], wait: 200)
        _ = provider.call(0)
        // The table's answer came, and was told.
        rig.changes.wait { $0.subject == .person(UserName("romeo")!) && $0.fields.contains(.name) }
        #expect(!patient.isThere)
        rig.pass(milliseconds: 200)
        let early = patient.value[0]
        #expect(early.isPlaceholder && early.isKnown && early.shownName == "Romeo Montague")
        #expect(rig.profiles.cached(UserName("romeo")!) == nil)
        rig.settle()
        rig.changes.clear()
        rig.pass(milliseconds: 2_800)
        provider.answer(0, prefix: "Sir")
        rig.changes.wait { $0.subject == .person(UserName("romeo")!) && $0.fields.contains(.name) }
        #expect(rig.profiles.cached(UserName("romeo")!)?.shownName == "Sir romeo")
        #expect(provider.count == 1)
        let metrics = rig.profiles.metrics
        #expect(metrics.providerMeanMicroseconds == 3_000_000)
        #expect(metrics.providerP99Microseconds >= 3_000_000)
    }

    @Test("an answer that something was invalidated under is not kept, but asked for again")
    func epochOfOne() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let box = rig.ask(["romeo", "juliet"])
        _ = provider.call(0)
        rig.waitForTable("romeo")
        rig.profiles.invalidate(.person(UserName("romeo")!), cause: .webhook)
        provider.answer(0, prefix: "old")
        try #require(rig.profiles.metrics.outdated == 1)
        #expect(provider.call(1).names == [UserName("romeo")!])
        #expect(!box.isThere)
        #expect(rig.profiles.cached(UserName("romeo")!) == nil)
        #expect(rig.profiles.cached(UserName("juliet")!)?.shownName == "old juliet")
        provider.answer(1, prefix: "new")
        #expect(box.value.map(\.shownName) == ["new romeo", "old juliet"])
        #expect(rig.profiles.cached(UserName("romeo")!)?.shownName == "new romeo")
        #expect(rig.profiles.metrics.outdated == 1)
    }

    @Test("the same when everything is invalidated, and when nobody waits any more")
    func epochOfAll() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let box = rig.ask(["romeo", "juliet"], wait: 100)
        _ = provider.call(0)
        rig.waitForTable("juliet")
        rig.profiles.invalidate(.all, cause: .request)
        provider.answer(0, prefix: "old")
        try #require(rig.profiles.metrics.outdated == 2)
        #expect(provider.call(1).names.count == 2)
        provider.answer(1, prefix: "new")
        #expect(box.value.map(\.shownName) == ["new romeo", "new juliet"])

        // Somebody was sent away with a placeholder, so watchers are owed the answer.
        rig.profiles.invalidate(.all, cause: .request)
        _ = rig.lookUp("romeo", wait: 0)
        _ = provider.call(2)
        rig.waitForTable("romeo")
        rig.profiles.invalidate(.person(UserName("romeo")!), cause: .request)
        rig.settle()
        rig.changes.clear()
        provider.answer(2, prefix: "older")
        try #require(rig.profiles.metrics.outdated == 3)
        provider.answer(3, prefix: "newer")
        rig.changes.wait { $0.cause == .answer && $0.fields.contains(.existence) }
        #expect(rig.profiles.cached(UserName("romeo")!)?.shownName == "newer romeo")
    }

    @Test("a write under a question that is under way is seen in its answer")
    func epochOfWrites() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let juliet = rig.id("juliet")
        let box = rig.ask(["juliet"])
        let call = provider.call(0)
        rig.waitForTable("juliet")
        try rig.write { writing throws(StoreError) in try writing.people.setDisplayName(juliet, "Juliet Capulet") }
        call.then(.success([]))
        try #require(rig.profiles.metrics.outdated == 1)
        provider.call(1).then(.success([]))
        #expect(box.value[0].shownName == "Juliet Capulet")
    }

    @Test("its answers hold as long as they say, within bounds")
    func ttl() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let name = UserName("romeo")!
        for (number, (said, held)) in [(7_000, 7_000), (0, 1_000), (Int64.max, 604_800_000)].enumerated() {
            rig.profiles.invalidate(.all, cause: .request)
            let box = rig.ask(["romeo"])
            provider.answer(number, prefix: "Sir", ttlMilliseconds: Int64(said))
            _ = box.value
            rig.clock.advance(milliseconds: Int64(held) - 1)
            #expect(rig.profiles.cached(name) != nil)
            rig.clock.advance(milliseconds: 1)
            #expect(rig.profiles.cached(name) == nil)
        }
    }

    @Test("while it fails, ours and its last word stand in, marked, and it is asked again soon")
    func failing() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let box = rig.ask(["romeo"])
        provider.answer(0, prefix: "Sir", ttlMilliseconds: 10_000)
        _ = box.value
        rig.pass(milliseconds: 10_000)
        let again = rig.ask(["romeo", "juliet", "nobody"])
        provider.call(1).then(.failure(.refused(status: 500)))
        let infos = again.value
        #expect(infos.map(\.shownName) == ["Sir romeo", "juliet", "nobody"])
        #expect(infos.map(\.isKnown) == [true, true, false])
        #expect(infos.allSatisfy { $0.isPlaceholder })
        // For five seconds it is let alone about them.
        #expect(rig.lookUp("romeo", "juliet", "nobody").map(\.isPlaceholder) == [true, true, true])
        #expect(provider.count == 2)
        let failed = rig.profiles.metrics
        #expect(failed.providerFailures == 1 && failed.lastError?.contains("500") == true)
        rig.pass(milliseconds: 5_000)
        let third = rig.ask(["romeo"])
        provider.answer(2, prefix: "Lord")
        #expect(third.value[0].shownName == "Lord romeo" && !third.value[0].isPlaceholder)
        #expect(rig.profiles.metrics.lastError == nil)
    }

    @Test("nobody is told of an answer that is what they have already")
    func quiet() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let box = rig.ask(["romeo"])
        _ = provider.call(0)
        rig.waitForTable("romeo")
        provider.answer(0, prefix: "Sir")
        _ = box.value
        rig.pass(milliseconds: 300_000)
        let again = rig.ask(["romeo"])
        provider.answer(1, prefix: "Sir")
        _ = again.value
        rig.settle()
        #expect(rig.changes.all.filter { $0.cause == .answer }.isEmpty)
        rig.pass(milliseconds: 300_000)
        let third = rig.ask(["romeo"])
        provider.answer(2, prefix: "Lord")
        _ = third.value
        rig.settle()
        #expect(rig.changes.all.contains(ProfileChange(.person(UserName("romeo")!), .name, .answer)))
    }
}

@Suite("Another user system over HTTP")
struct HTTPProviderTests {
    /// The service over a real client and server.
    final class Wire {
        let receiver: HTTPReceiver
        let client: HTTPClient
        let rig: Rig

        init(
            _ behaviour: @escaping HTTPReceiver.Behaviour,
            _ change: (inout HTTPProfileOptions) -> Void = { _ in }
        ) throws {
            self.receiver = HTTPReceiver(behaviour)
            self.client = try HTTPClient(HTTPClientOptions())
            var options = HTTPProfileOptions(address: try HTTPAddress(self.receiver.address))
            options.timeoutMilliseconds = 20_000
            let manual = ManualClock()
            options.clock = manual.clock
            change(&options)
            self.rig = try Rig(HTTPProfileProvider(self.client, options), clock: manual)
        }

        deinit {
            self.rig.stop()
            self.client.stop()
        }
    }

    @Test("asks with a signed list of ids, and understands its names for the fields")
    func realServer() throws {
        let secret = Array("a secret of the two".utf8)
        let wire = try Wire({ _ in
            .body(
                #"""
                {"data":[{"uid":"romeo","nick":"Romeo","face":"https://pic.example/r.png","thumb":"/t/r.png",
                "no":4711,"extra":{"vip":true},"seconds":60}]}
                """#)
        }) { options in
            options.secret = secret
            options.fields = ProfileFieldNames([
                "id=uid", "display_name=nick", "avatar=face", "avatar_small=thumb", "external_id=no",
                "attributes=extra", "ttl=seconds", "list=data",
            ])!
        }
        let infos = wire.rig.lookUp("romeo", "juliet")
        let romeo = infos[0]
        #expect(romeo.displayName == "Romeo" && romeo.externalID == "4711" && !romeo.isPlaceholder)
        #expect(romeo.picture == Picture(full: "https://pic.example/r.png", small: "/t/r.png"))
        #expect(romeo.attributes == Array(#"{"vip":true}"#.utf8))
        // Missing there, so ours.
        #expect(infos[1].isKnown && infos[1].shownName == "juliet" && !infos[1].isPlaceholder)
        #expect(wire.rig.profiles.inspect(UserName("romeo")!).leftMilliseconds == 60_000)
        let request = try #require(wire.receiver.requests.first)
        #expect(request.method == "POST" && request.target == "/hook")
        let ids = try JSONValue(parsing: request.body)["ids"]?.array?.compactMap(\.string)
        #expect(ids.map(Set.init) == ["romeo", "juliet"])
        let verdict = WebhookSignature.check(
            request.fields["x-teahouse-signature"], body: request.body, secret: secret,
            nowUnixSeconds: wire.rig.clock.clock.wallMilliseconds() / 1_000)
        #expect(verdict == .genuine)
        #expect(wire.rig.profiles.metrics.provider?.hasPrefix("http://127.0.0.1:") == true)
    }

    @Test("the head of the answer says how long it holds when the people in it do not")
    func cacheControl() throws {
        let body = #"[{"id":"romeo","display_name":"Romeo"}]"#
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nCache-Control: private, max-age=90\r\n\r\n\(body)"
        let wire = try Wire({ _ in .raw(Array(answer.utf8)) })
        #expect(wire.rig.shown("romeo") == "Romeo")
        #expect(wire.rig.profiles.inspect(UserName("romeo")!).leftMilliseconds == 90_000)
    }

    @Test(
        "an answer that cannot be used is a failure, and ours stands in",
        arguments: [
            .body("no JSON"), .body(#"{"people":[]}"#), .body(#"["romeo"]"#), .body("7"), .status(500), .status(404),
            .close, .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n[]".utf8)),
            .body("[" + String(repeating: " ", count: 70_000) + "]"),
        ] as [ReceiverReply])
    func badAnswer(_ reply: ReceiverReply) throws {
        let wire = try Wire({ _ in reply }) { $0.answerBytes = 65_536 }
        let romeo = wire.rig.lookUp("romeo")[0]
        #expect(romeo.isPlaceholder && romeo.isKnown && romeo.shownName == "Romeo Montague")
        #expect(wire.rig.profiles.metrics.providerFailures == 1)
        #expect(wire.rig.profiles.metrics.lastError != nil)
    }

    @Test("down, it is left alone after five failures; up again, the first request after the pause finds out")
    func breaker() throws {
        let wire = try Wire({ _ in .status(503) })
        let rig = wire.rig
        for number in 0..<5 { #expect(rig.lookUp("person\(number)")[0].isPlaceholder) }
        #expect(wire.receiver.requests.count == 5)
        #expect(rig.profiles.metrics.providerState == .paused)
        #expect(rig.lookUp("person5")[0].isPlaceholder)
        #expect(wire.receiver.requests.count == 5)
        // Half open, and shut again for twice as long.
        rig.pass(milliseconds: 5_000)
        #expect(rig.profiles.metrics.providerState == .trying)
        #expect(rig.lookUp("person6")[0].isPlaceholder)
        #expect(wire.receiver.requests.count == 6)
        rig.pass(milliseconds: 9_999)
        #expect(rig.lookUp("person7")[0].isPlaceholder)
        #expect(wire.receiver.requests.count == 6)
        wire.receiver.change { _ in .body(#"[{"id":"person8","display_name":"Back"}]"#) }
        rig.pass(milliseconds: 1)
        #expect(rig.shown("person8") == "Back")
        #expect(rig.profiles.metrics.providerState == .working)
        #expect(rig.lookUp("person9")[0].isPlaceholder == false)
    }

    @Test("an address that no operator means is refused")
    func addressRule() throws {
        let rule = AddressRule()
        var outgoing = HTTPClientOptions()
        outgoing.rule = rule
        let client = try HTTPClient(outgoing)
        defer { client.stop() }
        let options = HTTPProfileOptions(address: try HTTPAddress("http://169.254.169.254/latest"))
        let box = Box<Result<[FetchedProfile], ProfileProviderError>>()
        HTTPProfileProvider(client, options).fetch([UserName("romeo")!], then: box.set)
        guard case .failure(.unreachable(let reason)) = box.value else {
            Issue.record("it was asked")
            return
        }
        #expect(reason.contains("metadata"))
    }

    @Test("nothing in an answer is trusted")
    func reader() throws {
        let long = String(repeating: "x", count: 101)
        let body = """
            [{"id":"romeo","display_name":"\(long)","avatar":"javascript:alert(1)","avatar_small":"//elsewhere/x",
              "external_id":"a\\u0000b","attributes":[1],"ttl":-5},
             {"id":"romeo","display_name":"twice"},
             {"id":"mallory","display_name":"not asked for"},
             {"id":"juliet","display_name":null,"avatar":"http://a/b c","avatar_small":""},
             {"id":7,"display_name":8},
             {"display_name":"nameless"}]
            """
        let names = ["romeo", "juliet", "7"].map { UserName($0)! }
        let read = try ProfileAnswerReader(ProfileFieldNames(), asked: Set(names)).read(Array(body.utf8))
        #expect(
            read == [
                FetchedProfile(name: names[0]), FetchedProfile(name: names[1]),
                FetchedProfile(name: names[2], displayName: "8"),
            ])
    }

    @Test(
        "reads how long an answer may be kept",
        arguments: [
            ("max-age=60", 60_000), ("public, max-age=5, immutable", 5_000), ("MAX-AGE=1", 1_000), ("no-store", 0),
            ("no-cache, max-age=60", 0), ("private", nil), ("max-age=x", nil), ("max-age=", nil), ("max-age=-1", nil),
            ("max-age=99999999999999999999", 365 * 86_400_000), ("max-age=\"10\"", 10_000),
        ] as [(String, Int64?)])
    func maximumAge(_ field: String, _ expected: Int64?) {
        #expect(ProfileAnswerReader.maximumAge(field) == expected)
    }

    @Test("names of fields come as pairs")
    func fieldNames() {
        #expect(ProfileFieldNames(["display_name=nick"])?.displayName == "nick")
        #expect(ProfileFieldNames([]) == ProfileFieldNames())
        for bad in ["nick", "display_name=", "color=red", "=x"] { #expect(ProfileFieldNames([bad]) == nil) }
    }
}

@Suite("The breaker")
struct CircuitBreakerTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("only failures in a row open it")
    func inARow() {
        var breaker = CircuitBreaker(failures: 2, firstPauseMilliseconds: 100, longestPauseMilliseconds: 400)
        breaker.failed(at: self.at(0))
        breaker.succeeded()
        breaker.failed(at: self.at(0))
        #expect(breaker.state(at: self.at(0)) == .working)
        breaker.failed(at: self.at(0))
        #expect(breaker.state(at: self.at(0)) == .paused)
    }

    @Test("after the pause one request goes, and only one; pauses double up to the longest")
    func probing() {
        var breaker = CircuitBreaker(failures: 1, firstPauseMilliseconds: 100, longestPauseMilliseconds: 400)
        var now: Int64 = 0
        breaker.failed(at: self.at(now))
        for pause in [Int64(100), 200, 400, 400] {
            let early = breaker.admits(at: self.at(now + pause - 1))
            #expect(!early)
            now += pause
            let first = breaker.admits(at: self.at(now))
            let second = breaker.admits(at: self.at(now))
            #expect(first && !second)
            breaker.failed(at: self.at(now))
        }
        now += 400
        let probe = breaker.admits(at: self.at(now))
        breaker.gaveUp()
        let again = breaker.admits(at: self.at(now))
        #expect(probe && again)
        breaker.succeeded()
        let open = breaker.admits(at: self.at(now))
        #expect(open && breaker.state(at: self.at(now)) == .working)
    }

    @Test("requests that were under way when it opened do not open it further")
    func late() {
        var breaker = CircuitBreaker(failures: 1, firstPauseMilliseconds: 100, longestPauseMilliseconds: 400)
        breaker.failed(at: self.at(0))
        breaker.failed(at: self.at(99))
        let admitted = breaker.admits(at: self.at(100))
        #expect(admitted)
    }
}
