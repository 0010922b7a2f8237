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

    @Test("a record may have pages too, and what stands on the first of them alone stays")
    func record() throws {
        func page(_ former: [AdminMessageVersion], _ name: UserName, next: Int64?) -> AdminTrace {
            let row = AdminTraceRow(
                name: name, isSender: false, isRead: true, reportedReadAtMilliseconds: nil, deliveredTo: [],
                waitingFor: [], sessions: [], withheld: nil)
            var trace = AdminTrace(
                message: sampleMessage, isRecalled: false, isDeletedForAll: false, editCount: 1, people: [row],
                next: next)
            trace.former = former
            return trace
        }
        let version = AdminMessageVersion(number: 0, editor: "romeo", atMilliseconds: 1, text: "x", isCut: false)
        let pages = AdminPages()
        _ = pages.add(.conversationDetails(.trace(page([version], romeo, next: 4))))
        let first = AdminRequest.conversationDetails(.trace("verona", sequence: 7, after: nil))
        #expect(
            pages.request(behind: first) == .conversationDetails(.trace("verona", sequence: 7, after: 4)))
        let whole = pages.add(.conversationDetails(.trace(page([], juliet, next: nil))))
        guard case .conversationDetails(.trace(let trace)) = whole else { throw AdminError(.failed, "no trace") }
        #expect(trace.people.map(\.name) == [romeo, juliet] && trace.former == [version] && trace.next == nil)
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
