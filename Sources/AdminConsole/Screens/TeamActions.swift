import AdminAPI
import ChatModel

extension AdminTeam {
    /// Name that programs use for the team.
    var name: ChannelName? { self.conversation.groupName }

    /// Requests take the text, which the server made a name of before.
    var text: String { self.conversation.name }
}

/// Actions on a team, wherever it is shown: all of them by the operator's right.
enum TeamActions {
    // MARK: What it says of itself

    /// A change of some settings with what takes it back.
    private static func set(
        _ name: ChannelName, _ patch: AdminTeamPatch, before: AdminTeamPatch, _ look: Look
    ) -> OperatorAction {
        let done = look("ctl.team.changed", ["name": name.text])
        var operatorAction = OperatorAction([.teams(.set(name, patch))], done: done)
        operatorAction.undo = OperatorAction([.teams(.set(name, before))], done: done)
        return operatorAction
    }

    static func nameForm(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Form {
        let before = team.conversation.title ?? ""
        let label = look(TeamCardRow.Name.name.titleKey(in: team.form))
        return Form(
            look("console.card.editTitle", ["row": label, "name": name.text]),
            [Form.Field(label, before, maximum: AdminProtocol.maximumTitleScalars)],
            submit: { values in
                var (patch, old) = (AdminTeamPatch(), AdminTeamPatch())
                (patch.title, old.title) = (values[0], before)
                return [.perform(Self.set(name, patch, before: old, look))]
            })
    }

    static func introductionForm(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Form {
        let before = team.introduction ?? ""
        let label = look("card.row.introduction")
        return Form(
            look("console.card.editTitle", ["row": label, "name": name.text]),
            [Form.Field(label, before, maximum: TeamBounds.introductionScalars, isMultiline: true)],
            submit: { values in
                var (patch, old) = (AdminTeamPatch(), AdminTeamPatch())
                (patch.introduction, old.introduction) = (values[0], before)
                return [.perform(Self.set(name, patch, before: old, look))]
            })
    }

    static func announcementForm(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Form {
        let before = team.announcement
        @Sendable func operatorAction(_ title: String, _ text: String) -> OperatorAction {
            OperatorAction(
                [.teams(.announce(name, title: title.isEmpty ? nil : title, text: text))],
                done: look(text.isEmpty ? "ctl.team.announcementRemoved" : "ctl.team.announced", ["name": name.text]))
        }
        return Form(
            look("console.groups.noticeTitle", ["name": name.text]),
            [
                Form.Field(look("table.title"), before?.title ?? "", maximum: TeamBounds.announcementTitleScalars),
                Form.Field(look("table.announcement"), before?.body ?? "", isMultiline: true),
            ],
            submit: { values in
                var change = operatorAction(values[0], values[1])
                change.undo = operatorAction(before?.title ?? "", before?.body ?? "")
                let key = values[1].isEmpty ? "console.card.announcementRemoved" : "console.card.announced"
                return [
                    .propose(
                        Proposal(
                            look("console.groups.noticeTitle", ["name": name.text]), consequences: [look(key)],
                            operatorAction: change))
                ]
            })
    }

    // MARK: Modes

    /// A mode that stands on the card.
    private struct Mode {
        /// Words of all values, and of the one that is set.
        var words: [String]
        var now: String
        /// Puts the value of a word into a patch.
        var put: (inout TeamModesPatch, String) -> Void

        func patch(_ word: String) -> AdminTeamPatch {
            var patch = AdminTeamPatch()
            self.put(&patch.modes, word)
            return patch
        }
    }

    private static func mode(_ row: TeamCardRow.Name, of modes: AdminTeamModes) -> Mode? {
        switch row {
        case .joinMode:
            Mode(words: TeamJoinMode.words, now: modes.join.word) { $0.join = TeamJoinMode(word: $1) }
        case .inviteMode:
            Mode(words: TeamInviteMode.words, now: modes.invite.word) { $0.invite = TeamInviteMode(word: $1) }
        case .beInvitedMode:
            Mode(words: TeamBeInvitedMode.words, now: modes.beInvited.word) {
                $0.beInvited = TeamBeInvitedMode(word: $1)
            }
        case .updateInfoMode:
            Mode(words: TeamUpdateMode.words, now: modes.updateInfo.word) { $0.updateInfo = TeamUpdateMode(word: $1) }
        case .mute: Mode(words: TeamMuteMode.words, now: modes.mute.word) { $0.mute = TeamMuteMode(word: $1) }
        case .header, .transfer, .transferAndLeave, .members, .invite, .remove, .kind, .name, .nickname, .introduction,
            .announcement, .mutedList, .alerts, .pinned, .leave, .dismiss, .memberHeader, .memberNickname, .memberRole,
            .memberInviter, .memberMute, .memberRemove:
            nil
        }
    }

    /// - Returns: `nil` for a row that is no mode.
    static func modeForm(_ row: TeamCardRow.Name, _ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Form? {
        guard let mode = Self.mode(row, of: team.modes) else { return nil }
        let label = look(row.titleKey(in: team.form))
        var field = Form.Field(label, choices: mode.words.map { ($0, look(row.valueKey($0) ?? $0)) })
        field.text.text = mode.now
        return Form(
            look("console.card.editTitle", ["row": label, "name": name.text]), [field],
            submit: { values in Self.setMode(row, values[0], team, name, look) })
    }

    static func setMode(
        _ row: TeamCardRow.Name, _ word: String, _ team: AdminTeam, _ name: ChannelName, _ look: Look
    ) -> [Intent] {
        guard let mode = Self.mode(row, of: team.modes), mode.now != word else { return look.nothing("ctl.unchanged") }
        let operatorAction = Self.set(name, mode.patch(word), before: mode.patch(mode.now), look)
        let label = look(row.titleKey(in: team.form))
        let values = ["row": label, "name": name.text]
        return [
            .propose(
                Proposal(
                    look("console.card.editTitle", values) + ": " + look(row.valueKey(word) ?? word),
                    consequences: [look("console.card.\(row.rawValue).\(word)")], operatorAction: operatorAction))
        ]
    }

    /// Form of the limits that no row of the card shows.
    static func limitsForm(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Form {
        let limit = team.memberLimit ?? 0
        let (attributes, leaving) = (
            team.modes.updateAttributes.word, team.modes.ownerLeaving.word
        )
        var fields = [
            Form.Field(look("table.memberLimit"), limit == 0 ? "" : String(limit)),
            Form.Field(
                look("console.card.attributes"),
                choices: TeamUpdateMode.words.map { ($0, look("card.value.update.\($0)")) }),
            Form.Field(
                look("console.card.ownerLeaving"),
                choices: TeamOwnerLeaving.words.map {
                    ($0, look("console.card.ownerLeaving.\($0)"))
                }),
        ]
        fields[1].text.text = attributes
        fields[2].text.text = leaving
        @Sendable func patch(_ values: [String]) -> AdminTeamPatch {
            var patch = AdminTeamPatch()
            patch.memberLimit = Int64(values[0]) ?? 0
            patch.modes.updateAttributes = TeamUpdateMode(word: values[1])
            patch.modes.ownerLeaving = TeamOwnerLeaving(word: values[2])
            return patch
        }
        let before = [limit == 0 ? "" : String(limit), attributes, leaving]
        return Form(
            look("console.card.limitsTitle", ["name": name.text]), fields,
            check: { values in
                let isLimit = Int64(values[0]).map { $0 >= Int64(TeamBounds.smallestMemberLimit) } ?? values[0].isEmpty
                return isLimit
                    ? nil : look("console.card.limitHint", ["least": String(TeamBounds.smallestMemberLimit)])
            },
            submit: { values in
                [.perform(Self.set(name, patch(values), before: patch(before), look))]
            })
    }

    // MARK: People

    static func invite(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Intent {
        var configuration = SelectorConfiguration(.people)
        configuration.isMultiple = true
        configuration.filterIDs = Set(team.members.map(\.name.text))
        configuration.title = look("console.groups.addTitle", ["name": name.text])
        if let limit = team.memberLimit {
            let free = Int(limit - team.conversation.memberCount)
            guard free > 0 else { return .tell(StatusLine(look("card.refusal.full"), .refusal)) }
            configuration.maximumSelected = free
            configuration.tip = look("console.card.limitTip", ["limit": String(limit)])
        }
        return .select(
            Selector(configuration) { people in
                let names = people.compactMap { UserName($0.id) }
                let words = names.map(\.text)
                let values = ["name": name.text, "count": String(names.count)]
                let operatorAction = OperatorAction(
                    [.teams(.add(name, names))], done: look("ctl.group.added", values),
                    undone: look("ctl.team.removed", values))
                return [
                    .propose(
                        Proposal(
                            look("console.groups.addTitle", ["name": name.text]) + ": " + look.names(words),
                            consequences: [look("console.groups.addConsequence")], typed: typedNumber(of: names),
                            operatorAction: operatorAction))
                ]
            })
    }

    /// Invites in the name of the member: the rules of the team apply, so users may be asked first.
    static func inviteFriends(
        of member: UserName, _ team: AdminTeam, _ name: ChannelName, _ look: Look
    ) -> Intent {
        var configuration = SelectorConfiguration(.friends(member))
        configuration.isMultiple = true
        configuration.filterIDs = Set(team.members.map(\.name.text))
        configuration.title = look("console.card.inviteFriendsTitle", ["name": member.text])
        let title = look("console.groups.addTitle", ["name": name.text])
        return .select(
            Selector(configuration) { people in
                let names = people.compactMap { UserName($0.id) }
                let form = Form(
                    title + ": " + look.names(names.map(\.text)),
                    [Form.Field(look("table.postscript"), maximum: TeamBounds.postscriptScalars)],
                    submit: { values in
                        var operatorAction = OperatorAction(
                            [.teams(.invite(name, names, from: member, postscript: values[0]))],
                            done: title)
                        operatorAction.shows = { Self.page($0, title, look) }
                        return [
                            .propose(
                                Proposal(
                                    title + ": " + look.names(names.map(\.text)),
                                    consequences: [look("console.card.invitedConsequence")],
                                    typed: typedNumber(of: names), operatorAction: operatorAction))
                        ]
                    })
                return [.form(form)]
            })
    }

    /// Page with the outcome of an invitation.
    private static func page(_ answers: [AdminAnswer], _ title: String, _ look: Look) -> Page? {
        guard case .teams(.invited(let invited))? = answers.first else { return nil }
        let groups = [
            ("console.card.invited", invited.added), ("console.card.askedFirst", invited.asked),
            ("console.card.refusedHere", invited.refused),
        ]
        let lines = groups.filter { !$1.isEmpty }.flatMap { key, names in
            [Line(look(key), .heading)] + names.map { Line($0.text) }
        }
        return Page(title, lines)
    }

    private static func removal(_ names: [UserName], _ team: ChannelName, _ look: Look) -> OperatorAction {
        OperatorAction(
            [.teams(.remove(team, names))],
            done: look("ctl.team.removed", ["name": team.text, "count": String(names.count)]))
    }

    /// The undo brings them back as what they were; who was the owner stays a member only, so then there is none.
    static func remove(_ members: [AdminMember], _ team: ChannelName, _ look: Look) -> [Intent] {
        guard !members.isEmpty else { return look.nothing() }
        let names = members.map(\.name)
        var operatorAction = Self.removal(names, team, look)
        if !members.contains(where: { $0.role == .owner }) {
            let managers = members.filter { $0.role == .manager }.map(\.name)
            var back = OperatorAction(
                [.teams(.add(team, names))],
                done: look("ctl.group.added", ["name": team.text, "count": String(names.count)]))
            if !managers.isEmpty {
                back.requests.append(.teams(.setRole(team, managers, .manager)))
            }
            operatorAction.undo = back
        }
        return [
            .propose(
                Proposal(
                    look("console.groups.remove") + ": " + look.names(names.map(\.text)),
                    consequences: [look("console.groups.removeConsequence", ["name": team.text])],
                    typed: typedNumber(of: names), operatorAction: operatorAction))
        ]
    }

    /// The members of which some are chosen and removed.
    static func chooseAndRemove(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Intent {
        var configuration = SelectorConfiguration(.members(team.conversation.reference))
        configuration.isMultiple = true
        configuration.filterIDs = Set(team.owner.map { [$0.text] } ?? [])
        configuration.title = look("console.card.removeTitle", ["name": name.text])
        return .select(
            Selector(configuration) { people in
                Self.remove(team.members.filter { member in people.contains { $0.id == member.name.text } }, name, look)
            })
    }

    static func roleForm(_ members: [AdminMember], _ team: ChannelName, _ look: Look) -> [Intent] {
        let changed = members.filter { $0.role != .owner }
        guard let first = changed.first else { return look.nothing("card.refusal.owner-role") }
        var field = Form.Field(
            look("table.role"), choices: [("manager", look("word.manager")), ("member", look("word.member"))])
        field.text.text = first.role == .manager ? "member" : "manager"
        return [
            .form(
                Form(
                    look("console.card.roleTitle", ["names": look.names(changed.map(\.name.text))]), [field],
                    submit: { values in
                        Self.setRole(changed, values[0] == "manager" ? .manager : .member, team, look)
                    }))
        ]
    }

    private static func setRole(
        _ members: [AdminMember], _ role: MemberRole, _ team: ChannelName, _ look: Look
    ) -> [Intent] {
        let names = members.filter { $0.role != role }.map(\.name)
        guard !names.isEmpty else { return look.nothing("ctl.unchanged") }
        @Sendable func operatorAction(_ role: MemberRole) -> OperatorAction {
            OperatorAction(
                [.teams(.setRole(team, names, role))],
                done: look("ctl.team.roles", ["name": team.text, "count": String(names.count)]))
        }
        var change = operatorAction(role)
        change.undo = operatorAction(role == .manager ? .member : .manager)
        let key = role == .manager ? "console.card.managerConsequence" : "console.card.memberConsequence"
        return [
            .propose(
                Proposal(
                    look("console.card.roleTitle", ["names": look.names(names.map(\.text))]) + ": "
                        + look(role.textKey),
                    consequences: [look(key)], typed: typedNumber(of: names), operatorAction: change))
        ]
    }

    static func nicknameForm(_ member: UserName, now: String, _ team: ChannelName, _ look: Look) -> Form {
        @Sendable func operatorAction(_ nickname: String) -> OperatorAction {
            OperatorAction(
                [.teams(.setNickname(team, member, nickname))],
                done: look("ctl.team.renamed", ["name": member.text, "team": team.text]))
        }
        return Form(
            look("console.card.nicknameTitle", ["name": member.text, "team": team.text]),
            [Form.Field(look("card.row.nick"), now, maximum: AdminProtocol.maximumTitleScalars)],
            submit: { values in
                var change = operatorAction(values[0])
                change.undo = operatorAction(now)
                return [.perform(change)]
            })
    }

    // MARK: Muting

    static func muteForm(_ names: [UserName], _ team: ChannelName, _ look: Look) -> [Intent] {
        guard !names.isEmpty else { return look.nothing() }
        return [
            .form(
                Form(
                    look("console.groups.muteMember") + ": " + look.names(names.map(\.text)),
                    [Form.Field(look("console.groups.minutes"))],
                    check: { values in
                        if values[0].isEmpty { return nil }
                        let isTime = Int64(values[0]).map { (1...52_560_000).contains($0) } ?? false
                        return isTime ? nil : look("console.groups.minutesHint")
                    },
                    submit: { values in
                        let operatorAction = OperatorAction(
                            names.map { .teams(.mute(team, $0, true, minutes: Int64(values[0]))) },
                            done: look.counted("console.groups.memberMuted", names.count),
                            undone: look.counted("console.groups.memberUnmuted", names.count))
                        return [.perform(operatorAction)]
                    }))
        ]
    }

    private static func unmuting(_ names: [UserName], _ team: ChannelName, _ look: Look) -> OperatorAction {
        OperatorAction(
            names.map { .teams(.mute(team, $0, false, minutes: nil)) },
            done: look.counted("console.groups.memberUnmuted", names.count))
    }

    /// The undo mutes them for what was left of their time.
    static func unmute(_ members: [AdminMember], _ team: ChannelName, _ look: Look) -> [Intent] {
        let muted = members.filter { $0.mutedUntilMilliseconds > look.nowMilliseconds }
        guard !muted.isEmpty else { return look.nothing("ctl.unchanged") }
        let names = muted.map(\.name)
        var operatorAction = Self.unmuting(names, team, look)
        let left = muted.map { member -> Int64? in
            guard member.mutedUntilMilliseconds != .max else { return nil }
            return (member.mutedUntilMilliseconds - look.nowMilliseconds) / 60_000 + 1
        }
        operatorAction.undo = OperatorAction(
            zip(names, left).map { .teams(.mute(team, $0, true, minutes: $1)) },
            done: look.counted("console.groups.memberMuted", names.count))
        return [
            .propose(
                Proposal(
                    look("console.groups.unmuteMember") + ": " + look.names(names.map(\.text)),
                    consequences: [look("console.groups.unmuteMemberConsequence")], typed: typedNumber(of: names),
                    operatorAction: operatorAction))
        ]
    }

    // MARK: Handing over, and the end

    /// First who gets it, then whether the old owner stays.
    static func transfer(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> Intent {
        var configuration = SelectorConfiguration(.members(team.conversation.reference))
        configuration.filterIDs = Set(team.owner.map { [$0.text] } ?? [])
        configuration.title = look("console.card.transferTitle", ["name": name.text])
        return .select(
            Selector(configuration) { people in
                guard let heir = people.first.flatMap({ UserName($0.id) }) else { return [] }
                return Self.transfer(team, name, to: heir, look)
            })
    }

    static func transfer(_ team: AdminTeam, _ name: ChannelName, to heir: UserName, _ look: Look) -> [Intent] {
        guard heir != team.owner else { return look.nothing("ctl.unchanged") }
        guard let owner = team.owner else { return Self.propose(team, name, to: heir, andLeaves: false, look) }
        let field = Form.Field(
            owner.text,
            choices: [("stay", look("console.card.ownerStays")), ("leave", look("console.card.ownerLeaves"))])
        return [
            .form(
                Form(
                    look("console.card.transferTo", ["name": name.text, "owner": heir.text]), [field],
                    submit: { Self.propose(team, name, to: heir, andLeaves: $0[0] == "leave", look) }))
        ]
    }

    /// Proposes to hand over; only handing over alone can be undone, for a person who left is not brought back.
    private static func propose(
        _ team: AdminTeam, _ name: ChannelName, to heir: UserName, andLeaves: Bool, _ look: Look
    ) -> [Intent] {
        @Sendable func operatorAction(_ owner: UserName, _ leaves: Bool) -> OperatorAction {
            OperatorAction(
                [.teams(.transfer(name, to: owner, andLeaves: leaves))],
                done: look("ctl.team.transferred", ["name": name.text, "owner": owner.text]))
        }
        var change = operatorAction(heir, andLeaves)
        if let owner = team.owner, !andLeaves {
            var back = operatorAction(owner, false)
            if team.members.contains(where: { $0.name == heir && $0.role == .manager }) {
                back.requests.append(.teams(.setRole(name, [heir], .manager)))
            }
            change.undo = back
        }
        var consequences = [look("console.card.heirConsequence", ["name": heir.text])]
        if let owner = team.owner {
            let key = andLeaves ? "console.card.ownerLeavesConsequence" : "console.card.ownerStaysConsequence"
            consequences.append(look(key, ["name": owner.text]))
        }
        return [
            .propose(
                Proposal(
                    look("console.card.transferTo", ["name": name.text, "owner": heir.text]),
                    consequences: consequences, operatorAction: change))
        ]
    }

    static func dismiss(_ team: AdminTeam, _ name: ChannelName, _ look: Look) -> [Intent] {
        guard !team.conversation.isDisbanded else { return look.nothing("card.refusal.dismissed") }
        let operatorAction = OperatorAction(
            [.teams(.dismiss(name))],
            done: look("ctl.team.dismissed", ["name": name.text]))
        let count = Int(team.conversation.memberCount)
        let consequences = look.consequences(of: operatorAction) + [look.counted("console.card.dismissMembers", count)]
        return [
            .propose(
                Proposal(
                    look("card.row.dismiss") + ": " + name.text, consequences: consequences, typed: name.text,
                    operatorAction: operatorAction))
        ]
    }
}
