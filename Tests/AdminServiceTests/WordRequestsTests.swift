import AdminAPI
import ByteCodec
import ChatModel
import Execution
import Store
import Testing

@Suite("The word list and message kinds, for operators") struct WordRequestsTests {
    private func furnished() throws -> (Fixture, AdminClient) {
        let fixture = try Fixture()
        try fixture.add("romeo", "juliet")
        let client = try fixture.client()
        _ = try client.ask(.teams(.create(AdminNewTeam(name: verona, members: [romeo, juliet]))))
        return (fixture, client)
    }

    private func lastEntry(_ client: AdminClient) throws -> AuditEntry? {
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery()))) else { return nil }
        return entries.first?.entry
    }

    /// A person says something; the answer, once it is known.
    private func say(_ body: String, _ fixture: Fixture, as authority: Authority = .user) throws -> AppendResult {
        let user = try fixture.store.readAndWait { reading throws(StoreError) in try reading.people.user(named: romeo) }
        let content = MessageContent(
            kind: MessageKind(rawValue: 500), flags: .bodyIsJSONObject, wire: .wuKong, body: Array(body.utf8))
        let sender = try #require(user).id
        let answer = ConditionLock<AppendResult?>(nil)
        fixture.broker.publish(
            as: sender, authority: authority, to: .channel(.group, verona), token: nil, content: content
        ) { result in answer.change { $0 = result } }
        return try #require(answer.wait(until: { $0 != nil }, then: { $0 }))
    }

    @Test("a changed list is in force when the change is answered, and stands in the audit log")
    func words() throws {
        let (fixture, client) = try self.furnished()
        #expect(try client.count(.words(.add([WordRule("damn", .mask), WordRule("tea", .flag)]))) == 2)
        #expect(try client.count(.words(.add([WordRule("外挂", .refuse)]))) == 1)
        #expect(try self.lastEntry(client)?.word == "word.add")
        #expect(try self.lastEntry(client)?.subject == "外挂")
        #expect(try self.lastEntry(client)?.after == #"{"action":"refuse"}"#)
        guard case .refused(.wordNotAllowed) = try self.say(#"{"content":"外挂"}"#, fixture) else {
            Issue.record("taken")
            return
        }
        guard case .accepted(let accepted) = try self.say(#"{"content":"damn tea"}"#, fixture) else {
            Issue.record("refused")
            return
        }
        #expect(String(decoding: accepted.message.content.body, as: UTF8.self) == #"{"content":"**** tea"}"#)
        #expect(accepted.message.content.flags.contains(.masked))
        // What programs and operators send is theirs.
        guard case .accepted(let own) = try self.say(#"{"content":"damn 外挂 tea"}"#, fixture, as: .application) else {
            Issue.record("refused")
            return
        }
        #expect(!own.message.content.flags.contains(.masked))
        guard case .words(.flagged(let flagged, nil)) = try client.ask(.words(.flagged(before: nil))) else {
            Issue.record("another answer")
            return
        }
        #expect(flagged.map(\.word) == ["tea"] && flagged.map(\.conversationName) == ["verona"])
        #expect(flagged.map(\.sequence) == [accepted.message.sequence] && flagged.map(\.sender) == ["romeo"])
        #expect(try client.count(.words(.remove(["外挂"]))) == 1)
        guard case .accepted = try self.say(#"{"content":"外挂"}"#, fixture) else {
            Issue.record("refused")
            return
        }
    }

    @Test("a text is tried out, and rules are listed by their words")
    func test() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        _ = try client.count(.words(.add([WordRule("b", .mask), WordRule("a", .flag)])))
        #expect(
            try client.ask(.words(.test("abc")))
                == .words(
                    .tested(
                        AdminWordTest(
                            action: .mask, masked: "a*c", hits: [WordRule("a", .flag), WordRule("b", .mask)]))))
        #expect(try client.ask(.words(.test("c"))) == .words(.tested(AdminWordTest())))
        #expect(
            try client.ask(.words(.list(after: nil)))
                == .words(.rules([WordRule("a", .flag), WordRule("b", .mask)], next: nil)))
        #expect(try client.ask(.words(.list(after: "a"))) == .words(.rules([WordRule("b", .mask)], next: nil)))
        #expect(client.refusal(of: .words(.add([WordRule(" ", .mask)])))?.code == .invalid)
    }

    private static let gift = MessageKindEntry(
        kind: MessageKind(rawValue: 500), name: "gift", requiredFields: ["amount"], degrade: "old app",
        typeTitle: "红包", summary: "s", digest: "[红包] {amount}")

    @Test("operators see a registered kind by its digest, and how many messages of it nobody can read")
    func kinds() throws {
        let (fixture, client) = try self.furnished()
        func line() throws -> String? {
            guard
                case .messages(let messages) = try client.ask(
                    .listMessages(conversation: "verona", before: nil, limit: 1))
            else { return nil }
            return messages.last?.sketch.line
        }
        _ = try self.say(#"{"type":500,"amount":8}"#, fixture)
        #expect(try line() == nil)
        #expect(
            try client.ask(.kinds(.set(Self.gift)))
                == .kinds(.kind(AdminMessageKind(Self.gift, undecodable: 0))))
        #expect(try self.lastEntry(client)?.after?.contains("old app") == true)
        #expect(try line() == "[红包] 8")
        _ = try self.say(#"{"type":500}"#, fixture)
        _ = try self.say(#"{"type":500,"amount":1,"version":2}"#, fixture, as: .application)
        #expect(try line() == "old app")
        #expect(
            try client.ask(.kinds(.list)) == .kinds(.kinds([AdminMessageKind(Self.gift, undecodable: 2)])))
        _ = try self.say(#"{"type":500,"amount":9}"#, fixture)
        #expect(try line() == "[红包] 9")
        _ = try client.ask(.kinds(.setDisabled(Self.gift.kind, true)))
        #expect(try line() == "old app")
        _ = try client.ask(.kinds(.remove(Self.gift.kind)))
        #expect(try line() == nil)
    }

    @Test("numbers and names that are taken are refused, and a body is tried without being sent")
    func rules() throws {
        let (fixture, client) = try self.furnished()
        defer { withExtendedLifetime(fixture) {} }
        _ = try client.ask(.kinds(.set(Self.gift)))
        var other = Self.gift
        other.kind = MessageKind(rawValue: 501)
        #expect(client.refusal(of: .kinds(.set(other)))?.code == .exists)
        for number: Int32 in [-2, 0, 2, 99, 1_005] {
            other.kind = MessageKind(rawValue: number)
            let refusal = client.refusal(of: .kinds(.set(other)))
            #expect(refusal?.code == .invalid && refusal?.message.hasPrefix("number") == true)
        }
        #expect(client.refusal(of: .kinds(.setDisabled(MessageKind(rawValue: 7), true)))?.code == .notFound)
        func trial(_ body: String) throws -> AdminKindTrial? {
            guard case .kinds(.tried(let trial)) = try client.ask(.kinds(.try(Self.gift.kind, body: body))) else {
                return nil
            }
            return trial
        }
        #expect(try trial(#"{"amount":"8元"}"#)?.line == "[红包] 8元")
        #expect(try trial(#"{"type":1}"#)?.problem == .missing("amount"))
        #expect(try trial("[]")?.problem == .noObject)
        #expect(try trial("{}")?.line == "old app")
        // A message of LeanCloud's apps may bring texts of its own, which are what people are shown.
        let own = try trial(
            #"{"_lctype":500,"_lcattrs":{"amount":8,"typeTitle":"礼物","summary":"own","degrade":"update the app"}}"#)
        #expect(own?.typeTitle == "礼物" && own?.summary == "own" && own?.degrade == "update the app")
        #expect(try trial(#"{"_lctype":500,"_lcattrs":{"degrade":"update the app"}}"#)?.line == "update the app")
        #expect(try trial(#"{"amount":8}"#)?.typeTitle == "红包")
        var filled = Self.gift
        filled.requiredFields.append("conversationType")
        _ = try client.ask(.kinds(.set(filled)))
        #expect(try trial(#"{"_lctype":500,"_lcattrs":{"amount":8}}"#)?.problem == nil, "the server says it")
    }
}
