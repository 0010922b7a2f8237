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
        let house = try House { options in
            options.commitHook = { commit, publish throws(StoreError) in
                gate.pass()
                try commit()
                publish()
            }
        }
        gate.open()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: romeo, [juliet])
        try house.store.writeAndWait { store throws(StoreError) in
            try store.connection.script(
                """
                CREATE TRIGGER planted BEFORE INSERT ON message WHEN NEW.body = CAST('poison' AS BLOB)
                BEGIN SELECT RAISE(ABORT, 'planted'); END
                """)
        }
        gate.close()
        // Held at its commit, so that what follows becomes one batch.
        let first = house.append("0", from: romeo, to: .id(verona))
        house.store.append([first])
        let appends = [
            house.append("1", from: romeo, to: .id(verona), token: "t1"),
            house.append("poison", from: romeo, to: .id(verona), token: "t2"),
            house.append("2", from: romeo, to: .id(verona), token: "t3"),
        ]
        house.store.append(appends)
        house.store.write(
            { store throws(StoreError) in try store.markRead(juliet, in: verona, upTo: 3) }, then: { _ in })
        gate.open()
        let results = house.results(of: appends)
        #expect(results.map { $0.accepted?.message.sequence } == [2, nil, 3])
        #expect(results[1].failure != nil)
        #expect(try house.bodies(verona) == ["0", "1", "2"])
        #expect(try house.member(juliet, in: verona).readSequence == 3)
        // Nothing of the refused one stays: its token is free.
        #expect(house.send("3", from: romeo, to: .id(verona), token: "t2").accepted?.isDuplicate == false)
        #expect(try house.verified().findings == [])
    }

    @Test("a failed commit publishes nothing, stops the store and says so once")
    func fatal() throws {
        let isBroken = Lock(false)
        let house = try House { options in
            options.commitHook = { commit, publish throws(StoreError) in
                if isBroken.withLock({ $0 }) { throw .fatal("planted") }
                try commit()
                publish()
            }
        }
        let romeo = try house.user("romeo")
        let told = ConditionLock<[StoreError]>([])
        house.store.onFatal = { error in told.change { $0.append(error) } }
        isBroken.withLock { $0 = true }
        house.store.append([house.append("lost", from: romeo, to: direct("romeo"))])
        #expect(told.wait(until: { !$0.isEmpty }, then: { $0 }) == [.fatal("planted")])
        house.store.append([house.append("later", from: romeo, to: direct("romeo"))])
        #expect(throws: StoreError.self) { try house.user("juliet") }
        #expect(house.calls.withLock { $0 } == [])
        #expect(house.store.figures.hasFailed)
        #expect(told.read { $0.count } == 1)
        let late = Lock<[StoreError]>([])
        house.store.onFatal = { error in late.withLock { $0.append(error) } }
        #expect(late.withLock { $0 } == [.fatal("planted")])
        house.store.close()
        let again = try House(house.folder)
        #expect(again.send("works", from: romeo, to: direct("romeo")).accepted?.message.sequence == 1)
        #expect(try again.verified().findings == [])
    }

    @Test("below the mark of free room messages are refused; positions, typing and reading still work")
    func lowRoom() throws {
        let folder = TemporaryFolder()
        let first = try House(folder)
        let romeo = try first.user("romeo")
        let verona = try first.group("verona", owner: romeo)
        first.send("before", from: romeo, to: .id(verona))
        let house = try first.reopened { $0.stopWritingFreeBytes = Int64.max / 2 }
        #expect(house.store.figures.isReadOnly)
        #expect(house.send("no", from: romeo, to: .id(verona)).failure == .full)
        #expect(house.send("…", from: romeo, to: .id(verona), flags: .transient).accepted != nil)
        let change = try house.store.writeAndWait { store throws(StoreError) in
            try store.markRead(romeo, in: verona, upTo: 1)
        }
        #expect(change.hasMoved)
        #expect(try house.bodies(verona) == ["before"])
        #expect(try house.verified().findings == [])
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
        #expect(mount("tmpfs", folder.path, "tmpfs", 0, "size=4m") == 0)
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let house = try House(folder) { $0.ballastBytes = 512 * 1024 }
        let romeo = try house.user("romeo")
        let verona = try house.group("verona", owner: romeo)
        let body = String(repeating: "x", count: 50_000)
        var accepted = 0
        while house.send(body, from: romeo, to: .id(verona), token: "t\(accepted)").accepted != nil {
            accepted += 1
            try #require(accepted < 200)
        }
        #expect(accepted > 0 && house.store.figures.isReadOnly)
        #expect(house.send(body, from: romeo, to: .id(verona)).failure == .full)
        #expect(try house.bodies(verona).count == accepted)
        let change = try house.store.writeAndWait { store throws(StoreError) in
            try store.markRead(romeo, in: verona, upTo: 1)
        }
        #expect(change.hasMoved)
        house.store.runMaintenance()
        #expect(house.store.figures.isReadOnly)
        #expect(mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT), "size=32m") == 0)
        house.store.runMaintenance()
        #expect(!house.store.figures.isReadOnly)
        let next = house.send(body, from: romeo, to: .id(verona), token: "t\(accepted)").accepted
        #expect(next?.message.sequence == Int64(accepted + 1) && next?.isDuplicate == false)
        #expect(try house.verified().findings == [])
    }
}
