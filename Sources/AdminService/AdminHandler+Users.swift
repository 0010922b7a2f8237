import Accounts
import AdminAPI
import Broker
import ChatModel
import Store

extension AdminHandler {
    func add(_ user: AdminNewUser, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(user.displayName) } catch { return then(.failure(error)) }
        self.accounts.addUser(
            user.name, role: user.role, displayName: user.displayName, password: user.password, auditing: self.note
        ) { result in
            then(result.map { _ in .done }.mapError { AdminError($0) })
        }
    }

    func listUsers(after: Int64?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let rows = AdminProtocol.pageRows
            let users = try transaction.people.users(after: UserID(rawValue: after ?? 0), limit: rows)
            return .users(users.map { AdminUser($0) }, next: users.count == rows ? users.last?.id.rawValue : nil)
        }
    }

    func show(_ name: UserName, _ then: @escaping Answer) {
        let broker = self.broker
        self.store.read(for: .operator, { transaction throws(StoreError) in try transaction.existingUser(name) }) {
            found in
            switch found {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let user):
                broker.sessions(of: user.id) { sessions in
                    self.measured(sessions) { self.show(user, $0, then) }
                }
            }
        }
    }

    private func show(_ user: User, _ sessions: [AdminSession], _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let tokens = try transaction.people.tokens(of: user.id)
            let rows = AdminProtocol.pageRows
            return .user(
                AdminUserDetail(
                    user: AdminUser(user), tokens: tokens.map { AdminToken($0) },
                    sessions: sessions,
                    blocked: try transaction.people.personalList(of: user.id, .blocked).prefix(rows).map(\.text),
                    allowed: try transaction.people.personalList(of: user.id, .allowed).prefix(rows).map(\.text),
                    isAllowlistOnly: try transaction.people.isAllowlistOnly(user.id),
                    devices: try Self.devices(of: user.id, transaction)))
        }
    }

    func issueToken(_ name: UserName, _ device: DeviceClass, _ level: DeviceLevel, _ then: @escaping Answer) {
        self.accounts.issueToken(for: name, class: device, level: level, lifetimeSeconds: nil, auditing: self.note) {
            result in
            then(result.map { .token($0.token.text) }.mapError { AdminError($0) })
        }
    }

    func revoke(_ name: UserName, _ device: DeviceClass?, _ then: @escaping Answer) {
        self.accounts.revokeTokens(of: name, class: device, auditing: self.note) { self.end($0, .signedOut, then) }
    }

    func setPassword(_ name: UserName, _ password: String, _ then: @escaping Answer) {
        self.accounts.setPassword(of: name, to: password, auditing: self.note) { self.end($0, .signedOut, then) }
    }

    func setDisabled(_ name: UserName, _ isDisabled: Bool, _ then: @escaping Answer) {
        self.accounts.setDisabled(name, isDisabled, auditing: self.note) { result in
            guard isDisabled else { return then(result.map { _ in .count(0) }.mapError { AdminError($0) }) }
            self.end(result, .disabled, then)
        }
    }

    /// Ends the sessions that a change took the right from, and answers how many.
    private func end(
        _ change: Result<SessionsToEnd, AccountsError>, _ reason: SessionEndReason, _ then: @escaping Answer
    ) {
        switch change {
        case .failure(let error): then(.failure(AdminError(error)))
        case .success(let sessions):
            self.broker.end(allOf: sessions.user, deviceClass: sessions.deviceClass, reason: reason) {
                then(.success(.count(Int64($0))))
            }
        }
    }

    func setSendBanned(_ name: UserName, _ isBanned: Bool, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let user = try transaction.reading.existingUser(name)
            try transaction.people.setSendBanned(user.id, isBanned)
            return .count(user.isSendBanned == isBanned ? 0 : 1)
        }
    }

    func setAllowlistOnly(_ name: UserName, _ isOn: Bool, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            let user = try transaction.reading.existingUser(name)
            let wasOn = try transaction.reading.people.isAllowlistOnly(user.id)
            try transaction.people.setAllowlistOnly(user.id, isOn)
            return .count(wasOn == isOn ? 0 : 1)
        }
    }

    func setListed(
        _ owner: UserName, _ list: PersonalList, _ other: UserName, _ isListed: Bool, _ then: @escaping Answer
    ) {
        self.write(then) { transaction throws(StoreError) in
            let ownerID = try transaction.reading.existingUser(owner).id
            let otherID = try transaction.reading.existingUser(other).id
            guard ownerID != otherID else { throw .invalid("nobody can be on a list of their own") }
            let changed = try transaction.people.setListed(owner: ownerID, list, otherID, isListed)
            return .count(changed ? 1 : 0)
        }
    }
}

// MARK: Import

extension AdminHandler {
    func importUsers(_ rows: [AdminImportRow], _ classes: [DeviceClass], _ then: @escaping Answer) {
        guard !rows.isEmpty else { return then(.success(.imported([]))) }
        let collected = Collected<AdminImportResult>(count: rows.count) { then(.success(.imported($0))) }
        for (index, row) in rows.enumerated() {
            self.importUser(row, classes) { collected.finish(index, $0) }
        }
    }

    /// The entry of one person in a request about many.
    ///
    /// - Parameter request: what was asked of this person.
    func note(about name: UserName, _ request: @autoclosure () -> AdminRequest) -> AuditNote? {
        self.note.map { whole in
            AuditNote(
                actor: whole.actor, word: whole.word, subject: name.text, asked: request().asked,
                state: Self.stateOfUser(name))
        }
    }

    private func importUser(
        _ row: AdminImportRow, _ classes: [DeviceClass], _ then: @escaping @Sendable (AdminImportResult) -> Void
    ) {
        let failed: @Sendable (any Error) -> Void = { error in
            then(AdminImportResult(name: row.name, token: nil, existed: false, error: "\(error)"))
        }
        do throws(AdminError) { try checkTitle(row.displayName) } catch { return failed(error) }
        let note = self.note(about: row.name, .importUsers([row], classes))
        self.accounts.importUser(row.name, displayName: row.displayName, classes: classes, auditing: note) { imported in
            switch imported {
            case .success(let user):
                then(AdminImportResult(name: row.name, token: user.token.text, existed: user.existed, error: nil))
            case .failure(let error): failed(error)
            }
        }
    }
}

extension AdminToken {
    init(_ token: DeviceToken) {
        self.init(
            device: token.deviceClass, level: token.level, lastSeenAtMilliseconds: token.lastSeenAtMilliseconds,
            expiresAtMilliseconds: token.expiresAtMilliseconds)
    }
}
