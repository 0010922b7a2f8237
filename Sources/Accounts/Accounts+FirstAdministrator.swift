package import ChatModel
import Diagnostics
import Store

extension Accounts {
    /// Makes the setup token when there is no administrator yet, and removes an old one when there is. Once, at start.
    ///
    /// - Returns: through `then`, the path of the token's file, or `nil` when setup was done before.
    package func openSetup(then: @escaping Answer<String?>) {
        self.store.read(as: .signIn, { transaction throws(StoreError) in try transaction.people.hasAdministrator() }) {
            result in
            do throws(StoreError) {
                guard try !result.get() else {
                    self.setup.finish()
                    return then(.success(nil))
                }
                try self.setup.open()
                then(.success(self.setup.path))
            } catch {
                then(.failure(.store(error)))
            }
        }
    }

    /// Makes the first administrator, for whoever knows the setup token.
    ///
    /// - Parameter address: of who asks, for the log.
    package func firstAdministrator(
        setupToken: String, name: UserName, password: String, address: String, then: @escaping Answer<UserID>
    ) {
        if let refusal = self.setup.refusal(of: setupToken) {
            // Once setup is done, anybody may knock as often as they like without a line each time.
            if refusal != .done {
                self.options.log.warning(
                    "setup_refused", ["address": .name(address), "reason": .text("\(AccountsError.setup(refusal))")])
            }
            return then(.failure(.setup(refusal)))
        }
        self.hashed(password, for: name, then) { hash in
            self.change(name, then) { transaction throws(StoreError) in
                guard try !transaction.reading.people.hasAdministrator() else { return .failure(.setup(.done)) }
                guard try transaction.reading.people.user(named: name) == nil else {
                    return .failure(.userExists(name))
                }
                return .success(try transaction.people.createUser(name, role: .administrator, passwordHash: hash))
            } committed: { _ in
                self.setup.finish()
                self.options.log.info(
                    "first_administrator_made", ["user": .name(name.text), "address": .name(address)])
            }
        }
    }
}
