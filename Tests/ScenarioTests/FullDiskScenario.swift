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
        #expect(mount("tmpfs", disk.path, "tmpfs", 0, "size=24m,mode=700") == 0)
        defer { umount2(disk.path, Int32(MNT_DETACH)) }
        let server = try TestServer(on: disk) { options in
            // The reserve that a server has: what was acknowledged from the log finds room in it.
            options.store.ballastBytes = 6 * 1_024 * 1_024
            options.store.logRoomBytes = nil
        }
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let body = String(repeating: "x", count: 30_000)
        var accepted = 0
        var reason = 1
        while reason == 1 {
            reason = try romeo.publish(body, to: "juliet", number: "n\(accepted)").reason
            accepted += reason == 1 ? 1 : 0
            try #require(accepted < 5000)
        }
        #expect(reason == 15)
        #expect(try juliet.receive(accepted).count == accepted)
        #expect(try romeo.publish("typing", to: "juliet", header: "\"noPersist\":true").reason == 1)
        #expect(mount("tmpfs", disk.path, "tmpfs", UInt(MS_REMOUNT), "size=512m,mode=700") == 0)
        server.server.store.runMaintenance()
        let next = try romeo.publish(body, to: "juliet", number: "n\(accepted)")
        #expect(next.reason == 1 && next.sequence == Int64(accepted + 1))
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test(
        "an upload that fills the disk is refused with 507, and goes on to its end when there is room",
        .enabled(if: canMount, "needs root, to mount a small file system"))
    func filledByAnUpload() throws {
        let disk = TemporaryFolder()
        #expect(mount("tmpfs", disk.path, "tmpfs", 0, "size=8m,mode=700") == 0)
        defer { umount2(disk.path, Int32(MNT_DETACH)) }
        let server = try TestServer(on: disk) { options in
            options.files.transfers.stopUploadsFreeBytes = 0
            options.files.transfers.stopUploadsFreePercent = 0
        }
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let token = try server.token("romeo", .app)
        let whole = Sample.text(300_000)
        let kept = try server.upload(token, whole)
        let content = Sample.noise(9_000_000)
        let place = try server.beginUpload(token, size: content.count)

        var offset = 0
        var reply = try server.patch(place, token: token, at: 0, Self.piece(of: content, at: 0))
        while reply.status == 204 {
            offset = try #require(Int(reply.headers["upload-offset"] ?? ""))
            try #require(offset < content.count)
            reply = try server.patch(place, token: token, at: offset, Self.piece(of: content, at: offset))
        }
        #expect(reply.status == 507 && reply.headers["tus-resumable"] == "1.0.0")
        #expect(reply.json["error"]?.string == "there is no room for more files: the operator has to make some")

        // What a full disk does to messages is another scenario: here what is acknowledged must be there.
        var accepted = 0
        var reason = 1
        while reason == 1, accepted < 200 {
            reason = try romeo.publish("still there?", to: "juliet", number: "n\(accepted)").reason
            accepted += reason == 1 ? 1 : 0
        }
        #expect(reason == 1 || reason == 15)
        #expect(try juliet.receive(accepted).count == accepted)
        #expect(try server.http("GET", kept, token: token).body == whole)
        let told = try server.tus("HEAD", place, token: token).headers["upload-offset"]
        #expect(told == String(offset))

        #expect(mount("tmpfs", disk.path, "tmpfs", UInt(MS_REMOUNT), "size=64m,mode=700") == 0)
        server.server.store.runMaintenance()
        while offset < content.count {
            reply = try server.patch(place, token: token, at: offset, Self.piece(of: content, at: offset))
            try #require(reply.status == 204)
            offset = try #require(Int(reply.headers["upload-offset"] ?? ""))
        }
        let file = try #require(reply.headers["teahouse-file"])
        #expect(try server.http("GET", "/api/v1/files/\(file)", token: token).body == content)
        #expect(try server.http("GET", kept, token: token).body == whole)
        let next = try romeo.publish("here it is: \(file)", to: "juliet", number: "n\(accepted)")
        #expect(next.reason == 1 && next.sequence == Int64(accepted + 1))
        server.stop()
        #expect(try server.findings() == [])
    }

    private static func piece(of content: [UInt8], at offset: Int) -> [UInt8] {
        Array(content[offset...].prefix(700_000))
    }
}
