import Accounts
import AdminAPI
import Broker
import ChatModel
import Store

extension Desk {
    func answer(_ request: AdminPeopleRequest, _ then: @escaping Answer) {
        switch request {
        case .edit(let edit): self.edit(edit, then)
        case .preview(let rows): self.preview(rows, then)
        case .endSessions(let filter, let isDryRun): self.endSessions(filter, isDryRun: isDryRun, then)
        }
    }

    private func edit(_ edit: AdminUserEdit, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(edit.displayName) } catch { return then(.failure(error)) }
        let broker = self.broker
        self.accounts.edit(
            edit.name, displayName: edit.displayName, externalID: edit.externalID, role: edit.role, noting: self.note
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

    private func preview(_ rows: [AdminImportRow], _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            var previews: [AdminImportPreview] = []
            var seen: Set<UserName> = []
            for row in rows {
                var preview = AdminImportPreview(name: row.name, outcome: .new)
                if try transaction.user(named: row.name) != nil { preview.outcome = .exists }
                if !seen.insert(row.name).inserted { preview.outcome = .again }
                do throws(AdminError) {
                    if row.name == systemUserName { throw AdminError(AccountsError.systemUser) }
                    try checkTitle(row.displayName)
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
            self.afterNoting(then) {
                let ids = meant.map { SessionID(rawValue: UInt64(bitPattern: $0.id)) }
                broker.end(
                    sessions: ids, reason: .kickedByOperator("an operator ended this session")
                ) { then(.success(.count(Int64($0)))) }
            }
        }
    }
}
