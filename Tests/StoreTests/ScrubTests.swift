import ChatModel
import Execution
import Foundation
import Testing

@testable import Store

@Suite("The scrub of a running store")
struct ScrubTests {
    private static func scrub(_ fixture: Fixture) throws -> (last: LastScrub, findings: [String])? {
        try fixture.store.scrub(clock: fixture.clock.clock, isWanted: { true }, rest: { _ in })
    }

    /// A store with messages; the tables are changed while it is closed.
    private static func changed(_ change: (TemporaryFolder) throws -> Void) throws -> Fixture {
        let fixture = try Fixture()
        let juliet = UserName("juliet-capulet")!
        let romeo = try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.people.createUser(juliet)
            return try store.people.createUser(UserName("romeo")!)
        }
        for number in 1...300 {
            #expect(fixture.send("\(number)", from: romeo, to: .direct(juliet)).accepted != nil)
        }
        fixture.store.close()
        try change(fixture.folder)
        return try Fixture(fixture.folder, clock: fixture.clock)
    }

    private static func run(_ sql: String, _ folder: TemporaryFolder) throws {
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.script(sql)
    }

    @Test("finds nothing in a database that is in order, and says what it has looked at")
    func good() throws {
        let fixture = try Self.changed { _ in }
        let (last, findings) = try #require(try Self.scrub(fixture))
        #expect(findings == [] && last.findings == 0 && last.passedOver == 0)
        #expect(last.rows == 300 && last.tables > 60)
        #expect(last.write(in: fixture.folder.data))
        #expect(LastScrub.read(in: fixture.folder.data) == last)
        unlink("\(fixture.folder.data)/last-scrub.json")
    }

    @Test("finds a body that is another one, in any page, and goes on behind it")
    func body() throws {
        let fixture = try Self.changed { folder in
            try Self.run("UPDATE message SET body = x'00' WHERE sequence IN (7, 290)", folder)
        }
        let (last, findings) = try #require(try Self.scrub(fixture))
        #expect(last.findings == 2 && last.rows == 300)
        #expect(findings.count == 2 && findings[0].contains("message 7 ") && findings[1].contains("message 290 "))
    }

    @Test("finds a flipped bit where table and index disagree")
    func index() throws {
        let fixture = try Self.changed { folder in
            let path = URL(filePath: DataFolder.databasePath(in: folder.data))
            var bytes = try Data(contentsOf: path)
            let place = try #require(bytes.range(of: Data("juliet-capulet".utf8), options: .backwards))
            bytes[place.lowerBound + 3] ^= 1
            try bytes.write(to: path)
        }
        let (last, findings) = try #require(try Self.scrub(fixture))
        #expect(last.findings > 0 && findings.contains { $0.contains("The database file is damaged") })
    }

    @Test("ends where it is when it is not wanted any more, and before a store that closes")
    func ended() throws {
        let fixture = try Self.changed { _ in }
        let looks = Lock(0)
        let outcome = try fixture.store.scrub(
            clock: fixture.clock.clock,
            isWanted: {
                looks.withLock { looks in
                    looks += 1
                    return looks < 3
                }
            }, rest: { _ in })
        #expect(outcome == nil)
        fixture.store.close()
        #expect(throws: StoreError.unavailable) { try Self.scrub(fixture) }
    }
}
