import ChatModel
import Testing

@testable import AdminAPI

@Suite("Pages of a list") struct PagesTests {
    private func invitation(_ number: Int64) -> AdminInvitation {
        AdminInvitation(
            number: number, inviter: juliet, name: nil, displayName: nil, createdAtMilliseconds: 1,
            endsAtMilliseconds: 2)
    }

    @Test("pages become one answer, and each asks for the next by the place that the one before gave")
    func join() throws {
        let pages = AdminPages()
        let first = AdminRequest.people(.invitations(before: nil))
        let one = pages.add(.invitations([self.invitation(9), self.invitation(8)], next: 8))
        #expect(one == .invitations([self.invitation(9), self.invitation(8)], next: 8))
        let second = try #require(pages.request(behind: first))
        #expect(second == .people(.invitations(before: 8)))
        let all = pages.add(.invitations([self.invitation(7)], next: nil))
        #expect(all == .invitations([self.invitation(9), self.invitation(8), self.invitation(7)], next: nil))
        #expect(pages.request(behind: second) == nil)
    }

    @Test("everything else that was asked for stays, also inside a record; a place may be a text")
    func places() {
        let pages = AdminPages()
        _ = pages.add(.teams(.requests([], next: 4)))
        #expect(
            pages.request(behind: .teams(.requests(AdminJoinQuery(team: verona, onlyWaiting: false))))
                == .teams(.requests(AdminJoinQuery(team: verona, onlyWaiting: false, before: 4))))
        _ = pages.add(.words(.rules([WordRule("茶", .flag)], next: "茶")))
        #expect(pages.request(behind: .words(.list(after: nil))) == .words(.list(after: "茶")))
        _ = pages.add(.sessions([], next: 5))
        #expect(pages.request(behind: .listSessions(romeo, after: 2)) == .listSessions(romeo, after: 5))
    }

    @Test("what has no pages is as it was, and nothing is asked behind it")
    func none() {
        let pages = AdminPages()
        #expect(pages.add(.count(3)) == .count(3))
        #expect(pages.request(behind: .showUser(romeo)) == nil)
        _ = pages.add(.users([], next: 3))
        #expect(pages.request(behind: .showUser(romeo)) == nil)
    }
}
