import Accounts
import AdminAPI
import AdminService
import Broker
import ChatModel
import CommandLineKit
import Execution
import FileStore
import Glibc
import Localization
import Profiles
import Store
import Testing
import Transfers
import WuKongTranslation
import teahouse

/// A real store, broker, accounts, files and profiles behind an admin socket, and a terminal that keeps what is
/// written.
final class Fixture: Sendable {
    struct Outcome {
        var code: ExitCode
        var output: String
        var error: String
    }

    let folder: String
    private let store: Store
    private let accounts: Accounts
    private let broker: Broker
    private let moderation: Moderation
    private let transfers: Transfers
    private let profiles: Profiles
    private let service: AdminService

    init(_ change: (inout AdminServiceOptions) -> Void = { _ in }) throws {
        var template = Array("/tmp/teahouse-command-XXXXXX".utf8CString)
        self.folder = String(cString: try #require(mkdtemp(&template)))
        var storeOptions = StoreOptions(folder: self.folder)
        storeOptions.ballastBytes = 0
        storeOptions.stopWritingFreeBytes = 0
        storeOptions.systemMessages = WuKongSystemMessages.messages
        self.store = try Store(storeOptions)
        var accountsOptions = AccountsOptions()
        accountsOptions.passwords.memoryBytes = 8_192
        accountsOptions.passwords.passes = 1
        self.accounts = Accounts(self.store, folder: self.folder, options: accountsOptions)
        try self.accounts.app.open(appID: "teahouse-test-app-gzGzoHsz")
        self.broker = Broker(store: self.store, limits: BrokerLimits(), clock: .system, log: .silent)
        let bodies = WuKongBodies()
        self.moderation = try Moderation(
            store: self.store, broker: self.broker, bodies: [.native: bodies, .wuKong: bodies])
        var transferOptions = TransferOptions()
        transferOptions.stopUploadsFreeBytes = 0
        transferOptions.stopUploadsFreePercent = 0
        self.transfers = Transfers(
            store: self.store, providers: [try ObjectFolder(self.folder + "/files")], options: transferOptions,
            clock: .system, log: .silent)
        self.profiles = Profiles(store: self.store)
        var options = AdminServiceOptions(folder: self.folder, version: "1.0", addresses: ["127.0.0.1:7677"])
        change(&options)
        self.service = try AdminService(
            options, store: self.store, accounts: self.accounts, broker: self.broker, moderation: self.moderation,
            transfers: self.transfers, profiles: self.profiles)
    }

    deinit {
        self.service.stop()
        self.transfers.stop()
        self.profiles.stop()
        self.accounts.stop()
        self.broker.stop()
        self.store.close()
        for name in ["teahouse.db", "teahouse.db-wal", "teahouse.db-shm", "lock", "people.txt", "people.csv"] {
            unlink("\(self.folder)/\(name)")
        }
        removeTree(self.folder)
    }

    /// Runs `teahouse ctl` on this folder, as an operator would.
    ///
    /// - Parameter typed: the secrets that a person at a terminal types when asked; `nil` when nobody is there.
    func ctl(
        _ words: String..., input: [String] = [], typed: [String]? = nil, language: Language = .english
    ) -> Outcome {
        runTeahouse(["ctl", "--data", self.folder] + words, input: input, typed: typed, language: language)
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
func runTeahouse(
    _ words: [String], input: [String] = [], typed: [String]? = nil, language: Language = .english,
    reply: (@Sendable (Question) -> Question.Reply)? = { _ in .agreed }
) -> Fixture.Outcome {
    let written = Lock((output: "", error: ""))
    let lines = Lock(input)
    let secrets = Lock(typed ?? [])
    let readSecret: @Sendable () -> String? = { secrets.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    let texts = Texts(embedded: language)
    let terminal = Terminal(
        texts: { texts($0, $1) }, environment: [:],
        write: { stream, text in
            written.withLock { written in
                if stream == .output { written.output += text } else { written.error += text }
            }
            return true
        },
        readLine: { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } },
        readSecret: typed == nil ? nil : readSecret, reply: reply)
    let code = runCommandLine(words, root: teahouseCommand, terminal: terminal)
    return written.withLock { Fixture.Outcome(code: code, output: $0.output, error: $0.error) }
}

/// A data folder as a server leaves it.
func makeStoppedFolder(_ folder: String) throws {
    var options = StoreOptions(folder: folder)
    options.ballastBytes = 0
    options.stopWritingFreeBytes = 0
    let store = try Store(options)
    try store.writeAndWait { transaction throws(StoreError) in try transaction.people.createUser(UserName("ming")!) }
    store.close()
}

/// A data folder as a server leaves it, with one file of some hundred kilobytes in it.
func makeStoppedFolderWithFile(_ folder: String) throws {
    try makeStoppedFolder(folder)
    var options = StoreOptions(folder: folder)
    options.ballastBytes = 0
    options.stopWritingFreeBytes = 0
    let store = try Store(options)
    defer { store.close() }
    var transferOptions = TransferOptions()
    transferOptions.stopUploadsFreeBytes = 0
    transferOptions.stopUploadsFreePercent = 0
    let transfers = Transfers(
        store: store, providers: [try ObjectFolder(folder + "/files")], options: transferOptions, clock: .system,
        log: .silent)
    defer { transfers.stop() }
    let owner = try store.readAndWait { transaction throws(StoreError) in
        try transaction.people.user(named: UserName("ming")!)!.id
    }
    let bytes = Array("The story of the teahouse, told again and again. ".utf8)
    let whole = (0..<8_000).flatMap { _ in bytes }
    let draft = UploadDraft(
        actor: .operator, owner: owner, name: "story.txt", mediaType: "text/plain", size: Int64(whole.count),
        provider: transfers.receivingProvider, key: TransferKey(random: Array(0..<26)),
        file: FileKey(random: Array(0..<26)))
    let outcome = ConditionLock<Result<TransferView, TransferError>?>(nil)
    transfers.createUpload(draft) { made in
        guard case .success = made else { return outcome.change { $0 = made } }
        transfers.openUpload(draft.key, at: nil, by: .operator) { opened in
            switch opened {
            case .failure(let error): outcome.change { $0 = .failure(error) }
            case .success(let flow):
                _ = flow.push(whole)
                flow.end { ended in outcome.change { $0 = ended } }
            }
        }
    }
    let view = try outcome.wait(until: { $0 != nil }, then: { $0! }).get()
    #expect(view.record.state == .succeeded)
}

/// Removes a folder and everything in it.
func removeTree(_ folder: String) {
    for path in paths(in: folder) where unlink(path) != 0 { removeTree(path) }
    rmdir(folder)
}

/// The contents of files under a folder, at any depth.
func contents(under folder: String) -> [String] {
    paths(in: folder).flatMap { path -> [String] in
        let below = contents(under: path)
        let name = path.split(separator: "/").last ?? ""
        return !below.isEmpty ? below : name.count >= 64 && !name.hasSuffix(".idx") ? [path] : []
    }
}

private func paths(in folder: String) -> [String] {
    guard let open = opendir(folder) else { return [] }
    defer { closedir(open) }
    var paths: [String] = []
    while let entry = readdir(open) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { paths.append("\(folder)/\(name)") }
    }
    return paths
}
