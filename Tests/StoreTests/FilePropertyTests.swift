import ChatModel
import Testing

@testable import Store

/// Files, messages and contents, kept in the plainest way: everything recounted from lists.
private struct FileModel {
    struct File {
        let key: FileKey
        let owner: UserID
        let content: String
        let size: Int64
        var unreferencedAt: Int64
        var isHeld = false
        var isGone = false
        var link: FileLinkKey
        var linkWasUsed = false
        let linkMadeAt: Int64
        var linkIsSwept = false
    }

    struct Said {
        let place: MessagePlace
        var named: Set<Int>
        var linked: Set<Int>
        var hidden: Set<UserID> = []
        var isGone = false
        let sender: UserID
    }

    struct Upload {
        let transfer: TransferRecord
        let content: String
        let size: Int64
        var isOver = false
    }

    var files: [File] = []
    var said: [Said] = []
    var uploads: [Upload] = []
    var members: Set<UserID>
    var cleared: [UserID: Int64] = [:]
    var pictures: [UserID: Int] = [:]

    func references(_ file: Int) -> Int64 {
        let messages = self.said.filter { !$0.isGone }
        let count = messages.count { $0.named.contains(file) } + messages.count { $0.linked.contains(file) }
        return Int64(count + self.pictures.values.count { $0 == file })
    }

    func canRead(_ file: Int, _ user: UserID) -> Bool {
        guard !self.files[file].isGone else { return false }
        if self.references(file) == 0 { return self.files[file].owner == user }
        if self.pictures.values.contains(file) { return true }
        guard self.members.contains(user) else { return false }
        return self.said.contains { message in
            !message.isGone && !message.hidden.contains(user)
                && message.place.sequence > self.cleared[user, default: 0]
                && (message.named.contains(file) || message.linked.contains(file))
        }
    }

    func linkIsAlive(_ file: Int) -> Bool {
        guard !self.files[file].isGone, !self.files[file].linkIsSwept else { return false }
        return !self.files[file].linkWasUsed || self.said.contains { !$0.isGone && $0.linked.contains(file) }
    }

    /// After a change: what has lost its last reference is unreferenced from now on.
    mutating func note(_ before: [Int64], at now: Int64) {
        for file in self.files.indices where before.indices.contains(file) && before[file] > 0 {
            if self.references(file) == 0 { self.files[file].unreferencedAt = now }
        }
    }

    var counts: [Int64] { self.files.indices.map { self.references($0) } }

    mutating func sweep(at now: Int64) {
        let cutoff = now - 24 * 3_600_000
        for file in self.files.indices where !self.files[file].isGone {
            let one = self.files[file]
            if !one.isHeld, self.references(file) == 0, one.unreferencedAt < cutoff { self.files[file].isGone = true }
            if !one.linkWasUsed, one.linkMadeAt <= cutoff { self.files[file].linkIsSwept = true }
        }
    }
}

@Suite("Any order of uploads, messages and their ends")
struct FilePropertyTests {
    private static func options(_ options: inout StoreOptions) {
        options.synchronous = "OFF"
        options.files.openUploads = 1_000
        options.files.hourUploads = 0
        options.rules.recallInGroups = .always
        options.rules.editInGroups = .always
    }

    private static let contents = ["one", "two", "three", "four"]

    @Test(
        "leaves files that exactly those can read who see them, and contents that are counted right",
        arguments: [1, 2, 3] as [UInt64])
    func agreesWithModel(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var verona = try Verona(change: Self.options)
        var model = FileModel(members: Set(verona.everyone))
        for step in 0..<400 {
            let before = model.counts
            try self.step(verona, &model, &random)
            model.note(before, at: verona.fixture.clock.clock.wallMilliseconds())
            if step % 50 == 49 { try self.compare(verona, model) }
            if step == 200 { verona.fixture = try verona.fixture.reopened(change: Self.options) }
        }
        try self.compare(verona, model)
        #expect(try verona.isSound() == [])
    }

    private func step(_ verona: Verona, _ model: inout FileModel, _ random: inout SplitMix) throws {
        let people = verona.everyone + [verona.tybalt]
        let user = people.randomElement(using: &random)!
        verona.advance(seconds: Int64.random(in: 0...3_000, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: try self.begin(verona, &model, user, &random)
        case 2, 3, 4: try self.finish(verona, &model, &random)
        case 5, 6, 7, 8, 9: self.say(verona, &model, user, &random)
        case 10, 11: self.edit(verona, &model, &random)
        case 12, 13: self.withdraw(verona, &model, &random)
        case 14: self.hide(verona, &model, user, &random)
        case 15:
            guard model.members.contains(user), let last = model.said.last else { return }
            let through = max(0, last.place.sequence - Int64.random(in: 0..<20, using: &random))
            model.cleared[user] = max(model.cleared[user, default: 0], through)
            try verona.write { store throws(StoreError) in
                _ = try store.inbox.clearHistory(user, in: last.place.conversation, through: through)
            }
        case 16: try self.move(verona, &model, user)
        case 17: self.picture(verona, &model, user, &random)
        case 18:
            guard let file = model.files.indices.randomElement(using: &random), !model.files[file].isGone else {
                return
            }
            let (key, isHeld) = (model.files[file].key, Bool.random(using: &random))
            model.files[file].isHeld = isHeld
            if model.references(file) == 0 {
                model.files[file].unreferencedAt = verona.fixture.clock.clock.wallMilliseconds()
            }
            try verona.write { store throws(StoreError) in try store.files.holdFile(key, isHeld) }
        default:
            model.sweep(at: verona.fixture.clock.clock.wallMilliseconds())
            let objects = try verona.sweep()
            try verona.write { store throws(StoreError) in
                for object in objects { try store.files.objectGone(object.hash) }
            }
        }
    }

    private func begin(
        _ verona: Verona, _ model: inout FileModel, _ user: UserID, _ random: inout SplitMix
    ) throws {
        let content = Self.contents.randomElement(using: &random)!
        let size = Int64(content.utf8.count * 1_000)
        let isDeclared = Bool.random(using: &random)
        let transfer = try verona.begin(user, size: isDeclared ? size : nil)
        model.uploads.append(FileModel.Upload(transfer: transfer, content: content, size: size))
    }

    private func finish(_ verona: Verona, _ model: inout FileModel, _ random: inout SplitMix) throws {
        guard let index = model.uploads.indices.filter({ !model.uploads[$0].isOver }).randomElement(using: &random)
        else { return }
        let upload = model.uploads[index]
        model.uploads[index].isOver = true
        guard Int.random(in: 0..<4, using: &random) > 0 else {
            return try verona.write { store throws(StoreError) in
                try store.files.endTransfer(upload.transfer.id, state: .cancelled, error: nil)
            }
        }
        let object = Verona.object(upload.content, size: upload.size)
        let file = try verona.write { store throws(StoreError) in
            try store.files.completeUpload(upload.transfer.id, object: object)
        }
        let now = verona.fixture.clock.clock.wallMilliseconds()
        model.files.append(
            FileModel.File(
                key: file.key, owner: file.owner, content: upload.content, size: upload.size, unreferencedAt: now,
                link: try verona.link(file), linkMadeAt: now))
    }

    /// Some files and links of them: what stands in a body.
    private func body(_ model: FileModel, _ random: inout SplitMix) -> (text: String, named: Set<Int>, linked: Set<Int>)
    {
        var (named, linked): (Set<Int>, Set<Int>) = ([], [])
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            guard let file = model.files.indices.randomElement(using: &random) else { continue }
            if Bool.random(using: &random) { named.insert(file) } else { linked.insert(file) }
        }
        let words = named.map { model.files[$0].key.text } + linked.map { model.files[$0].link.text }
        return (words.joined(separator: " "), named, linked)
    }

    /// What of that there is.
    private func existing(
        _ model: FileModel, _ body: (text: String, named: Set<Int>, linked: Set<Int>)
    ) -> (named: Set<Int>, linked: Set<Int>) {
        (body.named.filter { !model.files[$0].isGone }, body.linked.filter { model.linkIsAlive($0) })
    }

    private func say(_ verona: Verona, _ model: inout FileModel, _ user: UserID, _ random: inout SplitMix) {
        let body = self.body(model, &random)
        let (named, linked) = self.existing(model, body)
        let result = verona.fixture.send(body.text, from: user, to: .id(verona.id))
        let isTaken = model.members.contains(user) && named.union(linked).allSatisfy { model.canRead($0, user) }
        #expect((result.accepted != nil) == isTaken)
        guard let message = result.accepted?.message else { return }
        for file in linked { model.files[file].linkWasUsed = true }
        model.said.append(
            FileModel.Said(
                place: MessagePlace(message.conversation, message.sequence), named: named, linked: linked, sender: user)
        )
    }

    private func edit(_ verona: Verona, _ model: inout FileModel, _ random: inout SplitMix) {
        guard let index = model.said.indices.randomElement(using: &random) else { return }
        let said = model.said[index]
        guard !said.isGone, model.members.contains(said.sender) else { return }
        let body = self.body(model, &random)
        let (named, linked) = self.existing(model, body)
        let isTaken = named.union(linked).allSatisfy { model.canRead($0, said.sender) }
        let refusal = verona.refusal { store throws(StoreError) in
            try store.messages.edit(
                said.place, newBody: Array(body.text.utf8), isJSONObject: false, by: Actor(said.sender))
        }
        if case .tooMany = refusal { return }
        #expect(refusal == (isTaken ? nil : .noSuchFile))
        guard isTaken else { return }
        model.said[index].named = named
        model.said[index].linked = linked
        for file in linked { model.files[file].linkWasUsed = true }
    }

    private func withdraw(_ verona: Verona, _ model: inout FileModel, _ random: inout SplitMix) {
        guard let index = model.said.indices.randomElement(using: &random), !model.said[index].isGone else { return }
        let place = model.said[index].place
        let deletes = Bool.random(using: &random)
        model.said[index].isGone = true
        #expect(
            verona.refusal { store throws(StoreError) in
                _ =
                    deletes
                    ? try store.messages.deleteForAll(place, by: .operator)
                    : try store.messages.recall(place, by: .operator)
            } == nil)
    }

    private func hide(_ verona: Verona, _ model: inout FileModel, _ user: UserID, _ random: inout SplitMix) {
        guard let index = model.said.indices.randomElement(using: &random), model.members.contains(user) else { return }
        let place = model.said[index].place
        model.said[index].hidden.insert(user)
        #expect(verona.refusal { store throws(StoreError) in try store.messages.hide([place], for: user) } == nil)
    }

    /// In or out of the group; the owner stays.
    private func move(_ verona: Verona, _ model: inout FileModel, _ user: UserID) throws {
        guard user != verona.escalus else { return }
        let id = verona.id
        if model.members.remove(user) != nil {
            try verona.write { store throws(StoreError) in _ = try store.conversations.removeMembers([user], from: id) }
        } else {
            model.members.insert(user)
            try verona.write { store throws(StoreError) in _ = try store.conversations.addMembers([user], to: id) }
        }
    }

    private func picture(_ verona: Verona, _ model: inout FileModel, _ user: UserID, _ random: inout SplitMix) {
        let file = model.files.indices.randomElement(using: &random)
        let key = file.map { model.files[$0].key }
        let isTaken = file.map { model.canRead($0, user) } ?? true
        let refusal = verona.refusal { store throws(StoreError) in
            try store.files.setPicture(of: .person(user, isSmall: false), to: key, by: Actor(user))
        }
        #expect(refusal == (isTaken ? nil : .noSuchFile))
        if isTaken { model.pictures[user] = file }
    }

    // MARK: Comparing

    private func compare(_ verona: Verona, _ model: FileModel) throws {
        for (index, file) in model.files.enumerated() {
            let stored = try verona.file(file.key)
            #expect((stored == nil) == file.isGone)
            #expect((try verona.file(link: file.link) != nil) == model.linkIsAlive(index))
            guard let stored else { continue }
            #expect(stored.references == model.references(index))
            for user in verona.everyone + [verona.tybalt] {
                #expect(try verona.canRead(stored, user) == model.canRead(index, user))
            }
        }
        let alive = model.files.filter { !$0.isGone }
        for content in Self.contents {
            let count = Int64(alive.count { $0.content == content })
            #expect((try verona.object(content)?.references ?? 0) == count)
        }
        for user in verona.everyone + [verona.tybalt] {
            let open = model.uploads.filter { $0.transfer.owner == user && !$0.isOver }
            let use = QuotaUse(
                bytes: alive.filter { $0.owner == user }.reduce(0) { $0 + $1.size },
                reservedBytes: open.reduce(0) { $0 + ($1.transfer.size ?? 0) }, openUploads: Int64(open.count))
            #expect(try verona.quota(user) == use)
        }
    }
}
