import Accounts
import AdminAPI
import ChatModel
import Execution
import Store

extension AdminHandler {
    /// Each person is a change of its own, with an entry in the audit log when anything was set.
    func bring(_ rows: [AdminArrival], isDryRun: Bool, _ then: @escaping Answer) {
        guard !rows.isEmpty else { return then(.success(.brought([]))) }
        if isDryRun {
            return self.read(then) { transaction throws(StoreError) in
                var results: [AdminArrivalResult] = []
                for row in rows {
                    results.append(
                        AdminArrivalResult(row, try Accounts.foresee(ArrivingPerson(row), in: transaction)))
                }
                return .brought(results)
            }
        }
        let collected = Collected<AdminArrivalResult>(count: rows.count) { then(.success(.brought($0))) }
        for (index, row) in rows.enumerated() {
            let note = self.note(about: row.name, .people(.bring([row], isDryRun: false)))
            self.accounts.bring(ArrivingPerson(row), auditing: note) { result in
                switch result {
                case .success(let outcome): collected.finish(index, AdminArrivalResult(row, outcome))
                case .failure(let error): collected.finish(index, AdminArrivalResult(row, problem: "\(error)"))
                }
            }
        }
    }
}

extension ArrivingPerson {
    fileprivate init(_ row: AdminArrival) {
        var password: ImportedPassword?
        if let salt = row.salt, let hash = row.hash { password = ImportedPassword(salt: salt, hash: hash) }
        self.init(
            name: row.name,
            app: AppUserPatch(
                username: row.username, email: row.email, phone: row.phone, fields: row.fields.map { Array($0.utf8) },
                createdAtMilliseconds: row.createdAtMilliseconds), displayName: row.displayName, avatar: row.avatar,
            password: password)
    }
}

extension AdminArrivalResult {
    fileprivate init(_ row: AdminArrival, _ outcome: ArrivalOutcome) {
        switch outcome {
        case .arrived(let arrival):
            self.init(
                name: row.name, username: arrival.username, existed: arrival.existed, changed: arrival.hasChanged,
                password: Password(arrival.password))
        case .taken(.username(let text)): self.init(row, problem: "somebody else has the username \(text)")
        case .taken(.email(let text)): self.init(row, problem: "somebody else has the email address \(text)")
        case .taken(.phone(let text)): self.init(row, problem: "somebody else has the phone number \(text)")
        case .deleted: self.init(row, problem: "the account was deleted: nobody gets its name again")
        case .systemUser: self.init(row, problem: AccountsError.systemUser.description)
        }
    }

    fileprivate init(_ row: AdminArrival, problem: String) {
        self.init(name: row.name, username: row.username, changed: false, password: .missing, error: problem)
    }
}

extension AdminArrivalResult.Password {
    fileprivate init(_ password: Arrival.Password) {
        switch password {
        case .set: self = .set
        case .kept: self = .kept
        case .missing: self = .missing
        }
    }
}

/// Collects the results of rows that are worked on side by side, in their order.
final class Collected<Element: Sendable>: Sendable {
    private let state: Lock<(results: [Element?], left: Int)>
    private let then: @Sendable ([Element]) -> Void

    /// - Parameter count: at least 1.
    init(count: Int, then: @escaping @Sendable ([Element]) -> Void) {
        self.state = Lock((results: Array(repeating: nil, count: count), left: count))
        self.then = then
    }

    func finish(_ row: Int, _ result: Element) {
        let all = self.state.withLock { state -> [Element]? in
            state.results[row] = result
            state.left -= 1
            return state.left == 0 ? state.results.compactMap { $0 } : nil
        }
        if let all { self.then(all) }
    }
}
