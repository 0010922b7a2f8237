import APIKit
import AdminAPI
import ByteCodec
import ChatModel
import Store
import Transfers

extension AdminHandler {
    func answerFileRequest(_ request: AdminFileRequest, _ then: @escaping Answer) {
        switch request {
        case .list(let query): self.listFiles(query, then)
        case .show(let key): self.showFile(key, then)
        case .collect(isDryRun: true): self.showCollection(then)
        case .collect(isDryRun: false): self.collect(then)
        case .delete(let key): self.deleteFile(key, then)
        case .send(let send): self.sendFile(send, then)
        case .verify: then(.failure(AdminError(.invalid, "this request belongs to a connection")))
        }
    }

    // MARK: Looking

    private func listFiles(_ query: AdminFileQuery, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            var wanted = FileQuery()
            if let owner = query.owner { wanted.owner = try transaction.existingUser(owner).id }
            if let name = query.conversation { wanted.conversation = try Self.find(name, transaction).id }
            switch query.order {
            case .time: wanted.order = .newest
            case .size: wanted.order = .largest
            case .ratio: wanted.order = .ratio
            }
            wanted.onlyUnreferenced = query.onlyOrphans
            wanted.onlyDamaged = query.onlyDamaged
            wanted.limit = Int(query.limit)
            let found = try transaction.files.files(wanted)
            let names = try transaction.shownNames(of: found.map(\.ownerName))
            let files = found.map { record in
                var file = AdminFile(record)
                file.ownerName = names[record.ownerName]
                return file
            }
            return .files(.list(files, try transaction.files.fileTotals()))
        }
    }

    private func showFile(_ key: FileKey, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let file = try transaction.existingFile(key)
            let rows = AdminProtocol.pageRows
            var references = try Self.pictures(of: file, transaction)
            for reference in try transaction.files.references(of: file.id).prefix(rows - references.count) {
                let place = reference.place
                // One message may name a file by its key and by a link.
                let isKnown = references.last.map {
                    $0.conversation == place.conversation.rawValue && $0.sequence == place.sequence
                }
                if isKnown == true { continue }
                let conversation = try transaction.conversations.one(place.conversation)
                let name = try conversation.map { (found) throws(StoreError) in try Self.name(of: found, transaction) }
                references.append(
                    AdminFileReference(
                        .message, name: name ?? "", conversation: place.conversation.rawValue,
                        sequence: place.sequence))
            }
            let links = try transaction.files.links(to: file.id, limit: rows).map {
                AdminFileLink(
                    key: $0.key, conversation: $0.conversation?.rawValue,
                    createdAtMilliseconds: $0.createdAtMilliseconds)
            }
            var shown = AdminFile(file)
            shown.ownerName = try transaction.shownNames(of: [file.ownerName])[file.ownerName]
            return .files(
                .one(
                    AdminFileDetail(
                        file: shown, provider: file.object?.provider, codec: file.object?.codec.name,
                        metadata: file.metadata.map { String(decoding: $0, as: UTF8.self) }, references: references,
                        links: links)))
        }
    }

    private static func pictures(
        of file: FileRecord, _ transaction: ReadTransaction
    ) throws(StoreError) -> [AdminFileReference] {
        var references: [AdminFileReference] = []
        for holder in try transaction.files.holders(of: file.id, limit: AdminProtocol.pageRows / 2) {
            switch holder {
            case .person(let id, let isSmall):
                let name = try transaction.people.user(id)?.name.text ?? ""
                references.append(AdminFileReference(isSmall ? .smallAvatar : .avatar, name: name))
            case .conversation(let id, _):
                let conversation = try transaction.conversations.one(id)
                let name = try conversation.map { (found) throws(StoreError) in try Self.name(of: found, transaction) }
                references.append(AdminFileReference(.groupPicture, name: name ?? "", conversation: id.rawValue))
            }
        }
        return references
    }

    // MARK: Checking

    /// Reads one content or all; `wish` ends it early and says when to report.
    func verify(
        _ key: FileKey?, _ wish: CheckWish, progress: @escaping @Sendable (AdminFileCheck) -> Void,
        _ then: @escaping Answer
    ) {
        guard let transfers = self.transfers else { return then(.failure(.noFiles)) }
        let check: @Sendable (StoredObject?) -> Void = { object in
            transfers.check(
                object, isWanted: { wish.isWanted },
                progress: { if wish.mayReport() { progress(AdminFileCheck($0)) } },
                then: { found in
                    guard let found else { return then(.failure(AdminError(.busy, "too many checks are under way"))) }
                    then(.success(.files(.checked(AdminFileCheck(found)))))
                })
        }
        guard let key else { return check(nil) }
        self.store.read(
            for: .operator,
            { transaction throws(StoreError) in
                guard let object = try transaction.existingFile(key).object else {
                    throw .invalid("the file \(key) is not complete yet")
                }
                return object
            }
        ) { found in
            switch found {
            case .success(let object): check(object)
            case .failure(let error): then(.failure(AdminError(error)))
            }
        }
    }

    // MARK: Removing

    private func deleteFile(_ key: FileKey, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            _ = try transaction.reading.existingFile(key)
            try transaction.files.deleteFile(key, by: .operator)
            return .done
        }
    }

    /// Before when a file must have lost its last reference to be removed now.
    private func sweepMoment(_ now: Int64) -> Int64 { now - self.store.fileLimits.unreferencedHours * 3_600_000 }

    private func showCollection(_ then: @escaping Answer) {
        let now = self.options.clock.wallMilliseconds()
        let moment = self.sweepMoment(now)
        self.read(then) { transaction throws(StoreError) in
            let totals = try transaction.files.sweepTotals(before: moment, now: now)
            let files = try transaction.files.filesToSweep(before: moment, limit: AdminProtocol.pageRows)
            return .files(
                .collected(
                    AdminCollection(
                        isDryRun: true, files: totals.files, objects: totals.objects, bytes: totals.storedBytes,
                        uploads: totals.uploads, names: files.map { AdminFile($0) })))
        }
    }

    private func collect(_ then: @escaping Answer) {
        guard let transfers = self.transfers else { return then(.failure(.noFiles)) }
        let now = self.options.clock.wallMilliseconds()
        let moment = self.sweepMoment(now)
        // What goes is known before; a file is not in the metrics, only its content.
        self.store.read(
            for: .operator,
            { transaction throws(StoreError) in
                try transaction.files.sweepTotals(before: moment, now: now)
            }
        ) { planned in
            guard case .success(let planned) = planned else {
                if case .failure(let error) = planned { then(.failure(AdminError(error))) }
                return
            }
            self.afterAuditing(then) { self.collect(planned, before: moment, now: now, transfers, then) }
        }
    }

    private func collect(
        _ planned: SweepTotals, before moment: Int64, now: Int64, _ transfers: Transfers, _ then: @escaping Answer
    ) {
        let before = transfers.metrics
        transfers.collectNow { after in
            self.read(then) { transaction throws(StoreError) in
                let left = try transaction.files.sweepTotals(before: moment, now: now)
                return .files(
                    .collected(
                        AdminCollection(
                            isDryRun: false, files: max(0, planned.files - left.files),
                            objects: after.collectedObjects - before.collectedObjects,
                            bytes: after.collectedBytes - before.collectedBytes,
                            uploads: after.expired - before.expired)))
            }
        }
    }

    // MARK: Sending

    /// Sends a message that refers to a file, with a link for readers without a session when such are made.
    private func sendFile(_ send: AdminFileSend, _ then: @escaping Answer) {
        self.store.write({ transaction throws(StoreError) in
            let sender = try transaction.reading.existingUser(send.from).id
            let file = try transaction.reading.existingFile(send.file)
            let address: ConversationAddress
            var conversation: ConversationID?
            switch send.to {
            case .user(let name): address = .direct(name)
            case .conversation(let text):
                let found = try Self.find(text, transaction.reading)
                address = try Self.address(of: found, for: sender, transaction.reading)
                conversation = found.id
            }
            var link: FileLinkKey?
            if self.store.fileLimits.makesLinks {
                let made = FileLinkKey(random: randomBytes())
                try transaction.files.makeLink(made, to: file.key, for: conversation)
                link = made
            }
            return (address, fileBody(file, link))
        }) { result in
            switch result {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let (address, body)):
                let content = MessageContent(
                    kind: .text, flags: [.countsAsUnread, .bodyIsJSONObject], wire: .native, body: body)
                self.publish(content, from: send.from, to: address, then)
            }
        }
    }

    private static func address(
        of conversation: Conversation, for sender: UserID, _ transaction: ReadTransaction
    ) throws(StoreError) -> ConversationAddress {
        if let channel = conversation.channel { return .channel(conversation.kind, channel) }
        guard let pair = try transaction.conversations.directPair(of: conversation.id),
            pair.low == sender || pair.high == sender
        else { throw .invalid("only one of the two people can say something in a direct conversation") }
        let other = pair.low == sender ? pair.high : pair.low
        guard let name = try transaction.people.user(other)?.name else { throw .notFound("the other person") }
        return .direct(name)
    }
}

/// The body of a message about a file, as clients of WuKongIM show it.
///
/// Source: TangSengDaoDao's clients, content type 8, with the fields `url`, `name` and `size`; `url` is what their
/// server answers to an upload, and is read under `/v1/`.
func fileBody(_ file: FileRecord, _ link: FileLinkKey?) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("type")
    json.integer(8)
    json.key("content")
    json.string(file.name)
    json.key("name")
    json.string(file.name)
    json.key("size")
    json.integer(file.size)
    json.key("url")
    json.string(
        link.map { APIPaths.preview($0, name: file.name) } ?? APIPaths.file(file.key))
    json.key("file")
    json.string(file.key.text)
    json.endObject()
    return json.bytes
}

func randomBytes() -> [UInt8] { (0..<26).map { _ in UInt8.random(in: 0...255) } }

extension ReadTransaction {
    /// - Throws: `notFound`.
    func existingFile(_ key: FileKey) throws(StoreError) -> FileRecord {
        guard let file = try self.files.file(key) else { throw .notFound("file \(key)") }
        return file
    }
}

extension FileCodec {
    var name: String {
        switch self {
        case .plain: "plain"
        case .gzip: "gzip"
        }
    }
}

extension AdminFileCheck {
    init(_ check: ContentCheck) {
        self.init(
            objects: check.objects, bytes: check.bytes, allObjects: check.allObjects, allBytes: check.allBytes,
            damagedCount: check.damagedCount,
            damaged: check.damaged.map { AdminDamage(hash: $0.hash, problem: $0.problem.description) })
    }
}
