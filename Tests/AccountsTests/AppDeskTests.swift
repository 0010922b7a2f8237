import ChatModel
import Diagnostics
import Execution
import Glibc
import Store
import Testing

@testable import Accounts

@Suite("The keys of the app") struct AppKeysTests {
    private static func files(in folder: String, _ suffixes: [String] = ["teahouse.db", "teahouse.db-wal"]) -> String {
        var all = ""
        for name in suffixes {
            guard let file = fopen("\(folder)/\(name)", "r") else { continue }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 4 << 20)
            let count = fread(&bytes, 1, bytes.count, file)
            all += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        return all
    }

    @Test("the first start makes an id and keys, sealed with a file that only its owner can read; later ones keep them")
    func made() throws {
        let fixture = try Fixture()
        #expect(!fixture.accounts.app.isOpen && fixture.accounts.app.application == nil)
        #expect(fixture.accounts.app.keys.verifyRESTKey("") == nil)
        try fixture.accounts.app.open()
        let made = try #require(fixture.accounts.app.application)
        #expect(made.appID.hasSuffix("-gzGzoHsz") && made.appID.utf8.count == 33)
        #expect(made.appKey.utf8.count == 24 && made.masterKey.utf8.count == 24 && made.appKey != made.masterKey)
        var status = stat()
        #expect(stat("\(fixture.folder)/app.key", &status) == 0 && status.st_mode & 0o777 == 0o600)
        let stored = Self.files(in: fixture.folder)
        #expect(stored.contains(made.appID) && !stored.contains(made.appKey) && !stored.contains(made.masterKey))
        #expect(!fixture.log.contains(made.appKey) && !fixture.log.contains(made.masterKey))
        let again = fixture.anotherAuthenticator()
        try again.open()
        let kept = try #require(again.application)
        #expect(kept.appID == made.appID && kept.appKey == made.appKey && kept.masterKey == made.masterKey)
        var printed = "\(made)"
        dump(made, to: &printed)
        #expect(!printed.contains(made.masterKey) && !printed.contains(made.appKey))
    }

    @Test("the id may be the one that clients were built with, and another one later; the keys stay")
    func chosenID() throws {
        let fixture = try Fixture()
        try fixture.accounts.app.open(appID: "my-app-gzGzoHsz")
        let first = try #require(fixture.accounts.app.application)
        #expect(first.appID == "my-app-gzGzoHsz" && fixture.accounts.app.keys.appID == first.appID)
        try fixture.anotherAuthenticator().open(appID: "other-app")
        let later = fixture.anotherAuthenticator()
        try later.open()
        #expect(later.application?.appID == "other-app" && later.application?.masterKey == first.masterKey)
    }

    @Test("without its file the keys cannot be read and the start says what to do; an empty file asks for new ones")
    func lostFile() throws {
        let fixture = try Fixture()
        try fixture.accounts.app.open()
        let made = try #require(fixture.accounts.app.application)
        let path = AppAuthenticator.keyPath(in: fixture.folder)
        #expect(chmod(path, 0o640) == 0)
        #expect(throws: StoreError.self) { try fixture.anotherAuthenticator().open() }
        #expect(unlink(path) == 0)
        let error = #expect(throws: StoreError.self) { try fixture.anotherAuthenticator().open() }
        #expect(error?.description.contains("put it back") == true)
        try fixture.writeKeyFile(String(repeating: "ab", count: 32))
        let other = #expect(throws: StoreError.self) { try fixture.anotherAuthenticator().open() }
        #expect(other?.description.contains("not the file") == true)
        try fixture.writeKeyFile("no key")
        #expect(throws: StoreError.self) { try fixture.anotherAuthenticator().open() }
        try fixture.writeKeyFile("")
        let renewed = fixture.anotherAuthenticator()
        try renewed.open()
        #expect(renewed.application?.appID == made.appID)
        #expect(renewed.application?.masterKey != made.masterKey && renewed.application?.appKey != made.appKey)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size == 65)
    }

    @Test("a replaced key counts until its time is over, also after a restart", arguments: AppKeyKind.allCases)
    func rotated(_ kind: AppKeyKind) throws {
        let fixture = try Fixture()
        let app = fixture.accounts.app
        try app.open()
        let first = try #require(app.application)
        let second = try fixture.rotate(kind, to: nil, overlap: 3_600)
        let matches: (AppAuthenticator, String) -> Bool = { app, key in
            kind == .appKey ? app.keys.matchesAppKey(key) : app.keys.matchesMasterKey(key)
        }
        let key: (AppDescription) -> String = { kind == .appKey ? $0.appKey : $0.masterKey }
        #expect(key(second) != key(first))
        #expect(
            (kind == .appKey ? second.masterKey : second.appKey) == (kind == .appKey ? first.masterKey : first.appKey))
        let until = kind == .appKey ? second.previousAppKeyUntilMilliseconds : second.previousMasterKeyUntilMilliseconds
        #expect(until == fixture.hands.clock.wallMilliseconds() + 3_600_000)
        #expect(matches(app, key(first)) && matches(app, key(second)))
        fixture.hands.advance(milliseconds: 3_599_999)
        let restarted = fixture.anotherAuthenticator()
        try restarted.open()
        #expect(matches(app, key(first)) && matches(restarted, key(first)) && matches(restarted, key(second)))
        fixture.hands.advance(milliseconds: 1)
        #expect(!matches(app, key(first)) && !matches(restarted, key(first)) && matches(app, key(second)))
        #expect(app.application?.previousAppKeyUntilMilliseconds == nil)
        #expect(app.application?.previousMasterKeyUntilMilliseconds == nil)
    }

    @Test("a key may be brought along, and without overlap the old one ends at once")
    func brought() throws {
        let fixture = try Fixture()
        try fixture.accounts.app.open()
        let first = try #require(fixture.accounts.app.application)
        let changed = try fixture.rotate(.masterKey, to: ActionSignatureTests.masterKey, overlap: 0)
        #expect(changed.masterKey == ActionSignatureTests.masterKey)
        #expect(!fixture.accounts.app.keys.matchesMasterKey(first.masterKey))
        for wrong in ["short", "sixteen chars, or", "sixteen chars or", String(repeating: "k", count: 257)] {
            #expect(throws: StoreError.self) { try fixture.rotate(.appKey, to: wrong, overlap: 0) }
        }
        #expect(throws: StoreError.self) { try fixture.rotate(.appKey, to: nil, overlap: -1) }
        #expect(throws: StoreError.self) {
            try fixture.rotate(.appKey, to: nil, overlap: AppAuthenticator.longestOverlapSeconds + 1)
        }
        #expect(fixture.accounts.app.application?.appKey == first.appKey)
        #expect(!fixture.log.contains(ActionSignatureTests.masterKey))
    }

    @Test("before the app is opened nothing can be replaced")
    func closed() throws {
        let fixture = try Fixture()
        #expect(throws: StoreError.self) { try fixture.rotate(.appKey, to: nil, overlap: 0) }
        #expect(fixture.accounts.app.sign(.open(client: "Tom"), timestamp: 1, nonce: "n") == nil)
        #expect(fixture.accounts.app.signREST(asMaster: true, timestamp: 1) == nil)
    }
}

@Suite("What signatures are worth") struct SignatureVerdictTests {
    private static let open = SignedAction.open(client: "Tom")

    private func fixture(_ change: (inout AccountsOptions) -> Void = { _ in }) throws -> Fixture {
        let fixture = try Fixture(change)
        try fixture.accounts.app.open(appID: ActionSignatureTests.appID)
        _ = try fixture.rotate(.masterKey, to: ActionSignatureTests.masterKey, overlap: 0)
        return fixture
    }

    @Test("where each is good for one use, the second time is told", arguments: ActionSignatureTests.vectors)
    func once(_ vector: ActionSignatureTests.Vector) throws {
        let fixture = try self.fixture { $0.app.signaturesAreForOneUse = true }
        let app = fixture.accounts.app
        fixture.hands.setWall(milliseconds: 1_794_873_600_000)
        // The jump is believed after an hour.
        _ = app.now
        fixture.hands.advance(milliseconds: 3_600_000)
        let signature = ActionSignature(
            signature: vector.signature.uppercased(), timestamp: vector.timestamp, nonce: "a1b2c3")
        #expect(app.verify(signature, for: vector.action) == .valid)
        #expect(app.verify(signature, for: vector.action) == .replayed)
        #expect(app.verify(nil, for: vector.action) == .missing)
        var forged = signature
        forged.nonce = "other"
        #expect(app.verify(forged, for: vector.action) == .wrong)
        app.apply(AppPolicy())
        #expect(app.verify(signature, for: vector.action) == .valid)
        let row = try #require(app.metrics.all.first)
        #expect(row.action == vector.action.word && row.valid == 2 && row.replayed == 1)
        #expect(row.missing == 1 && row.wrong == 1 && row.expired == 0)
        for reason in ["replayed", "missing", "wrong"] { #expect(fixture.log.contains("reason=\(reason)")) }
        #expect(!fixture.log.contains(vector.signature) && !fixture.log.contains(ActionSignatureTests.masterKey))
    }

    @Test(
        "six hours both ways, and what the setting says",
        arguments: [
            (Int64(21_600), Int64(-21_600), SignatureVerdict.valid), (21_600, -21_601, .expired),
            (21_600, 21_600, .valid), (21_600, 21_601, .expired), (60, 61, .expired), (60, 60, .valid),
        ])
    func window(_ seconds: Int64, _ distance: Int64, _ verdict: SignatureVerdict) throws {
        let fixture = try self.fixture { $0.app.signatureWindowSeconds = seconds }
        let now = fixture.hands.clock.wallMilliseconds()
        for time in [now + distance * 1_000, now / 1_000 + distance] {
            #expect(
                fixture.accounts.app.verify(try fixture.signature(Self.open, time: time), for: Self.open) == verdict)
        }
    }

    @Test("times at the ends of what a number can hold are far away")
    func farTimes() throws {
        let fixture = try self.fixture()
        for time in [Int64.min, -1, .max] {
            let verdict = fixture.accounts.app.verify(try fixture.signature(Self.open, time: time), for: Self.open)
            #expect(verdict == .expired, "\(time)")
        }
    }

    @Test("a wall clock that jumps once expires nothing")
    func jump() throws {
        let fixture = try self.fixture()
        let signature = try fixture.signature(Self.open)
        fixture.hands.setWall(milliseconds: 5_000)
        #expect(fixture.accounts.app.verify(signature, for: Self.open) == .valid)
    }

    @Test("what the replaced master key signed counts while it counts")
    func rotated() throws {
        let fixture = try self.fixture()
        let (early, late) = (try fixture.signature(Self.open, nonce: "1"), try fixture.signature(Self.open, nonce: "2"))
        _ = try fixture.rotate(.masterKey, to: nil, overlap: 600)
        #expect(fixture.accounts.app.verify(early, for: Self.open) == .valid)
        fixture.hands.advance(milliseconds: 600_000)
        #expect(fixture.accounts.app.verify(late, for: Self.open) == .wrong)
        #expect(fixture.accounts.app.verify(try fixture.signature(Self.open), for: Self.open) == .valid)
    }

    @Test("refused ones fill no log")
    func logBound() throws {
        let fixture = try self.fixture()
        let refuse = { _ = fixture.accounts.app.verify(nil, for: Self.open) }
        for _ in 0..<200 { refuse() }
        let count = { fixture.lines.withLock { $0.filter { $0.contains("signature_refused") }.count } }
        #expect(count() == RefusalLog.linesPerMinute)
        fixture.hands.advance(milliseconds: 60_000)
        refuse()
        #expect(count() == RefusalLog.linesPerMinute + 1)
    }

    @Test("which actions need one is the operator's matter; leaving never does")
    func needed() throws {
        let fixture = try self.fixture()
        let app = fixture.accounts.app
        let kick = SignedAction.kick(client: "Tom", conversation: "c", members: ["Bob"])
        let leave = SignedAction.kick(client: "Tom", conversation: "c", members: ["Tom"])
        let history = SignedAction.history(client: "Tom", conversation: "c")
        #expect([Self.open, kick, history].allSatisfy(app.needsSignature) && !app.needsSignature(for: leave))
        var policy = AppPolicy()
        policy.signIn = .open
        policy.signsHistory = false
        app.apply(policy)
        #expect(
            !app.needsSignature(for: Self.open) && !app.needsSignature(for: history) && app.needsSignature(for: kick))
        policy.signsConversations = false
        app.apply(policy)
        #expect(!app.needsSignature(for: kick))
    }
}

extension Fixture {
    /// What a start of the server on this folder would have.
    func anotherAuthenticator(_ change: (inout AccountsOptions) -> Void = { _ in }) -> AppAuthenticator {
        var options = AccountsOptions()
        options.clock = self.hands.clock
        change(&options)
        return AppAuthenticator(self.store, folder: self.folder, changes: AccountChanges(), options: options)
    }

    func writeKeyFile(_ text: String) throws {
        let path = AppAuthenticator.keyPath(in: self.folder)
        unlink(path)
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        chmod(path, 0o600)
    }

    @discardableResult
    func rotate(_ kind: AppKeyKind, to value: String?, overlap: Int64) throws -> AppDescription {
        let answer = ConditionLock<Result<AppDescription, StoreError>?>(nil)
        self.accounts.app.rotate(kind, to: value, overlapSeconds: overlap) { result in answer.change { $0 = result } }
        return try answer.wait(until: { $0 != nil }, then: { $0! }).get()
    }

    /// As the app's own server makes it with the key of now.
    func signature(_ action: SignedAction, time: Int64? = nil, nonce: String = "n") throws -> ActionSignature {
        let time = time ?? self.hands.clock.wallMilliseconds()
        let made = try #require(self.accounts.app.sign(action, timestamp: time, nonce: nonce))
        return ActionSignature(signature: made.signature, timestamp: time, nonce: nonce)
    }
}
