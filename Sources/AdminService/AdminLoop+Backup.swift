import AdminAPI
import Backup
import ChatModel
import Store

/// The backup that belongs to a connection: it ends with it.
extension AdminLoop {
    private static let makesBackup = AdminError(.refused, "this connection makes a backup already")

    func start(_ request: AdminBackupRequest, at handler: AdminHandler, _ key: Int, _ id: Int64) {
        guard let client = self.clients[key] else { return }
        guard let backups = self.options.backups else {
            return self.answered(key, id, .failure(AdminError(.refused, "this server makes no backups")))
        }
        let mailbox = self.mailbox
        let then: AdminHandler.Answer = { mailbox.post(.answer(client: key, request: id, $0)) }
        if case .begin = request {
            guard client.backup == nil else {
                return then(.failure(Self.makesBackup))
            }
            return handler.afterAuditing(then) { mailbox.post(.backup(client: key, request: id)) }
        }
        guard let ticket = client.backup else {
            return then(.failure(AdminError(.invalid, "this connection has begun no backup")))
        }
        switch request {
        case .begin: break
        case .files(let after):
            backups.items(ticket, after: after) { result in
                then(result.answer { .backups(.files($0.items.map { AdminBackupFile($0) }, next: $0.next)) })
            }
        case .read(let place):
            backups.read(ticket, place.path, at: place.offset) { result in
                then(result.answer { .backups(.piece(AdminBackupPiece(bytes: $0))) })
            }
        case .finish(let end):
            client.backup = nil
            handler.afterAuditing({
                backups.abandon(ticket); then($0)
            }) {
                backups.finish(ticket, name: end.name, bytes: end.bytes, proof: end.proof) { result in
                    then(result.answer { .backups(.noted(AdminLastBackup($0))) })
                }
            }
        }
    }

    /// The audit log has it: the copy of the database may be made.
    func beginBackup(_ key: Int, _ id: Int64) {
        guard let client = self.clients[key], let backups = self.options.backups else { return }
        guard client.backup == nil else { return self.answered(key, id, .failure(Self.makesBackup)) }
        let mailbox = self.mailbox
        let wish = CheckWish(self.options.clock)
        client.backup = backups.begin(
            progress: { done, all in
                guard wish.mayReport() else { return }
                let progress = AdminBackupProgress(bytes: done, allBytes: all)
                mailbox.post(.progress(client: key, request: id, .backingUp(progress)))
            },
            then: { result in mailbox.post(.backupBegun(client: key, request: id, result.map(\.facts))) })
    }

    func backupBegun(_ facts: Result<BackupFacts, BackupError>, _ key: Int, _ id: Int64) {
        if case .failure = facts { self.clients[key]?.backup = nil }
        self.answered(key, id, facts.answer { .backups(.begun(AdminBackupFacts($0))) })
    }
}

extension Result where Failure == BackupError {
    /// The answer for an operator.
    fileprivate func answer(_ make: (Success) -> AdminAnswer) -> Result<AdminAnswer, AdminError> {
        switch self {
        case .success(let value): .success(make(value))
        case .failure(.store(let error)): .failure(AdminError(error))
        case .failure(let error): .failure(AdminError(error.code, error.description))
        }
    }
}

extension BackupError {
    fileprivate var code: AdminError.Code {
        switch self {
        case .store, .io: .failed
        case .full: .full
        case .damaged, .unsound, .refused, .ended, .server: .refused
        }
    }
}

extension AdminBackupFile {
    fileprivate init(_ item: BackupItem) {
        self.init(path: item.path, bytes: item.bytes, isContent: item.isContent)
    }
}

extension AdminBackupFacts {
    fileprivate init(_ facts: BackupFacts) {
        self.init(
            atMilliseconds: facts.atMilliseconds, version: facts.version, tokenDays: facts.tokenDays,
            schema: facts.database.schemaVersion, epoch: facts.database.epoch, position: facts.database.position,
            databaseBytes: facts.database.bytes, users: facts.database.users,
            conversations: facts.database.conversations, messages: facts.database.messages,
            damagedContents: facts.damagedContents)
    }
}

extension AdminLastBackup {
    init(_ last: LastBackup) {
        self.init(
            atMilliseconds: last.atMilliseconds, verifiedAtMilliseconds: last.verifiedAtMilliseconds, name: last.name,
            bytes: last.bytes, proof: last.proof)
    }
}
