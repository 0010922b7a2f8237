import AdminAPI
import ChatModel
import Store

extension AdminHandler {
    func answerTeamRequest(_ request: AdminTeamRequest, _ then: @escaping Answer) {
        let then: Answer = { answer in then(answer.mapError { request.namingRule($0) }) }
        switch request {
        case .show(let team): self.showTeam(team, then)
        case .create(let team): self.create(team, then)
        case .set(let team, let patch): self.set(team, patch, then)
        case .invite(let team, let people, let from, let postscript):
            self.invite(people, to: team, from: from, postscript, then)
        case .remove(let team, let people): self.remove(people, from: team, then)
        case .setBanned(let team, let isBanned): self.setBanned(team, isBanned, then)
        case .setRole(let team, let people, let role): self.setRole(people, role, in: team, then)
        case .setNickname(let team, let name, let nickname): self.setNickname(name, nickname, in: team, then)
        case .mute(let team, let name, let isMuted, let minutes):
            self.mute(name, in: team, isMuted, minutes: minutes, then)
        case .transfer(let team, let owner, let andLeaves): self.transfer(team, to: owner, andLeaves, then)
        case .dismiss(let team): self.dismiss(team, then)
        case .setNotice(let team, let text): self.setNotice(team, text, then)
        case .announce(let team, let title, let text): self.announce(team, title, text, then)
        case .announcements(let team, let before): self.listAnnouncements(team, before, then)
        case .card(let query): self.showCard(query, then)
        case .requests(let query): self.listRequests(query, then)
        case .answer(let number, let accept, let reason): self.answerRequest(number, accept, reason, then)
        case .apply(let team, let name, let postscript): self.apply(team, name, postscript, then)
        case .withdraw(let number):
            self.write(then) { transaction throws(StoreError) in
                .teams(.request(AdminJoinRequest(try transaction.teams.withdrawRequest(number, by: .operator))))
            }
        }
    }

    // MARK: Changing

    private func create(_ new: AdminNewTeam, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(new.settings.title) } catch { return then(.failure(error)) }
        self.write(then) { transaction throws(StoreError) in
            let owner = try new.owner.map { (name) throws(StoreError) in try Self.users([name], transaction)[0] }
            let members = try Self.users(new.members, transaction)
            guard let form = new.form else {
                let id = try transaction.conversations.createChannel(
                    .group, new.name, title: new.settings.title, creator: owner ?? .system, members: members)
                return .conversation(try Self.detail(id, transaction.reading))
            }
            let limit = new.settings.memberLimit.flatMap { $0 == 0 ? nil : Int($0) }
            let id = try transaction.teams.create(
                new.name,
                NewTeam(
                    form: form, title: new.settings.title, owner: owner ?? .system, members: members,
                    introduction: new.settings.introduction, memberLimit: limit, modes: new.settings.modes))
            return .teams(.team(try Self.detail(of: id, transaction.reading, at: transaction.wallMilliseconds)))
        }
    }

    private func set(_ name: ChannelName, _ patch: AdminTeamPatch, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(patch.title) } catch { return then(.failure(error)) }
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(name, transaction.reading)
            var count = 0
            if let title = patch.title {
                var info = ChannelPatch()
                info.title = title
                if try transaction.conversations.updateInfo(of: id, info, by: .operator) { count += 1 }
            }
            if let introduction = patch.introduction,
                try transaction.teams.setIntroduction(of: id, introduction, by: .operator)
            {
                count += 1
            }
            count += try transaction.teams.setModes(of: id, patch.modes, by: .operator)
            if let limit = patch.memberLimit,
                try transaction.teams.setMemberLimit(of: id, limit == 0 ? nil : Int(limit), by: .operator)
            {
                count += 1
            }
            return .count(Int64(count))
        }
    }

    private func invite(
        _ names: [UserName], to team: ChannelName, from: UserName?, _ postscript: String, _ then: @escaping Answer
    ) {
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            let users = try Self.users(names, transaction)
            let actor = try from.map { (name) throws(StoreError) in Actor(try Self.users([name], transaction)[0]) }
            let done = try transaction.teams.invite(users, to: id, postscript: postscript, by: actor ?? .operator)
            let answer = AdminTeamInvited(
                added: try Self.names(done.added, transaction), asked: try Self.names(done.asked, transaction),
                refused: try Self.names(done.refused.map(\.person), transaction))
            return .teams(.invited(answer))
        }
    }

    private func remove(_ names: [UserName], from team: ChannelName, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let users = try Self.users(names, transaction)
            let id = try Self.team(team, transaction.reading)
            return .count(Int64(try transaction.conversations.removeMembers(users, from: id).users.count))
        }
    }

    /// It leaves no line: nothing is said in a banned group.
    private func setBanned(_ name: ChannelName, _ isBanned: Bool, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(name, transaction.reading)
            guard let before = try transaction.reading.conversations.one(id)?.flags else { return .count(0) }
            var flags = before
            if isBanned { flags.insert(.banned) } else { flags.remove(.banned) }
            guard flags != before else { return .count(0) }
            try transaction.conversations.setFlags(flags, of: id)
            return .count(1)
        }
    }

    private func setRole(_ names: [UserName], _ role: MemberRole, in team: ChannelName, _ then: @escaping Answer) {
        guard role != .owner else {
            return then(.failure(AdminError(.invalid, "the owner is made by handing the team over: see team transfer")))
        }
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            let users = try Self.users(names, transaction)
            return .count(Int64(try transaction.conversations.setRoles(users, role, in: id, by: .operator).users.count))
        }
    }

    private func setNickname(
        _ name: UserName, _ nickname: String, in team: ChannelName, _ then: @escaping Answer
    ) {
        do throws(AdminError) { try checkTitle(nickname) } catch { return then(.failure(error)) }
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            let user = try Self.users([name], transaction)[0]
            try transaction.conversations.setNickname(of: user, nickname, in: id, by: .operator)
            return .done
        }
    }

    private func mute(
        _ name: UserName, in team: ChannelName, _ isMuted: Bool, minutes: Int64?, _ then: @escaping Answer
    ) {
        // A century in minutes is more than anyone means, and far from what a number can hold.
        if let minutes, !(1...52_560_000).contains(minutes) {
            return then(.failure(AdminError(.invalid, "the time is 1 to 52560000 minutes, not \(minutes)")))
        }
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            let user = try Self.users([name], transaction)[0]
            guard try transaction.reading.conversations.member(user, in: id) != nil else {
                throw .notFound("\(name) as a member of the team")
            }
            let end = minutes.map { transaction.wallMilliseconds + $0 * 60_000 } ?? .max
            let hasChanged = try transaction.conversations.setMemberMuted(
                user, untilMilliseconds: isMuted ? end : 0, in: id, by: .operator)
            return .count(hasChanged ? 1 : 0)
        }
    }

    private func transfer(_ team: ChannelName, to name: UserName, _ andLeaves: Bool, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            let user = try Self.users([name], transaction)[0]
            let change = try transaction.conversations.transferOwner(
                to: user, in: id, andLeaves: andLeaves, by: .operator)
            return .count(change.newOwner == nil ? 0 : Int64(change.users.count))
        }
    }

    private func dismiss(_ team: ChannelName, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            let isOver = try transaction.reading.conversations.one(id)?.flags.contains(.disbanded) == true
            try transaction.conversations.disband(id, by: .operator)
            return .count(isOver ? 0 : 1)
        }
    }

    private func setNotice(_ team: ChannelName, _ text: String, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            var patch = ChannelPatch()
            patch.notice = text
            let id = try Self.team(team, transaction.reading)
            return .count(try transaction.conversations.updateInfo(of: id, patch, by: .operator) ? 1 : 0)
        }
    }

    private func announce(_ team: ChannelName, _ title: String?, _ text: String, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(title) } catch { return then(.failure(error)) }
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            return .count(try transaction.teams.announce(in: id, title: title, text, by: .operator) ? 1 : 0)
        }
    }

    // MARK: Requests

    private func answerRequest(_ number: Int64, _ accept: Bool, _ reason: String, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let done = try transaction.teams.answerRequest(number, accept: accept, reason: reason, by: .operator)
            return .teams(.request(AdminJoinRequest(done)))
        }
    }

    private func apply(_ team: ChannelName, _ name: UserName, _ postscript: String, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let id = try Self.team(team, transaction.reading)
            let user = try Self.users([name], transaction)[0]
            switch try transaction.teams.apply(to: id, user, postscript: postscript) {
            case .joined: return .done
            case .waiting(let number):
                guard let request = try transaction.reading.teams.request(number) else { return .done }
                return .teams(.request(AdminJoinRequest(request)))
            }
        }
    }

    private func listRequests(_ query: AdminJoinQuery, _ then: @escaping Answer) {
        let now = self.options.clock.wallMilliseconds()
        self.read(then) { transaction throws(StoreError) in
            var wanted = TeamRequestQuery()
            if let team = query.team { wanted.team = try Self.team(team, transaction) }
            if let person = query.person { wanted.person = try transaction.existingUser(person).id }
            wanted.onlyWaiting = query.onlyWaiting
            wanted.before = query.before
            wanted.limit = AdminProtocol.pageRows
            let found = try transaction.teams.requests(wanted, at: now)
            let next = found.count == wanted.limit ? found.last?.number : nil
            return .teams(.requests(found.map { AdminJoinRequest($0) }, next: next))
        }
    }

    // MARK: Looking

    private func showTeam(_ name: ChannelName, _ then: @escaping Answer) {
        let now = self.options.clock.wallMilliseconds()
        self.read(then) { transaction throws(StoreError) in
            .teams(.team(try Self.detail(of: try Self.team(name, transaction), transaction, at: now)))
        }
    }

    private func listAnnouncements(_ name: ChannelName, _ before: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let found = try transaction.teams.announcements(
                of: try Self.team(name, transaction), before: before ?? .max, limit: TeamBounds.announcements)
            return .teams(.announcements(found.map { AdminAnnouncement($0) }))
        }
    }

    private func showCard(_ query: AdminCardQuery, _ then: @escaping Answer) {
        let now = self.options.clock.wallMilliseconds()
        self.read(then) { transaction throws(StoreError) in
            let id = try Self.team(query.team, transaction)
            let team = try Self.team(id, transaction, at: now)
            var viewer = TeamViewer.operator
            if let name = query.viewer {
                viewer = try transaction.teams.viewer(try transaction.existingUser(name).id, of: id)
            }
            let hidden = Set(query.hidden)
            guard let name = query.member else {
                return .teams(.card(TeamCard.rows(team, viewer, hiding: hidden).map { AdminCardRow($0) }))
            }
            let person = try transaction.existingUser(name)
            guard let member = try transaction.conversations.member(person.id, in: id) else {
                throw .notFound("\(name) as a member of the team")
            }
            let card = TeamCardMember(
                user: person.id, displayName: person.displayName ?? name.text, role: member.role,
                nickname: member.nickname, inviter: try transaction.teams.inviter(of: person.id, in: id),
                isMuted: member.mutedUntilMilliseconds > now)
            return .teams(
                .card(TeamCard.memberRows(team, viewer, of: card, hiding: hidden).map { AdminCardRow($0) }))
        }
    }

    // MARK: Looking up

    static func team(_ name: ChannelName, _ transaction: ReadTransaction) throws(StoreError) -> ConversationID {
        guard let found = try transaction.conversations.one(.channel(.group, name), seenBy: .system) else {
            throw .notFound("team \(name)")
        }
        return found.id
    }

    private static func team(
        _ id: ConversationID, _ transaction: ReadTransaction, at now: Int64
    ) throws(StoreError) -> Team {
        guard let team = try transaction.teams.one(id, at: now) else { throw .notFound("team number \(id.rawValue)") }
        return team
    }

    private static func detail(
        of id: ConversationID, _ transaction: ReadTransaction, at now: Int64
    ) throws(StoreError) -> AdminTeam {
        let team = try Self.team(id, transaction, at: now)
        let conversation = team.conversation
        let owner = try team.owner.flatMap { (owner) throws(StoreError) in try transaction.people.user(owner)?.name }
        let members = try transaction.conversations.members(of: id).prefix(AdminProtocol.pageRows)
        return AdminTeam(
            team, conversation: try Self.shown(conversation, transaction), owner: owner,
            members: try Self.shown(members, conversation, transaction),
            waitingRequests: try transaction.teams.waitingRequests(of: id, at: now))
    }

    private static func names(_ ids: [UserID], _ transaction: WriteTransaction) throws(StoreError) -> [UserName] {
        var names: [UserName] = []
        for id in ids {
            guard let user = try transaction.reading.people.user(id) else {
                throw .notFound("user number \(id.rawValue)")
            }
            names.append(user.name)
        }
        return names
    }
}
