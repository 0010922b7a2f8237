import ChatModel
import Testing

@testable import Store

@Suite("Requests to join a team")
struct TeamRequestTests {
    private func patch(_ change: (inout TeamModesPatch) -> Void) -> TeamModesPatch {
        var patch = TeamModesPatch()
        change(&patch)
        return patch
    }

    @Test("who is invited is asked where the team wants it, and comes in when they say yes")
    func accepted() throws {
        let team = try TeamFixture()
        let (manager, tybalt) = (team.manager, team.outsider)
        let invitation = try team.write { store, id throws(StoreError) in
            try store.teams.invite([tybalt, team.member], to: id, postscript: "come", by: Actor(manager))
        }
        #expect(invitation.asked == [tybalt] && invitation.added.isEmpty && invitation.refused.isEmpty)
        #expect(try team.roles()[tybalt] == nil)
        let waiting = try team.requests(waiting: true)
        #expect(waiting.map(\.person) == [tybalt] && waiting[0].kind == .invite && waiting[0].postscript == "come")
        #expect(waiting[0].inviterName == UserName("mercutio"))
        let number = waiting[0].number
        // Nobody but the one who was asked answers.
        #expect(
            team.refusal { store, _ throws(StoreError) in
                try store.teams.answerRequest(number, accept: true, by: Actor(team.owner))
            } == .noSuchRequest)
        let answered = try team.write { store, _ throws(StoreError) in
            try store.teams.answerRequest(number, accept: true, by: Actor(tybalt))
        }
        #expect(answered.state == .accepted && answered.answeredBy == tybalt)
        #expect(try team.roles()[tybalt] == .member)
        let id = team.id
        let inviter = try team.fixture.store.readAndWait { store throws(StoreError) in
            try store.teams.inviter(of: tybalt, in: id)
        }
        #expect(inviter == UserName("mercutio"))
        #expect(
            team.refusal { store, _ throws(StoreError) in
                try store.teams.answerRequest(number, accept: false, by: Actor(tybalt))
            } == .requestOver)
        #expect(try team.isSound() == [])
    }

    @Test("a refusal is kept with its reason, and they can be asked again")
    func refused() throws {
        let team = try TeamFixture()
        let (manager, tybalt) = (team.manager, team.outsider)
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.invite([tybalt], to: id, by: Actor(manager))
        }
        let number = try team.requests()[0].number
        let request = try team.write { store, _ throws(StoreError) in
            try store.teams.answerRequest(number, accept: false, reason: "a plague", by: Actor(tybalt))
        }
        #expect(request.state == .refused && request.reason == "a plague")
        #expect(try team.roles()[tybalt] == nil)
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.invite([tybalt], to: id, by: Actor(manager))
        }
        let all = try team.requests()
        #expect(all.count == 1 && all[0].state == .waiting && all[0].number > number)
    }

    @Test("where nobody is asked, where the operator invites, and in a normal team, they are in at once")
    func added() throws {
        let open = try TeamFixture(.advanced, self.patch { $0.beInvited = TeamBeInvitedMode.none })
        for (team, actor) in [
            (open, Actor(open.manager)), (try TeamFixture(), .operator), (try TeamFixture(.normal), nil as Actor?),
        ] {
            let by = actor ?? Actor(team.member)
            let invitation = try team.write { store, id throws(StoreError) in
                try store.teams.invite([team.outsider], to: id, by: by)
            }
            #expect(invitation.added == [team.outsider])
            #expect(try team.roles()[team.outsider] == .member)
            #expect(try team.requests() == [])
        }
    }

    @Test("nobody is brought in past the question, and who has blocked somebody is not asked by them")
    func notAsked() throws {
        let team = try TeamFixture()
        let (manager, tybalt) = (team.manager, team.outsider)
        #expect(
            team.refusal { store, id throws(StoreError) in
                try store.conversations.addMembers([tybalt], to: id, by: Actor(manager))
            } == .notApplicable)
        try team.write { store, _ throws(StoreError) in
            _ = try store.people.setListed(owner: tybalt, .blocked, manager, true)
        }
        let invitation = try team.write { store, id throws(StoreError) in
            try store.teams.invite([tybalt], to: id, by: Actor(manager))
        }
        #expect(invitation.refused.map(\.refusal) == [.mayNotSend] && invitation.asked.isEmpty)
    }

    @Test("an open team is joined, one with approval asks a manager, a closed one says so")
    func applying() throws {
        let open = try TeamFixture()
        let joined = try open.write { store, id throws(StoreError) in try store.teams.apply(to: id, open.outsider) }
        #expect(joined == .joined)
        #expect(try open.roles()[open.outsider] == .member)
        #expect(
            open.refusal { store, id throws(StoreError) in
                try store.teams.apply(to: id, open.outsider)
            } == .alreadyMember)
        let closed = try TeamFixture(.advanced, self.patch { $0.join = .closed })
        #expect(
            closed.refusal { store, id throws(StoreError) in
                try store.teams.apply(to: id, closed.outsider)
            } == .joiningClosed)
        let normal = try TeamFixture(.normal)
        #expect(
            normal.refusal { store, id throws(StoreError) in
                try store.teams.apply(to: id, normal.outsider)
            } == .notApplicable)
    }

    @Test("an application is answered by a manager, once")
    func answering() throws {
        let team = try TeamFixture(.advanced, self.patch { $0.join = .approval })
        let (tybalt, manager) = (team.outsider, team.manager)
        let applied = try team.write { store, id throws(StoreError) in
            let first = try store.teams.apply(to: id, tybalt, postscript: "a cousin")
            let second = try store.teams.apply(to: id, tybalt)
            #expect(first == second)
            return first
        }
        guard case .waiting(let number) = applied else {
            Issue.record("joined without being let in")
            return
        }
        for (user, refusal) in [(team.member, ActionRefusal.notManager), (tybalt, .noSuchRequest)] {
            #expect(
                team.refusal { store, _ throws(StoreError) in
                    try store.teams.answerRequest(number, accept: true, by: Actor(user))
                } == refusal)
        }
        let answered = try team.write { store, _ throws(StoreError) in
            try store.teams.answerRequest(number, accept: true, by: Actor(manager))
        }
        #expect(answered.state == .accepted && answered.answeredBy == manager)
        #expect(try team.roles()[tybalt] == .member)
        #expect(try team.isSound() == [])
    }

    @Test("who asked takes it back, and nobody else does")
    func withdrawn() throws {
        let team = try TeamFixture(.advanced, self.patch { $0.join = .approval })
        let tybalt = team.outsider
        try team.write { store, id throws(StoreError) in _ = try store.teams.apply(to: id, tybalt) }
        let number = try team.requests()[0].number
        #expect(
            team.refusal { store, _ throws(StoreError) in
                try store.teams.withdrawRequest(number, by: Actor(team.owner))
            } == .noSuchRequest)
        let request = try team.write { store, _ throws(StoreError) in
            try store.teams.withdrawRequest(number, by: Actor(tybalt))
        }
        #expect(request.state == .withdrawn)
        #expect(try team.requests(waiting: true) == [])
    }

    @Test("after seven days a request is over, told so before and after it is written")
    func expired() throws {
        let team = try TeamFixture(.advanced, self.patch { $0.join = .approval })
        let tybalt = team.outsider
        try team.write { store, id throws(StoreError) in _ = try store.teams.apply(to: id, tybalt) }
        let number = try team.requests()[0].number
        team.fixture.clock.advance(milliseconds: TeamBounds.requestDays * 86_400_000 - 1)
        #expect(try team.requests(waiting: true).count == 1)
        team.fixture.clock.advance(milliseconds: 1)
        #expect(try team.requests(waiting: true) == [])
        #expect(try team.requests().map(\.state) == [.expired])
        #expect(
            team.refusal { store, _ throws(StoreError) in
                try store.teams.answerRequest(number, accept: true, by: Actor(team.owner))
            } == .requestOver)
        let again = try team.write { store, id throws(StoreError) in try store.teams.apply(to: id, tybalt) }
        #expect(again != .waiting(number))
        #expect(try team.isSound() == [])
    }

    @Test("who comes in by another way, and a team that ends, leave nothing waiting")
    func over() throws {
        let team = try TeamFixture(.advanced, self.patch { $0.join = .approval })
        let (tybalt, manager) = (team.outsider, team.manager)
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.apply(to: id, tybalt)
            _ = try store.teams.invite([tybalt], to: id, by: Actor(manager))
            try store.conversations.addMembers([tybalt], to: id)
        }
        #expect(try team.requests().map(\.state) == [.accepted, .accepted])
        let nurse = try team.fixture.user("nurse")
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.apply(to: id, nurse)
            try store.conversations.disband(id, by: .operator)
        }
        #expect(try team.requests(waiting: true) == [])
        #expect(try team.requests().map(\.state) == [.expired, .accepted, .accepted])
        #expect(try team.isSound() == [])
    }

    @Test("a full team takes nobody, and the request goes on to wait")
    func full() throws {
        let team = try TeamFixture(.advanced, self.patch { $0.join = .approval }, limit: 4)
        let tybalt = team.outsider
        try team.write { store, id throws(StoreError) in _ = try store.teams.apply(to: id, tybalt) }
        let number = try team.requests()[0].number
        #expect(
            team.refusal { store, _ throws(StoreError) in
                try store.teams.answerRequest(number, accept: true, by: Actor(team.manager))
            } == .tooMany(limit: 4))
        #expect(try team.requests(waiting: true).count == 1)
    }

    @Test("one person's invitations and a team's requests have bounds")
    func bounds() throws {
        let team = try TeamFixture { $0.groupMembers = 5_000 }
        let (manager, owner) = (team.manager, team.owner)
        let people = try team.write { store, _ throws(StoreError) in
            var people: [UserID] = []
            for number in 0...TeamBounds.waitingInvitations {
                people.append(try store.people.createUser(UserName("p\(number)")!))
            }
            return people
        }
        let invitation = try team.write { store, id throws(StoreError) in
            try store.teams.invite(people, to: id, by: Actor(manager))
        }
        #expect(invitation.asked.count == TeamBounds.waitingInvitations)
        #expect(invitation.refused.map(\.refusal) == [.tooMany(limit: TeamBounds.waitingInvitations)])
        let last = try team.write { store, id throws(StoreError) in
            try store.teams.invite([people[people.count - 1], people[0]], to: id, by: Actor(owner))
        }
        #expect(last.asked.count == 2)
        try team.write { store, id throws(StoreError) in
            for number in 0..<TeamBounds.waitingRequests {
                let person = try store.people.createUser(UserName("q\(number)")!)
                try store.connection.run(
                    """
                    INSERT INTO team_request (kind, conversation_id, person_id, postscript, created_at)
                    VALUES (0, ?, ?, '', ?)
                    """, id, person, store.wallMilliseconds)
            }
        }
        let full = try team.write { store, id throws(StoreError) in
            try store.teams.invite([team.outsider], to: id, by: Actor(owner))
        }
        #expect(full.refused.map(\.refusal) == [.tooMany(limit: TeamBounds.waitingRequests)])
        let tooLong = String(repeating: "茶", count: TeamBounds.postscriptScalars + 1)
        #expect(throws: StoreError.self) {
            try team.write { store, id throws(StoreError) in
                try store.teams.invite([team.outsider], to: id, postscript: tooLong, by: Actor(owner))
            }
        }
    }
}
