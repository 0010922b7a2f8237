import ChatModel
import Glibc
import Testing

@testable import Store

/// Flipped bits in the write-ahead log are told from its torn end.
@Suite("Damage of the log") struct LogDamageTests {
    private static let frameBytes = 24 + 4_096

    /// Each message is a transaction, and none is moved into the database.
    private static func writeDirectly(_ options: inout StoreOptions) {
        options.acknowledgesFromLog = false
        options.checkpointLogBytes = 1 << 30
    }

    /// A folder as a kill leaves it: the log holds a transaction for each of five messages.
    private func killed() throws -> (copy: TemporaryFolder, log: [UInt8]) {
        // A writer that is idle for a second empties the log, which a slow machine may give it the time for.
        for _ in 0..<5 {
            let fixture = try Fixture(change: Self.writeDirectly)
            let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
            let verona = try fixture.group("verona", owner: romeo, [juliet])
            for number in 1...5 { #expect(fixture.send("m\(number)", from: romeo, to: .id(verona)).accepted != nil) }
            let copy = try fixture.copied()
            let log = try #require(bytes(of: copy.data + "/teahouse.db-wal"))
            if log.count > 20 * Self.frameBytes { return (copy, log) }
        }
        throw StoreError.invalid("the log was emptied each time")
    }

    private func write(_ log: [UInt8], to folder: TemporaryFolder) throws {
        let file = try #require(fopen(folder.data + "/teahouse.db-wal", "w"))
        defer { fclose(file) }
        #expect(fwrite(log, 1, log.count, file) == log.count)
    }

    private func messages(_ folder: TemporaryFolder, accepting: Bool = false) throws -> Int {
        let fixture = try Fixture(folder) { $0.acceptsDamagedLog = accepting }
        return try fixture.store.readAndWait { store throws(StoreError) in
            let verona = try store.conversations.one(.channel(.group, ChannelName("verona")!), seenBy: .system)
            return Int(verona?.head ?? 0)
        }
    }

    @Test("a log that is whole is taken whole")
    func whole() throws {
        let (copy, _) = try self.killed()
        #expect(try self.messages(copy) == 5)
    }

    enum Place: CaseIterable { case header, page, salt, checksum }

    @Test(
        "a flipped bit in front of later commits is damage, which verify names and a start refuses",
        arguments: Place.allCases)
    func flipped(_ place: Place) throws {
        var (copy, log) = try self.killed()
        let frame = 32 + 3 * Self.frameBytes
        switch place {
        case .header: log[9] ^= 0x10
        case .page: log[frame + 24 + 1_000] ^= 1
        case .salt: log[frame + 8] ^= 0x80
        case .checksum: log[frame + 16] ^= 2
        }
        try self.write(log, to: copy)
        let report = try verifyFolder(copy.data)
        #expect(report.findings.map(\.kind) == [.damagedFile])
        #expect(report.findings.first?.description.contains("acknowledged changes come after it") == true)
        #expect(throws: StoreError.self) { try self.messages(copy) }
        // Nothing was cut off meanwhile, and an operator may go on without what is lost.
        #expect(try #require(bytes(of: copy.data + "/teahouse.db-wal")) == log)
        #expect(try self.messages(copy, accepting: true) < 5)
    }

    @Test("a torn end is none, whether it is cut off or half written")
    func torn() throws {
        for isCut in [true, false] {
            var (copy, log) = try self.killed()
            let last = log.count - Self.frameBytes
            if isCut { log.removeSubrange((last + 100)...) } else { log[last + 2_000] ^= 1 }
            try self.write(log, to: copy)
            #expect(try verifyFolder(copy.data).findings == [])
        }
    }

    /// The log of a copy of a folder after one more message in it. As in `killed`, it may have been emptied.
    private func log(_ log: [UInt8], of killed: TemporaryFolder, continuedBy message: String) throws -> [UInt8] {
        for _ in 0..<5 {
            let folder = try killed.copied()
            let fixture = try Fixture(folder, change: Self.writeDirectly)
            let romeo = try fixture.store.readAndWait { store throws(StoreError) in
                try store.people.user(named: UserName("romeo")!)
            }
            #expect(fixture.send(message, from: try #require(romeo).id, to: groupAddress("verona")).accepted != nil)
            let continued = try #require(bytes(of: folder.data + "/teahouse.db-wal"))
            if continued.starts(with: log) { return continued }
        }
        throw StoreError.invalid("the log was not continued")
    }

    @Test("a transaction that was cut off and written over leaves a commit behind the newer one, which is no damage")
    func writtenOver() throws {
        let (copy, log) = try self.killed()
        let long = try self.log(log, of: copy, continuedBy: String(repeating: "long ", count: 10_000))
        let short = try self.log(log, of: copy, continuedBy: "short")
        #expect(long.count > short.count + 2 * Self.frameBytes)
        let frames = stride(from: log.count, to: short.count, by: Self.frameBytes)
        let first = try #require(frames.first { long[$0..<$0 + Self.frameBytes] != short[$0..<$0 + Self.frameBytes] })
        #expect(long[first + 8..<first + 16] == short[first + 8..<first + 16], "the same salts")
        // The short one was cut off in its first frame, where the long one had been cut off before.
        var written = short + long[short.count...]
        for sector in 1...4 { written[first + 24 + sector * 512] ^= 1 }
        try self.write(written, to: copy)
        #expect(try verifyFolder(copy.data).findings == [])
        #expect(try self.messages(copy) == 5)
    }

    @Test("what a former log left behind the new one is no damage")
    func leftOver() throws {
        var (copy, log) = try self.killed()
        let middle = 32 + (log.count - 32) / Self.frameBytes / 2 * Self.frameBytes
        for frame in stride(from: middle, to: log.count, by: Self.frameBytes) { log[frame + 8] ^= 0xFF }
        try self.write(log, to: copy)
        _ = try self.messages(copy)
    }
}

/// The bytes of a file; `nil` when it cannot be read.
private func bytes(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&piece, 1, piece.count, file)
        if count == 0 { return ferror(file) == 0 ? bytes : nil }
        bytes += piece[..<count]
    }
}
