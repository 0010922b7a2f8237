import Accounts
import ChatModel
import Diagnostics
import Execution
import Glibc
import Store
import Testing

/// A real store in a temporary folder, accounts with cheap hashes, a clock turned by hand, and the log kept.
final class Fixture: Sendable {
    let folder: String
    let store: Store
    let accounts: Accounts
    let hands: ManualClock
    let lines: Lock<[String]>

    init(_ change: (inout AccountsOptions) -> Void = { _ in }) throws {
        var template = Array("/tmp/teahouse-accounts-XXXXXX".utf8CString)
        self.folder = String(cString: try #require(mkdtemp(&template)))
        let hands = ManualClock()
        let lines = Lock([String]())
        var storeOptions = StoreOptions(folder: self.folder)
        storeOptions.ballastBytes = 0
        storeOptions.stopWritingFreeBytes = 0
        storeOptions.clock = hands.clock
        self.store = try Store(storeOptions)
        var options = AccountsOptions()
        options.passwords.memoryBytes = 8_192
        options.passwords.passes = 1
        options.clock = hands.clock
        options.log = Log(level: .debug, write: { line in lines.withLock { $0.append(line) } })
        change(&options)
        self.accounts = Accounts(self.store, folder: self.folder, options: options)
        self.hands = hands
        self.lines = lines
    }

    deinit {
        self.accounts.stop()
        self.store.close()
        for name in ["teahouse.db", "teahouse.db-wal", "teahouse.db-shm", "lock", "ballast", "setup-token", "app.key"] {
            unlink("\(self.folder)/\(name)")
        }
        rmdir(self.folder)
    }

    var log: String { self.lines.withLock { $0.joined() } }

    /// Signs in and waits for the answer.
    func signIn(
        _ user: UserName, _ credentials: Credentials, class deviceClass: DeviceClass? = .app,
        address: String = "192.168.1.7", origin: SignInOrigin = .privateNetwork, encrypted: Bool = true
    ) -> SignInResult {
        let answer = ConditionLock<SignInResult?>(nil)
        self.start(user, credentials, class: deviceClass, address: address, origin: origin, encrypted: encrypted) {
            result in answer.change { $0 = result }
        }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    /// Signs in without waiting.
    func start(
        _ user: UserName, _ credentials: Credentials, class deviceClass: DeviceClass? = .app,
        address: String = "192.168.1.7", origin: SignInOrigin = .privateNetwork, encrypted: Bool = true,
        then: @escaping @Sendable (SignInResult) -> Void
    ) {
        self.accounts.authenticator.authenticate(
            SignInRequest(
                user: user, credentials: credentials, requestedClass: deviceClass, address: address,
                throttleKey: address, isEncrypted: encrypted, origin: origin), then: then)
    }

    @discardableResult
    func add(_ name: UserName, role: UserRole = .member, password: String? = nil) throws -> UserID {
        try self.accounts.wait { self.accounts.addUser(name, role: role, password: password, then: $0) }
    }

    func issue(_ name: UserName, class deviceClass: DeviceClass = .app, seconds: Int64? = nil) throws -> String {
        try self.accounts.wait {
            self.accounts.issueToken(for: name, class: deviceClass, lifetimeSeconds: seconds, then: $0)
        }.token.text
    }
}

let romeo = UserName("romeo")!
let juliet = UserName("juliet")!
let goodPassword = "wherefore art thou"

extension SignInResult {
    var identity: Identity? {
        guard case .signedIn(let identity) = self else { return nil }
        return identity
    }

    var pauseSeconds: Int64? {
        guard case .refused(.throttled(let seconds)) = self else { return nil }
        return seconds
    }
}
