import ChatModel
import Testing

@testable import Store

@Suite("Files of an app that another server kept")
struct ImportedFileTests {
    private static let former = "https://files.example.com/k1/letter%20one.txt"

    private static func row(_ number: Int = 1, at address: String = former) -> ImportedFile {
        ImportedFile(
            objectID: ObjectID("5f000000000000000000000\(number)")!, name: "letter.txt", mediaType: "text/plain",
            metadata: Array(#"{"owner":"romeo"}"#.utf8), createdAtMilliseconds: 5, address: address)
    }

    private static func begin(_ verona: Verona) throws -> Int64 {
        try verona.write { store throws(StoreError) in
            try store.imports.begin("leancloud", origin: "app", auditing: nil).number
        }
    }

    private static func add(
        _ row: ImportedFile, _ content: FileKey? = nil, to number: Int64, base: String? = "https://here",
        _ verona: Verona
    ) throws -> ImportedFileOutcome {
        try verona.write { store throws(StoreError) in
            try store.imports.addFile(
                row, content: content, link: FileLinkKey(random: Verona.randomBytes()),
                address: { link in base.map { "\($0)/f/\(link)" } }, to: number)
        }
    }

    private static func here(_ address: String, _ verona: Verona) throws -> String? {
        let former = try #require(FormerAddress(address))
        return try verona.read { store throws(StoreError) in try store.imports.address(before: former) }
    }

    @Test("a file waits for its content, then it is here under both addresses, and counts against nobody")
    func comes() throws {
        let verona = try Verona()
        let number = try Self.begin(verona)
        #expect(try Self.add(Self.row(), to: number, verona) == .wanted)
        let content = try verona.upload(.system)
        #expect(try Self.add(Self.row(), content.key, to: number, verona) == .made)
        #expect(try Self.add(Self.row(), to: number, verona) == .unchanged)
        let here = try #require(try Self.here("http://FILES.example.com/k1/letter%20one.txt", verona))
        #expect(here.hasPrefix("https://here/f/th-l"))
        #expect(try Self.here("https://files.example.com/k1/letter", verona) == nil)
        for path in ["/k1/letter%20one.txt", "/k1/letter one.txt"] {
            let found = try verona.read { store throws(StoreError) in try store.imports.file(formerPath: path) }
            #expect(found?.id == content.id)
        }
        #expect(try verona.quota(verona.romeo).bytes == 0)
        let last = try verona.write { store throws(StoreError) in try store.imports.settleFiles(number, after: "") }
        let file = try verona.read { store throws(StoreError) in try store.apps.appFile(Self.row().objectID) }
        #expect(last == nil && file?.owner == verona.romeo && file?.createdAtMilliseconds == 5)
        #expect(try verona.quota(verona.romeo).bytes == 0)
        #expect(try verona.fixture.verified().findings.isEmpty)
    }

    @Test("it stays when files and links are collected, and a message that names it may go")
    func stays() throws {
        let verona = try Verona()
        let number = try Self.begin(verona)
        let content = try verona.upload(.system)
        _ = try Self.add(Self.row(), content.key, to: number, verona)
        let here = try #require(try Self.here(Self.former, verona))
        let place = try verona.say("see \(here)", verona.romeo)
        #expect(try verona.file(content.key)?.references == 2)
        try verona.write { store throws(StoreError) in try store.files.removeFileReferences(of: place) }
        verona.fixture.clock.advance(milliseconds: 365 * 86_400_000)
        #expect(try verona.sweep().isEmpty)
        let key = try #require(FileLinkKey(String(here.dropFirst("https://here/f/".utf8.count))))
        #expect(try verona.file(link: key)?.id == content.id)
        #expect(try verona.fixture.verified().findings.isEmpty)
    }

    @Test("its owner removes it while nothing else names it, and nobody else does")
    func removed() throws {
        let verona = try Verona()
        let number = try Self.begin(verona)
        let content = try verona.upload(.system)
        _ = try Self.add(Self.row(), content.key, to: number, verona)
        _ = try verona.write { store throws(StoreError) in try store.imports.settleFiles(number, after: "") }
        let id = Self.row().objectID
        func remove(_ user: UserID) throws {
            try verona.write { store throws(StoreError) in try store.apps.deleteAppFile(id, by: Actor(user)) }
        }
        #expect(throws: StoreError.refused(.noSuchFile)) { try remove(verona.juliet) }
        let here = try #require(try Self.here(Self.former, verona))
        let place = try verona.say("see \(here)", verona.juliet)
        #expect(throws: StoreError.refused(.fileInUse)) { try remove(verona.romeo) }
        try verona.write { store throws(StoreError) in try store.files.removeFileReferences(of: place) }
        try remove(verona.romeo)
        #expect(try Self.here(Self.former, verona) == nil)
        #expect(try verona.file(content.key) == nil)
        #expect(try verona.fixture.verified().findings.isEmpty)
    }

    @Test("a row follows its source, its address here stays, and one that was made here is left alone")
    func follows() throws {
        let verona = try Verona()
        let number = try Self.begin(verona)
        let content = try verona.upload(.system)
        #expect(try Self.add(Self.row(), content.key, to: number, base: nil, verona) == .made)
        #expect(try Self.here(Self.former, verona) == nil)
        #expect(try Self.add(Self.row(), to: number, verona) == .updated)
        let here = try Self.here(Self.former, verona)
        #expect(try Self.add(Self.row(), to: number, base: "https://other", verona) == .unchanged)
        #expect(try Self.here(Self.former, verona) == here)
        var renamed = Self.row()
        renamed.name = "another.txt"
        #expect(try Self.add(renamed, to: number, verona) == .updated)
        let own = AppFile(
            objectID: Self.row(2).objectID, owner: verona.romeo, place: .address("https://x/y"), name: "own",
            mediaType: "", metadata: nil)
        try verona.write { store throws(StoreError) in try store.apps.makeAppFile(own) }
        #expect(try Self.add(Self.row(2), to: number, verona) == .kept)
        #expect(try verona.fixture.verified().findings.isEmpty)
    }

    @Test("the link that another teahouse gave is the link here, where nobody has it; an address elsewhere stays one")
    func links() throws {
        let verona = try Verona()
        let number = try Self.begin(verona)
        let link = FileLinkKey(random: Verona.randomBytes())
        for (index, content) in [try verona.upload(.system), try verona.upload(.system)].enumerated() {
            var row = Self.row(index + 1, at: "https://a.example/f/\(index)")
            row.link = link
            #expect(try Self.add(row, content.key, to: number, verona) == .made)
        }
        #expect(try Self.here("https://a.example/f/0", verona) == "https://here/f/\(link)")
        let second = try #require(try Self.here("https://a.example/f/1", verona))
        #expect(!second.hasSuffix(link.text))
        var row = Self.row(3)
        row.isElsewhere = true
        #expect(try Self.add(row, to: number, verona) == .made)
        let file = try verona.read { store throws(StoreError) in try store.apps.appFile(Self.row(3).objectID) }
        #expect(file?.place == .address(Self.former))
        #expect(try Self.here(Self.former, verona) == nil)
        #expect(try verona.fixture.verified().findings.isEmpty)
    }

    @Test("without links, or with a content that is not there, nothing is brought")
    func refused() throws {
        let verona = try Verona { $0.files.makesLinks = false }
        let number = try Self.begin(verona)
        guard case .refused(let why) = try Self.add(Self.row(), to: number, verona) else {
            Issue.record("a file that nobody could read was brought")
            return
        }
        #expect(why.contains("files.sdk_links"))
        let other = try Verona()
        let second = try Self.begin(other)
        #expect(throws: StoreError.refused(.noSuchFile)) {
            try Self.add(Self.row(), FileKey(random: Verona.randomBytes()), to: second, other)
        }
        let begun = try other.begin(.system, by: .operator)
        #expect(throws: StoreError.refused(.noSuchFile)) {
            try Self.add(Self.row(), begun.file, to: second, other)
        }
    }

    @Test(
        "text that is no address with a path is none",
        arguments: ["", "ftp://a/b", "https://a", "https://a/", "https:///b", "http://", "a/b"])
    func noAddress(_ text: String) { #expect(FormerAddress(text) == nil) }

    @Test("an address loses its scheme and its fragment, and its path the query and the percent signs")
    func addresses() {
        let address = FormerAddress("https://A.Example:8080/x/%E7%94%BB.png?w=1#end")
        #expect(address?.text == "a.example:8080/x/%E7%94%BB.png?w=1")
        #expect(address?.path == "/x/画.png")
        #expect(FormerAddress.path(ofRequest: "/a%2") == "/a%2")
        #expect(FormerAddress("https://a/" + String(repeating: "b", count: AppLimits.addressBytes)) == nil)
    }
}
