import ChatModel
import Execution
import Glibc
import Testing

@testable import Store

@Suite("When writing fails")
struct FailureTests {
    @Test("a message the database refuses is refused alone; the batch around it is written")
    func batchIsRedone() throws {
        let gate = Gate()
        let fixture = try Fixture { options in
            options.commitHook = { commit, publish throws(StoreError) in
                gate.pass()
                try commit()
                publish()
            }
        }
        gate.open()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.connection.script(
                """
                CREATE TRIGGER planted BEFORE INSERT ON message WHEN NEW.body = CAST('poison' AS BLOB)
                BEGIN SELECT RAISE(ABORT, 'planted'); END
                """)
        }
        gate.close()
        // Held at its commit, so that what follows becomes one batch.
        let first = fixture.append("0", from: romeo, to: .id(verona))
        fixture.store.append([first])
        let appends = [
            fixture.append("1", from: romeo, to: .id(verona), token: "t1"),
            fixture.append("poison", from: romeo, to: .id(verona), token: "t2"),
            fixture.append("2", from: romeo, to: .id(verona), token: "t3"),
        ]
        fixture.store.append(appends)
        let isRead = ConditionLock(false)
        fixture.store.write(
            { store throws(StoreError) in try store.inbox.markRead(juliet, in: verona, upTo: 3) },
            then: { _ in isRead.change { $0 = true } })
        gate.open()
        let results = fixture.results(of: appends)
        isRead.wait(until: { $0 }, then: { _ in })
        #expect(results.map { $0.accepted?.message.sequence } == [2, nil, 3])
        #expect(results[1].failure != nil)
        #expect(try fixture.bodies(verona) == ["0", "1", "2"])
        #expect(try fixture.member(juliet, in: verona).readSequence == 3)
        // Nothing of the refused one stays: its token is free.
        #expect(fixture.send("3", from: romeo, to: .id(verona), token: "t2").accepted?.isDuplicate == false)
        #expect(try fixture.verified().findings == [])
    }

    @Test("a failed commit publishes nothing, stops the store and says so once")
    func fatal() throws {
        let isBroken = Lock(false)
        let fixture = try Fixture { options in
            options.commitHook = { commit, publish throws(StoreError) in
                if isBroken.withLock({ $0 }) { throw .fatal("planted") }
                try commit()
                publish()
            }
        }
        let romeo = try fixture.user("romeo")
        let told = ConditionLock<[StoreError]>([])
        fixture.store.onFatal = { error in told.change { $0.append(error) } }
        isBroken.withLock { $0 = true }
        fixture.store.append([fixture.append("lost", from: romeo, to: direct("romeo"))])
        #expect(told.wait(until: { !$0.isEmpty }, then: { $0 }) == [.fatal("planted")])
        fixture.store.append([fixture.append("later", from: romeo, to: direct("romeo"))])
        #expect(throws: StoreError.self) { try fixture.user("juliet") }
        #expect(fixture.calls.withLock { $0 } == [])
        #expect(fixture.store.metrics.hasFailed)
        #expect(told.read { $0.count } == 1)
        let late = Lock<[StoreError]>([])
        fixture.store.onFatal = { error in late.withLock { $0.append(error) } }
        #expect(late.withLock { $0 } == [.fatal("planted")])
        fixture.store.close()
        let again = try Fixture(fixture.folder)
        #expect(again.send("works", from: romeo, to: direct("romeo")).accepted?.message.sequence == 1)
        #expect(try again.verified().findings == [])
    }

    @Test("below the mark of free room messages are refused; positions, typing and reading still work")
    func lowRoom() throws {
        let folder = TemporaryFolder()
        let first = try Fixture(folder)
        let romeo = try first.user("romeo")
        let verona = try first.group("verona", owner: romeo)
        first.send("before", from: romeo, to: .id(verona))
        let fixture = try first.reopened { $0.stopWritingFreeBytes = Int64.max / 2 }
        #expect(fixture.store.metrics.isReadOnly)
        #expect(fixture.send("no", from: romeo, to: .id(verona)).failure == .full)
        #expect(fixture.send("…", from: romeo, to: .id(verona), flags: .transient).accepted != nil)
        let change = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.markRead(romeo, in: verona, upTo: 1)
        }
        #expect(change.hasMoved)
        #expect(try fixture.bodies(verona) == ["before"])
        #expect(try fixture.verified().findings == [])
    }

    private static let canMount: Bool = {
        let probe = TemporaryFolder()
        guard geteuid() == 0, mount("tmpfs", probe.path, "tmpfs", 0, "size=1m") == 0 else { return false }
        umount(probe.path)
        return true
    }()

    @Test(
        "a full disk refuses messages, loses none, and ends by itself when room returns",
        .enabled(if: canMount, "needs root, to mount a small file system"))
    func fullDisk() throws {
        let folder = TemporaryFolder()
        #expect(mount("tmpfs", folder.path, "tmpfs", 0, "size=16m") == 0)
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let fixture = try Fixture(folder) { options in
            options.ballastBytes = 512 * 1024
            options.logRoomBytes = nil
        }
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let body = String(repeating: "x", count: 50_000)
        var accepted = 0
        while fixture.send(body, from: romeo, to: .id(verona), token: "t\(accepted)").accepted != nil {
            accepted += 1
            try #require(accepted < 200)
        }
        #expect(accepted > 0 && fixture.store.metrics.isReadOnly)
        #expect(fixture.send(body, from: romeo, to: .id(verona)).failure == .full)
        #expect(try fixture.bodies(verona).count == accepted)
        let change = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.markRead(romeo, in: verona, upTo: 1)
        }
        #expect(change.hasMoved)
        fixture.store.runMaintenance()
        #expect(fixture.store.metrics.isReadOnly)
        #expect(mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT), "size=64m") == 0)
        fixture.store.runMaintenance()
        #expect(!fixture.store.metrics.isReadOnly)
        let next = fixture.send(body, from: romeo, to: .id(verona), token: "t\(accepted)").accepted
        #expect(next?.message.sequence == Int64(accepted + 1) && next?.isDuplicate == false)
        #expect(try fixture.verified().findings == [])
    }
}
