import AdminAPI
import ChatModel
import Localization
import Store
import Testing

@Suite("Requests about retention and legal holds") struct RetentionRequestsTests {
    private func holds(_ client: AdminClient) throws -> [AdminHold] {
        guard case .retention(.holds(let holds, nil)) = try client.ask(.retention(.holds(after: nil))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return holds
    }

    @Test("holds are set on a person or a conversation, listed with names, removed, and in the audit log")
    func holds() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let (romeo, tea) = (UserName("romeo")!, ChannelName("tea")!)
        _ = try client.ask(.addUser(AdminNewUser(name: romeo)))
        _ = try client.ask(.teams(.create(AdminNewTeam(name: tea, owner: romeo, members: []))))
        for (kind, name) in [(AdminHoldKind.person, "romeo"), (.conversation, "tea")] {
            guard
                case .retention(.hold(let hold)) = try client.ask(
                    .retention(.hold(AdminNewHold(kind: kind, name: name, reason: "case 7"))))
            else { throw AdminError(.protocolError, "another answer was due") }
            #expect(hold.kind == kind && hold.name == name && hold.reason == "case 7")
        }
        let missing = AdminNewHold(kind: .person, name: "nobody", reason: "x")
        #expect(client.refusal(of: .retention(.hold(missing)))?.code == .notFound)
        let silent = AdminNewHold(kind: .person, name: "romeo", reason: "")
        #expect(client.refusal(of: .retention(.hold(silent)))?.code == .invalid)
        let listed = try self.holds(client)
        #expect(listed.map(\.name) == ["romeo", "tea"] && listed.map { $0.conversation != nil } == [false, true])
        #expect(listed.allSatisfy { !$0.asker.isEmpty && $0.createdAtMilliseconds > 0 })
        #expect(try client.ask(.retention(.release(listed[0].number))) == .done)
        #expect(client.refusal(of: .retention(.release(listed[0].number)))?.code == .notFound)
        #expect(try self.holds(client).map(\.name) == ["tea"])
        var query = AuditQuery()
        query.what = "hold"
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(query))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        #expect(entries.map(\.entry.word) == ["hold.remove", "hold.add", "hold.add"])
        #expect(entries.last?.entry.subject == "romeo")
        // Its number alone would not say what is no longer held.
        let removed = try #require(entries.first?.entry)
        #expect(removed.before?.contains(#""name":"romeo","reason":"case 7""#) == true && removed.after == nil)
    }

    @Test("a person under a hold is not deleted: the refusal has its number, and no entry says that it was done")
    func deletion() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let romeo = UserName("romeo")!
        _ = try client.ask(.addUser(AdminNewUser(name: romeo)))
        let hold = AdminNewHold(kind: .person, name: "romeo", reason: "case 7")
        guard case .retention(.hold(let set)) = try client.ask(.retention(.hold(hold))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        let refusal = try #require(client.refusal(of: .people(.delete(romeo))))
        #expect(refusal.code == .refused && refusal.reason == AdminError.Reason(number: 330, values: []))
        let chinese = Texts(embedded: .chinese)
        #expect(refusal.worded { chinese($0, $1) }.message == "此用户受依法保全约束：请先解除该保全")
        var query = AuditQuery()
        query.what = "user.delete"
        func entries() throws -> Int? {
            guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(query))) else { return nil }
            return entries.count
        }
        #expect(try entries() == 0)
        #expect(try client.ask(.retention(.release(set.number))) == .done)
        _ = try client.ask(.people(.delete(romeo)))
        #expect(try entries() == 1)
    }

    @Test("the forecast has a row for each class, and nothing where no rule deletes")
    func forecast() throws {
        let fixture = try Fixture()
        guard case .retention(.forecast(let rows, let held)) = try fixture.client().ask(.retention(.forecast)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        #expect(rows.map(\.name) == RetentionClass.allCases.map(\.rawValue) && held == 0)
        #expect(rows.allSatisfy { $0.days == 0 && $0.now.conversations == 0 && $0.soon.messages == 0 })
    }
}
