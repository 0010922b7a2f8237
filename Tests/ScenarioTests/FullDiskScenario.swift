import ChatModel
import Glibc
import TeahouseTesting
import Testing

/// A server whose disk fills up, on a small file system in memory.
struct FullDiskScenario {
    private static let canMount: Bool = {
        let probe = TemporaryFolder()
        guard geteuid() == 0, mount("tmpfs", probe.path, "tmpfs", 0, "size=1m") == 0 else { return false }
        umount(probe.path)
        return true
    }()

    @Test(
        "clients are told, nothing acknowledged is lost, and it ends by itself when room returns",
        .enabled(if: canMount, "needs root, to mount a small file system"))
    func fullDisk() throws {
        let disk = TemporaryFolder()
        #expect(mount("tmpfs", disk.path, "tmpfs", 0, "size=6m,mode=700") == 0)
        defer { umount2(disk.path, Int32(MNT_DETACH)) }
        let house = try House(on: disk)
        let romeo = try house.connect("romeo")
        let juliet = try house.connect("juliet")
        let body = String(repeating: "x", count: 30_000)
        var accepted = 0
        var reason = 1
        while reason == 1 {
            reason = try romeo.publish(body, to: "juliet", number: "n\(accepted)").reason
            accepted += reason == 1 ? 1 : 0
            try #require(accepted < 1000)
        }
        #expect(reason == 15)
        #expect(try juliet.receive(accepted).count == accepted)
        #expect(try romeo.publish("typing", to: "juliet", header: "\"noPersist\":true").reason == 1)
        #expect(mount("tmpfs", disk.path, "tmpfs", UInt(MS_REMOUNT), "size=64m,mode=700") == 0)
        house.server.store.runHousekeeping()
        let next = try romeo.publish(body, to: "juliet", number: "n\(accepted)")
        #expect(next.reason == 1 && next.sequence == Int64(accepted + 1))
        house.stop()
        #expect(try house.findings() == [])
    }
}
