import Accounts
import AdminAPI
import ChatModel
import Store
import Testing

@Suite("Invitations by the operator") struct InvitationRequestsTests {
    private func issued(_ wanted: AdminNewInvitation, _ client: AdminClient) throws -> AdminIssuedInvitation {
        guard case .invited(let issued) = try client.ask(.people(.invite(wanted))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return issued
    }

    private func open(_ client: AdminClient) throws -> [AdminInvitation] {
        guard case .invitations(let invitations, nil) = try client.ask(.people(.invitations(before: nil))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return invitations
    }

    private func comeIn(_ code: String, as name: UserName, _ fixture: Fixture) throws {
        let person = InvitedPerson(
            name: name, displayName: nil, password: nil, deviceClass: .web, throttleKey: "192.168.1.5")
        _ = try fixture.accounts.wait { fixture.accounts.comeIn(by: code, person, then: $0) }
    }

    @Test("one person comes in by the link, once, and then it is not open any more")
    func comeIn() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let wanted = AdminNewInvitation(displayName: "R", hours: 2, address: "https://chat.lan:7677/")
        let issued = try self.issued(wanted, client)
        let start = "https://chat.lan:7677/join/"
        #expect(issued.link.hasPrefix(start) && !issued.isHereOnly)
        let listed = try self.open(client)
        #expect(listed.map(\.number) == [issued.number] && listed[0].displayName == "R" && listed[0].name == nil)
        #expect(listed[0].endsAtMilliseconds - listed[0].createdAtMilliseconds == 2 * 3_600_000)
        #expect(listed[0].endsAtMilliseconds == issued.endsAtMilliseconds)
        let code = String(issued.link.dropFirst(start.count))
        try self.comeIn(code, as: romeo, fixture)
        #expect(throws: AccountsError.self) { try self.comeIn(code, as: juliet, fixture) }
        #expect(try self.open(client).isEmpty)
        let made = try fixture.store.readAndWait { store throws(StoreError) in try store.people.user(named: romeo) }
        #expect(made?.displayName == "R")
    }

    @Test("a withdrawn link lets nobody in; the audit log has who was invited, and no link")
    func withdraw() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let issued = try self.issued(AdminNewInvitation(name: romeo), client)
        #expect(issued.link.hasPrefix("http://127.0.0.1:7677/join/") && issued.isHereOnly)
        let code = String(try #require(issued.link.split(separator: "/").last))
        #expect(try client.ask(.people(.withdrawInvitation(issued.number))) == .done)
        #expect(client.refusal(of: .people(.withdrawInvitation(issued.number)))?.code == .notFound)
        #expect(throws: AccountsError.self) { try self.comeIn(code, as: romeo, fixture) }
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery()))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        let kept = entries.map(\.entry).filter { $0.stage == .done }
        #expect(kept.map(\.word) == ["invitation.remove", "invitation.add"])
        #expect(kept.map(\.subject) == [String(issued.number), "romeo"])
        #expect(!kept.contains { $0.asked.contains(code) })
    }

    @Test("a name that somebody has, and an address that is none, are refused")
    func refusals() throws {
        let fixture = try Fixture()
        try fixture.add("romeo")
        let client = try fixture.client()
        #expect(client.refusal(of: .people(.invite(AdminNewInvitation(name: romeo))))?.code == .exists)
        for address in ["chat.lan", "ftp://chat.lan", "https://", "https://chat.lan/page", "http://a b", "http://a\""] {
            let wanted = AdminNewInvitation(address: address)
            #expect(client.refusal(of: .people(.invite(wanted)))?.code == .invalid, "\(address)")
        }
        let title = AdminNewInvitation(displayName: "a\nb")
        #expect(client.refusal(of: .people(.invite(title)))?.code == .invalid)
        #expect(try self.open(client).isEmpty)
    }

    @Test("the address is the one that the server has for others")
    func address() throws {
        let fixture = try Fixture { options in options.publicAddress = { "http://192.168.1.5:7677" } }
        let issued = try self.issued(AdminNewInvitation(), try fixture.client())
        #expect(issued.link.hasPrefix("http://192.168.1.5:7677/join/") && !issued.isHereOnly)
    }
}
