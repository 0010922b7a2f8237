import Accounts
import AdminAPI
import Broker
import ChatModel
import Store

extension AdminHandler {
    func answerPeopleRequest(_ request: AdminPeopleRequest, _ then: @escaping Answer) {
        switch request {
        case .edit(let edit): self.edit(edit, then)
        case .preview(let rows): self.preview(rows, then)
        case .endSessions(let filter, let isDryRun): self.endSessions(filter, isDryRun: isDryRun, then)
        case .details(let name): self.showDetails(of: name, then)
        case .delete(let name): self.delete(name, then)
        case .bring(let rows, let isDryRun): self.bring(rows, isDryRun: isDryRun, then)
        case .invite(let invitation): self.invite(invitation, then)
        case .invitations(let before): self.listInvitations(before: before, then)
        case .withdrawInvitation(let number): self.withdrawInvitation(number, then)
        }
    }

    private func edit(_ edit: AdminUserEdit, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(edit.displayName) } catch { return then(.failure(error)) }
        let broker = self.broker
        self.accounts.edit(
            edit.name, displayName: edit.displayName, externalID: edit.externalID, role: edit.role, auditing: self.note
        ) { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(.none): then(.success(.count(0)))
            case .success(.some(let sessions)):
                broker.end(allOf: sessions.user, deviceClass: nil, reason: .signedOut) {
                    then(.success(.count(Int64($0))))
                }
            }
        }
    }

    // MARK: Deleting

    /// Answers how many sessions ended.
    private func delete(_ name: UserName, _ then: @escaping Answer) {
        self.accounts.delete(name, auditing: self.note, by: EventOrigin(.operator)) { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let sessions):
                self.broker.end(allOf: sessions.user, deviceClass: nil, reason: .disabled) {
                    then(.success(.count(Int64($0))))
                }
            }
        }
    }

    // MARK: Looking

    private func showDetails(of name: UserName, _ then: @escaping Answer) {
        let broker = self.broker
        self.userID(name, then) { user in
            broker.ends(of: user, limit: AdminProtocol.recentRows) { ends in
                self.showDetails(of: name, ends.map { AdminSessionEnd($0) }, then)
            }
        }
    }

    private func showDetails(of name: UserName, _ ends: [AdminSessionEnd], _ then: @escaping Answer) {
        let quota = self.store.fileLimits.personBytes
        self.read(then) { transaction throws(StoreError) in
            let user = try transaction.existingUser(name)
            let counts = try transaction.people.counts(of: user.id)
            let rows = AdminProtocol.detailRows
            let issued = try transaction.people.tokenIssueTimes(of: user.id)
            return .details(
                AdminPersonDetails(
                    name: name, deletedAtMilliseconds: user.deletedAtMilliseconds, friendCount: counts.friends,
                    friends: try transaction.friends.newest(of: user.id, limit: rows).map { friend in
                        AdminFriend(
                            name: friend.name, remark: friend.remark, sinceMilliseconds: friend.createdAtMilliseconds)
                    },
                    recent: try transaction.inbox.recent(of: user.id, limit: AdminProtocol.recentRows).map {
                        AdminRecentConversation($0, of: name)
                    },
                    teamCount: counts.teams,
                    teams: try transaction.people.teams(of: user.id, limit: rows).map { team in
                        AdminMembership(team: team.name, title: team.title, role: team.role)
                    },
                    files: AdminFileUse(
                        count: counts.files, bytes: try transaction.files.quotaUse(of: user.id).bytes,
                        quotaBytes: quota > 0 ? quota : nil),
                    tokens: try transaction.people.tokens(of: user.id).prefix(rows).map { token in
                        AdminIssuedToken(
                            token: AdminToken(token),
                            issuedAtMilliseconds: issued[token.hash] ?? token.lastSeenAtMilliseconds)
                    }, ends: ends, devices: try Self.devices(of: user.id, transaction)))
        }
    }

    /// The devices that push SDKs registered for a person.
    static func devices(
        of user: UserID, _ transaction: ReadTransaction
    ) throws(StoreError) -> [AdminInstallation] {
        try transaction.apps.installations(of: user).prefix(AdminProtocol.detailRows).map { AdminInstallation($0) }
    }

    private func preview(_ rows: [AdminImportRow], _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            var previews: [AdminImportPreview] = []
            var seen: Set<UserName> = []
            for row in rows {
                var preview = AdminImportPreview(name: row.name, outcome: .new)
                let known = try transaction.people.user(named: row.name)
                if known != nil { preview.outcome = .exists }
                if !seen.insert(row.name).inserted { preview.outcome = .again }
                do throws(AdminError) {
                    if row.name == systemUserName { throw AdminError(AccountsError.systemUser) }
                    try checkTitle(row.displayName)
                    if known?.deletedAtMilliseconds != nil {
                        throw AdminError(.refused, "the account was deleted: nobody gets its name again")
                    }
                } catch {
                    preview.outcome = .refused
                    preview.problem = error.message
                }
                previews.append(preview)
            }
            return .previewed(previews)
        }
    }

    private func endSessions(_ filter: AdminSessionFilter, isDryRun: Bool, _ then: @escaping Answer) {
        let broker = self.broker
        broker.sessions(of: nil) { sessions in
            let meant = sessions.map { AdminSession($0) }.filter { filter.matches($0) }
            guard !isDryRun else {
                return then(.success(.sessions(Array(meant.prefix(AdminProtocol.pageRows)), next: nil)))
            }
            self.afterAuditing(then) {
                let ids = meant.map { SessionID(rawValue: UInt64(bitPattern: $0.id)) }
                broker.end(
                    sessions: ids, reason: .kickedByOperator("an operator ended this session")
                ) { then(.success(.count(Int64($0)))) }
            }
        }
    }
}

extension AdminSessionEnd {
    init(_ end: SessionEnd) {
        let session = end.session
        self.init(
            user: session.userName, device: session.deviceClass, deviceID: session.deviceID, address: session.address,
            openedAtMilliseconds: session.openedAtMilliseconds, endedAtMilliseconds: end.endedAtMilliseconds,
            reason: end.reason.name)
    }
}

extension AdminInstallation {
    init(_ device: Installation) {
        self.init(
            objectID: device.objectID.text, deviceType: device.deviceType, installationID: device.installationID,
            tokenHint: device.deviceToken.map { $0.prefix(8) + "…" },
            createdAtMilliseconds: device.createdAtMilliseconds, updatedAtMilliseconds: device.updatedAtMilliseconds)
    }
}

extension AdminRecentConversation {
    init(_ recent: RecentConversation, of name: UserName) {
        let conversation = recent.conversation
        self.init(
            conversation: conversation.channel?.text ?? directName(name.text, recent.peerName?.text ?? name.text),
            kind: conversation.kind, unread: recent.unread, badge: recent.badge,
            isPinned: recent.preference.isPinned, activeAtMilliseconds: conversation.activeAtMilliseconds)
    }
}
