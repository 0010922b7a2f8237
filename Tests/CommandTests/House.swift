import Accounts
import AdminAPI
import AdminService
import Broker
import ChatModel
import CommandLineKit
import Execution
import Glibc
import Localization
import Store
import Testing
import teahouse

/// A real store, broker and accounts behind an admin socket, and a terminal that keeps what is written.
final class House: Sendable {
    struct Outcome {
        var code: ExitCode
        var output: String
        var error: String
    }

    let folder: String
    private let store: Store
    private let accounts: Accounts
    private let broker: Broker
    private let service: AdminService

    init() throws {
        var template = Array("/tmp/teahouse-command-XXXXXX".utf8CString)
        self.folder = String(cString: try #require(mkdtemp(&template)))
        var storeOptions = StoreOptions(folder: self.folder)
        storeOptions.ballastBytes = 0
        storeOptions.stopWritingFreeBytes = 0
        self.store = try Store(storeOptions)
        var accountsOptions = AccountsOptions()
        accountsOptions.passwords.memoryBytes = 8_192
        accountsOptions.passwords.passes = 1
        self.accounts = Accounts(self.store, folder: self.folder, options: accountsOptions)
        self.broker = Broker(store: self.store, limits: BrokerLimits(), clock: .system, log: .silent)
        self.service = try AdminService(
            AdminServiceOptions(folder: self.folder, version: "1.0", addresses: ["127.0.0.1:7677"]), store: self.store,
            accounts: self.accounts, broker: self.broker)
    }

    deinit {
        self.service.stop()
        self.accounts.stop()
        self.broker.stop()
        self.store.close()
        for name in ["teahouse.db", "teahouse.db-wal", "teahouse.db-shm", "lock", "people.txt"] {
            unlink("\(self.folder)/\(name)")
        }
        rmdir(self.folder)
    }

    /// Runs `teahouse ctl` on this folder, as an operator would.
    func ctl(_ words: String..., input: [String] = [], language: Language = .english) -> Outcome {
        runTeahouse(["ctl", "--data", self.folder] + words, input: input, language: language)
    }

    func write(_ text: String, to name: String) throws -> String {
        let path = "\(self.folder)/\(name)"
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        return path
    }
}

/// Runs a whole command line in this process.
func runTeahouse(_ words: [String], input: [String] = [], language: Language = .english) -> House.Outcome {
    let written = Lock((output: "", error: ""))
    let lines = Lock(input)
    let texts = Texts(embedded: language)
    let terminal = Terminal(
        texts: { texts($0, $1) }, environment: [:],
        write: { stream, text in
            written.withLock { written in
                if stream == .output { written.output += text } else { written.error += text }
            }
            return true
        },
        readLine: { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
    let code = runCommandLine(words, root: teahouseCommand, terminal: terminal)
    return written.withLock { House.Outcome(code: code, output: $0.output, error: $0.error) }
}

/// A data folder as a server leaves it.
func makeStoppedFolder(_ folder: String) throws {
    var options = StoreOptions(folder: folder)
    options.ballastBytes = 0
    options.stopWritingFreeBytes = 0
    let store = try Store(options)
    try store.writeAndWait { transaction throws(StoreError) in try transaction.createUser(UserName("ming")!) }
    store.close()
}
