import ChatModel
import Execution
import Glibc
import Store
import Testing

@testable import Accounts

/// A journal in a temporary folder, with a clock turned by hand.
private final class JournalFixture {
    let folder: String
    let hands = ManualClock()
    var options = SignInJournalOptions()
    let isSteady = Lock(true)
    private var journal: SignInJournal?

    init() throws {
        var template = Array("/tmp/teahouse-journal-XXXXXX".utf8CString)
        self.folder = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
        self.journal?.stop()
        for name in Self.names(in: "\(self.folder)/sign-ins") { unlink("\(self.folder)/sign-ins/\(name)") }
        rmdir("\(self.folder)/sign-ins")
        rmdir(self.folder)
    }

    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    var files: [String] { SignInFiles.names(in: "\(self.folder)/sign-ins") }

    func open() -> SignInJournal {
        if let journal = self.journal { return journal }
        let isSteady = self.isSteady
        let journal = SignInJournal(in: self.folder, options: self.options, clock: self.hands.clock) {
            isSteady.withLock { $0 }
        }
        self.journal = journal
        return journal
    }

    func close() {
        self.journal?.stop()
        self.journal = nil
    }

    func note(
        _ user: String, from address: String = "10.0.0.5", network: String? = nil,
        _ result: String = "wrong_credentials"
    ) {
        let journal = self.open()
        var entry = journal.entry()
        entry.user = user
        entry.address = address
        entry.gateway = "wukong"
        entry.result = result
        journal.note(entry, throttleKey: network)
    }

    func page(_ query: SignInQuery = SignInQuery()) -> SignInPage {
        let answer = ConditionLock<SignInPage?>(nil)
        self.open().read(query) { page in answer.change { $0 = page } }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    /// All entries, page by page.
    func all() -> [SignInEntry] {
        var (query, entries) = (SignInQuery(), [SignInEntry]())
        while true {
            let page = self.page(query)
            entries += page.entries
            guard let next = page.next else { return entries }
            query.before = next
        }
    }

    func check() -> SignInCheck {
        let answer = ConditionLock<SignInCheck?>(nil)
        self.open().check { check in answer.change { $0 = check } }
        return answer.wait(until: { $0 != nil }, then: { $0! })
    }

    func bytes(_ name: String) -> [UInt8] { SignInFiles.read("\(self.folder)/sign-ins/\(name)") ?? [] }

    func write(_ bytes: [UInt8], _ name: String) throws {
        let file = try #require(fopen("\(self.folder)/sign-ins/\(name)", "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    func advance(days: Int64) { self.hands.advance(milliseconds: days * 86_400_000) }
}

@Suite("The journal of sign-ins") struct SignInJournalTests {
    @Test("attempts are kept in order over restarts, and the chain is whole")
    func kept() throws {
        let fixture = try JournalFixture()
        fixture.note("romeo", "signed_in")
        fixture.note("juliet \"<茶>\"\n")
        fixture.close()
        fixture.note("tybalt", from: "10.0.0.6")
        let page = fixture.page()
        #expect(page.entries.map(\.user) == ["tybalt", "juliet \"<茶>\"\n", "romeo"])
        #expect(page.entries.map(\.number) == [4, 3, 2] && page.next == nil)
        let check = fixture.check()
        #expect(check.problems.isEmpty && check.first == 1 && check.last == 4)
        fixture.close()
        #expect(SignInChecker.check(dataFolder: fixture.folder) == check)
    }

    @Test("filters by person, address, result and time, page by page")
    func filters() throws {
        let fixture = try JournalFixture()
        let start = fixture.hands.clock.wallMilliseconds()
        for number in 1...3 {
            fixture.note("romeo", from: "10.0.0.\(number)", "signed_in")
            fixture.note("juliet", from: "10.0.0.\(number)")
            fixture.hands.advance(milliseconds: 1_000)
        }
        func found(_ change: (inout SignInQuery) -> Void) -> [Int64] {
            var query = SignInQuery()
            change(&query)
            return fixture.page(query).entries.map(\.number)
        }
        #expect(found { $0.user = "romeo" } == [6, 4, 2])
        #expect(found { $0.address = "10.0.0.2" } == [5, 4])
        #expect(found { $0.result = "signed_in" } == [6, 4, 2])
        #expect(found { $0.sinceMilliseconds = start + 2_000 } == [7, 6])
        #expect(found { $0.untilMilliseconds = start + 1_000 } == [3, 2])
        var query = SignInQuery()
        query.limit = 4
        let first = fixture.page(query)
        #expect(first.entries.map(\.number) == [7, 6, 5, 4] && first.next == 4)
        query.before = first.next
        #expect(fixture.page(query).entries.map(\.number) == [3, 2])
    }

    @Test("a flood of refusals from one address is summed, and others are still written")
    func flood() throws {
        let fixture = try JournalFixture()
        for number in 1...4_221 { fixture.note("guess-\(number)") }
        fixture.note("romeo", from: "10.0.0.9", "signed_in")
        #expect(fixture.page().entries.count == 11)
        fixture.hands.advance(milliseconds: 60_000)
        let newest = try #require(fixture.page().entries.first)
        #expect(newest.kind == .sum && newest.count == 4_211 && newest.address == "10.0.0.5")
        #expect(newest.user == nil && newest.result == "wrong_credentials")
        // Counting begins anew.
        fixture.note("again")
        #expect(fixture.page().entries.first?.user == "again")
        #expect(fixture.check().problems.isEmpty)
    }

    @Test("refusals from many addresses of one network of IPv6 are one flood, and their sum has the network")
    func network() throws {
        let fixture = try JournalFixture()
        for number in 1...500 { fixture.note("guess", from: "fd00::\(number)", network: "fd00::/64") }
        #expect(fixture.page().entries.count == 10)
        fixture.hands.advance(milliseconds: 60_000)
        let newest = try #require(fixture.page().entries.first)
        #expect(newest.kind == .sum && newest.count == 490 && newest.address == "fd00::/64")
    }

    @Test("a sign-in over IPv6 counts with its network")
    func signInOfNetwork() throws {
        let fixture = try JournalFixture()
        let journal = fixture.open()
        for number in 1...30 {
            let request = SignInRequest(
                user: UserName("romeo")!, credentials: .password("wrong"), requestedClass: .app,
                address: "fd00::\(number)", throttleKey: "fd00::/64", isEncrypted: true, origin: .privateNetwork)
            journal.note(request, nil, .wrongCredentials)
        }
        #expect(fixture.page().entries.count == 10)
    }

    @Test("what comes while questions wait is written between them")
    func betweenQuestions() throws {
        let fixture = try JournalFixture()
        let journal = fixture.open()
        let isHeld = ConditionLock(true)
        let last = ConditionLock<SignInPage?>(nil)
        journal.read(SignInQuery()) { _ in isHeld.wait(until: { !$0 }, then: { _ in }) }
        // Both are taken together once the one before is answered.
        journal.read(SignInQuery()) { _ in
            var entry = journal.entry()
            entry.result = "wrong_credentials"
            journal.note(entry)
        }
        journal.read(SignInQuery()) { page in last.change { $0 = page } }
        isHeld.change { $0 = false }
        #expect(last.wait(until: { $0 != nil }, then: { $0?.entries.count }) == 1)
    }

    @Test("a stop writes the sums that are open")
    func stopped() throws {
        let fixture = try JournalFixture()
        for _ in 1...12 { fixture.note("romeo", "signed_in") }
        fixture.close()
        let newest = try #require(fixture.page().entries.first)
        #expect(newest.kind == .sum && newest.count == 2 && newest.user == "romeo")
    }

    @Test(
        "an end that was torn anywhere is set aside, said, and the chain goes on",
        arguments: [1, 40, 90, 199, 201, 399])
    func torn(_ cut: Int) throws {
        let fixture = try JournalFixture()
        for number in 1...5 { fixture.note("romeo-\(number)") }
        fixture.close()
        let name = try #require(fixture.files.first)
        try fixture.write(Array(fixture.bytes(name).dropLast(cut)), name)
        let page = fixture.page()
        let mended = try #require(page.entries.first)
        #expect(mended.kind == .mended && mended.count ?? 0 > 0)
        #expect(page.entries.dropFirst().first?.user == (cut < 200 ? "romeo-4" : "romeo-3"))
        let check = fixture.check()
        #expect(check.problems.isEmpty && check.mended == 1)
    }

    @Test("zeros and halves of lines behind the last entry are a power cut's, in the newest file alone")
    func zeros() throws {
        let fixture = try JournalFixture()
        fixture.note("romeo")
        #expect(fixture.page().entries.count == 1)
        fixture.advance(days: 1)
        fixture.note("juliet")
        fixture.close()
        let names = fixture.files
        try #require(names.count == 2)
        let rest = [UInt8](repeating: 0, count: 300) + Array("half\nhalf".utf8)
        let (old, new) = (fixture.bytes(names[0]), fixture.bytes(names[1]))
        try fixture.write(new + rest, names[1])
        #expect(SignInChecker.check(dataFolder: fixture.folder)?.problems.isEmpty == true)
        try fixture.write(old + rest, names[0])
        #expect(SignInChecker.check(dataFolder: fixture.folder)?.problems.isEmpty == false)
        try fixture.write(old, names[0])
        #expect(fixture.page().entries.first?.count == 309)
        #expect(fixture.check().problems.isEmpty && fixture.check().mended == 1)
    }

    @Test("a file without one whole entry is no hindrance")
    func empty() throws {
        let fixture = try JournalFixture()
        fixture.note("romeo")
        fixture.close()
        try fixture.write(Array("0000".utf8), SignInFiles.name(first: 3, at: 1_800_000_000_000))
        fixture.note("juliet")
        #expect(fixture.page().entries.compactMap(\.user) == ["juliet", "romeo"])
        #expect(fixture.check().problems.isEmpty)
    }

    @Test("a changed, a removed and an added entry are found, and a file that is missing")
    func tampered() throws {
        let fixture = try JournalFixture()
        for day in 1...3 {
            for number in 1...3 { fixture.note("romeo-\(day)-\(number)") }
            #expect(fixture.all().count == day * 3)
            fixture.advance(days: 1)
        }
        fixture.close()
        let names = fixture.files
        #expect(names.count == 3)
        let whole = fixture.bytes(names[1])
        var lines = whole.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        func problems(_ lines: [[UInt8]]) throws -> Int {
            try fixture.write(lines.flatMap { $0 + [UInt8(ascii: "\n")] }, names[1])
            return SignInChecker.check(dataFolder: fixture.folder)?.problems.count ?? 0
        }
        #expect(try problems(lines) == 0)
        let line = lines.remove(at: 2)
        #expect(try problems(lines) > 0)
        lines.insert(line, at: 2)
        lines.insert(line, at: 2)
        #expect(try problems(lines) > 0)
        lines.remove(at: 2)
        lines[2][lines[2].count - 4] ^= 1
        #expect(try problems(lines) > 0)
        try fixture.write(whole, names[1])
        #expect(SignInChecker.check(dataFolder: fixture.folder)?.problems.isEmpty == true)
        unlink("\(fixture.folder)/sign-ins/\(names[0])")
        #expect(SignInChecker.check(dataFolder: fixture.folder)?.problems.isEmpty == false)
        unlink("\(fixture.folder)/sign-ins/\(names[1])")
        #expect(SignInChecker.check(dataFolder: fixture.folder)?.problems.isEmpty == false)
    }

    @Test("whole days go for their age, the chain says so, and what is left is proven")
    func retention() throws {
        let fixture = try JournalFixture()
        fixture.options.days = 2
        for _ in 1...6 {
            fixture.note("romeo")
            #expect(fixture.page().entries.isEmpty == false)
            fixture.advance(days: 1)
        }
        fixture.note("juliet")
        let page = fixture.page()
        #expect(page.entries.contains { $0.kind == .removed } && fixture.files.count <= 4)
        let check = fixture.check()
        #expect(check.problems.isEmpty && check.first > 1)
    }

    @Test("nothing goes for its age while the clock is in doubt")
    func doubted() throws {
        let fixture = try JournalFixture()
        fixture.options.days = 2
        fixture.isSteady.withLock { $0 = false }
        fixture.note("romeo")
        #expect(fixture.page().entries.count == 1)
        fixture.advance(days: 400)
        fixture.note("juliet")
        #expect(fixture.page().entries.compactMap(\.user) == ["juliet", "romeo"])
    }

    @Test("days that a clock was ahead keep the order, and go when the days after them are old")
    func clockAhead() throws {
        let fixture = try JournalFixture()
        fixture.options.days = 2
        fixture.note("romeo")
        #expect(fixture.page().entries.count == 1)
        let wall = fixture.hands.clock.wallMilliseconds()
        fixture.isSteady.withLock { $0 = false }
        fixture.hands.setWall(milliseconds: wall + 300 * 86_400_000)
        fixture.note("tybalt")
        #expect(fixture.page().entries.first?.user == "tybalt")
        fixture.hands.setWall(milliseconds: wall)
        fixture.isSteady.withLock { $0 = true }
        fixture.note("juliet")
        #expect(fixture.all().compactMap(\.user) == ["juliet", "tybalt", "romeo"])
        #expect(fixture.check().problems.isEmpty)
        for _ in 1...4 {
            fixture.advance(days: 1)
            fixture.note("mercutio")
            _ = fixture.page()
        }
        #expect(!fixture.all().contains { $0.user == "tybalt" })
        #expect(fixture.check().problems.isEmpty)
    }

    @Test("the oldest files make room, however young they are")
    func room() throws {
        let fixture = try JournalFixture()
        fixture.options.maximumBytes = 1
        fixture.note("romeo")
        #expect(fixture.page().entries.count == 1)
        fixture.advance(days: 1)
        fixture.note("juliet")
        #expect(fixture.page().entries.compactMap(\.user) == ["juliet"])
        #expect(fixture.files.count == 1 && fixture.check().problems.isEmpty)
    }

    @Test("the authenticator notes who, from where, at what, and why not")
    func authenticator() throws {
        let journals = try JournalFixture()
        let journal = journals.open()
        let fixture = try Fixture { $0.journal = journal }
        let romeo = UserName("romeo")!
        try fixture.add(romeo, password: "a cup of longjing")
        let token = try fixture.issue(romeo)
        guard case .signedIn = fixture.signIn(romeo, .token(token)) else {
            Issue.record("not signed in")
            return
        }
        _ = fixture.signIn(romeo, .password("wrong one"))
        _ = fixture.signIn(UserName("nobody")!, .token("x"), address: "10.0.0.8")
        let entries = journals.page().entries
        #expect(entries.map(\.user) == ["nobody", "romeo", "romeo"])
        #expect(entries.map(\.result) == ["wrong_credentials", "wrong_credentials", "signed_in"])
        #expect(entries.map(\.reason) == ["unknown_user", "wrong_password", nil])
        #expect(entries.map(\.credentials) == ["token", "password", "token"])
        #expect(entries.map(\.address) == ["10.0.0.8", "192.168.1.7", "192.168.1.7"])
        let name = try #require(journals.files.first)
        let text = String(decoding: journals.bytes(name), as: UTF8.self)
        #expect(!text.contains(token) && !text.contains("wrong one"))
    }
}
