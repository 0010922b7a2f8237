import ChatModel
import Execution
import FileStore
import Glibc
import TeahouseTesting
import Testing

@Suite("Contents on a disk that is full, slow to keep or shared")
struct DiskHardshipTests {
    private static let piece = 262_144

    private static let canMount: Bool = {
        let probe = TemporaryFolder()
        guard geteuid() == 0, mount("tmpfs", probe.path, "tmpfs", 0, "size=1m") == 0 else { return false }
        umount(probe.path)
        return true
    }()

    /// A file system of its own, unmounted with the object.
    private final class SmallDisk {
        let temporary = TemporaryFolder()

        init(_ options: String) {
            #expect(mount("tmpfs", self.temporary.path, "tmpfs", 0, "mode=700," + options) == 0)
        }

        func grow(to size: String) {
            #expect(mount("tmpfs", self.temporary.path, "tmpfs", UInt(MS_REMOUNT), "mode=700,size=" + size) == 0)
        }

        deinit { umount2(self.temporary.path, Int32(MNT_DETACH)) }
    }

    private static func whole(_ object: StoredObject, in folder: ObjectFolder) throws -> [UInt8] {
        let reader = try folder.open(object)
        var content: [UInt8] = []
        while true {
            let bytes = try reader.read(at: Int64(content.count), atMost: 100_000)
            if bytes.isEmpty { return content }
            content += bytes
        }
    }

    @Test(
        "a full disk refuses an upload, loses nothing that was kept, and takes the rest when there is room",
        .enabled(if: canMount, "needs root, to mount a small file system"))
    func fullDisk() throws {
        let disk = SmallDisk("size=2m")
        let folder = try ObjectFolder(disk.temporary.path)
        let small = Content.text(50_000)
        let kept = try Self.upload(small, into: folder)
        let content = Content.noise(3_000_000)
        let sink = try folder.newUpload(Disk.key(1))
        try Disk.write(content[..<500_000], to: sink)
        try sink.sync()
        #expect(throws: FileStoreError.full) { try Disk.write(content[500_000...], to: sink) }
        let reached = Int(sink.offset)
        #expect(reached >= 500_000 && reached < content.count)
        #expect(try Self.whole(kept, in: folder) == small)
        // As it goes on in the same process, with the bytes that were not taken.
        disk.grow(to: "16m")
        try Disk.write(content[reached...], to: sink)
        let object = try sink.finish()
        try sink.place()
        sink.cleanUp()
        #expect(try Self.whole(object, in: folder) == content)
    }

    @Test(
        "an upload that a full disk ended goes on after a restart where it was kept",
        .enabled(if: canMount, "needs root, to mount a small file system"))
    func fullDiskAndRestart() throws {
        let disk = SmallDisk("size=2m")
        let content = Content.noise(3_000_000)
        do {
            let folder = try ObjectFolder(disk.temporary.path)
            let sink = try folder.newUpload(Disk.key())
            try Disk.write(content[..<500_000], to: sink)
            try sink.sync()
            #expect(throws: FileStoreError.full) { try Disk.write(content[500_000...], to: sink) }
        }
        disk.grow(to: "16m")
        let folder = try ObjectFolder(disk.temporary.path)
        let sink = try #require(try folder.resumeUpload(Disk.key()))
        #expect(sink.offset == 500_000)
        try Disk.write(content[500_000...], to: sink)
        let object = try sink.finish()
        try sink.place()
        #expect(try Self.whole(object, in: folder) == content)
    }

    @Test(
        "reading needs no room, even where the index was lost",
        .enabled(if: canMount, "needs root, to mount a small file system"))
    func readingWhenFull() throws {
        let disk = SmallDisk("size=4m,nr_inodes=64")
        let folder = try ObjectFolder(disk.temporary.path)
        let content = Content.text(900_000)
        let object = try Self.upload(content, into: folder)
        let hex = object.hash.hex
        unlink("\(disk.temporary.path)/objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex).idx")
        var fillers = 0
        while let file = fopen("\(disk.temporary.path)/filler\(fillers)", "w") {
            fclose(file)
            fillers += 1
            try #require(fillers < 100)
        }
        #expect(try #require(folder.room()).freeBytes == 0)
        #expect(try Self.whole(object, in: folder) == content)
    }

    private static func upload(
        _ content: [UInt8], into folder: ObjectFolder, key: TransferKey = Disk.key()
    ) throws -> StoredObject {
        let sink = try folder.newUpload(key)
        try Disk.write(content[...], to: sink)
        let object = try sink.finish()
        try sink.place()
        sink.cleanUp()
        return object
    }

    @Test("what shrinks to nothing is written and read a chunk at a time, and by parts")
    func bomb() throws {
        let disk = try Disk()
        let size = 64 * 1024 * 1024
        let zeros = [UInt8](repeating: 0, count: 1024 * 1024)
        let sink = try disk.folder.newUpload(Disk.key())
        for _ in 0..<64 { try Disk.write(zeros[...], to: sink, by: zeros.count) }
        let object = try sink.finish()
        try sink.place()
        sink.cleanUp()
        #expect(object.size == Int64(size))
        #expect(object.storedSize < 200_000)
        let reader = try disk.folder.open(object)
        var offset: Int64 = 0
        var most = 0
        while true {
            let bytes = try reader.read(at: offset, atMost: Int.max)
            if bytes.isEmpty { break }
            most = max(most, bytes.count)
            offset += Int64(bytes.count)
        }
        #expect(offset == object.size)
        #expect(most == Self.piece)
        #expect(try reader.readStored(at: 10, atMost: Int.max).count < 1_000)
    }

    @Test("the same content from many at once is one object, whole")
    func together() throws {
        let disk = try Disk()
        let content = Content.text(400_000)
        let results = Lock<[StoredObject]>([])
        let failures = Lock<[String]>([])
        let threads = (0..<8).map { number in
            Thread(name: "upload-\(number)") {
                for round in 0..<4 {
                    do {
                        let object = try disk.upload(content, key: Disk.key(UInt8(number * 4 + round)))
                        results.withLock { $0.append(object) }
                        if try disk.content(object) != content { failures.withLock { $0.append("other bytes") } }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == [])
        #expect(Set(results.withLock { $0 }).count == 1)
        #expect(Disk.files(below: disk.path) == 2)
    }

    @Test("bytes that were taken back after they were kept do not come back with a restart", arguments: [10, 300_000])
    func takenBackAfterSync(_ count: Int) throws {
        let disk = try Disk()
        let content = Content.text(900_000)
        do {
            let sink = try disk.folder.newUpload(Disk.key())
            try Disk.write(content[..<300_000], to: sink)
            try sink.sync()
            sink.mark()
            try Disk.write(Content.noise(count)[...], to: sink)
            try sink.sync()
            try sink.rollback()
            try Disk.write(content[300_000..<310_000], to: sink)
        }
        let sink = try #require(try disk.folder.resumeUpload(Disk.key()))
        #expect(sink.offset == 300_000)
        try Disk.write(content[300_000...], to: sink)
        let object = try sink.finish()
        try sink.place()
        #expect(try disk.content(object) == content)
    }

    @Test("an index without an object is an orphan, and removed like one")
    func loneIndex() throws {
        let disk = try Disk()
        let object = try disk.upload(Content.text(1_000))
        unlink(disk.objectPath(object))
        #expect(disk.folder.orphans(olderThanMilliseconds: -1_000) { _ in false } == [object.hash])
        try disk.folder.remove(object)
        #expect(Disk.files(below: disk.path) == 0)
    }

    @Test("a folder that is a link is not followed, to write or to read")
    func linkedFolder() throws {
        let disk = try Disk()
        let elsewhere = TemporaryFolder()
        let content = Content.text(1_000)
        let object = try disk.upload(content)
        let outer = "\(disk.path)/objects/\(object.hash.hex.prefix(2))"
        rename(outer, "\(elsewhere.path)/moved")
        symlink("\(elsewhere.path)/moved", outer)
        #expect(throws: FileStoreError.self) { try disk.folder.open(object) }
        #expect(throws: FileStoreError.self) { try disk.upload(content, key: Disk.key(1)) }
        #expect(Disk.files(below: elsewhere.path) == 2)
    }

    @Test("a flipped bit anywhere in the index never gives other bytes")
    func indexFlips() throws {
        let disk = try Disk()
        let content = Content.text(600_000) + Content.noise(300_000)
        let object = try disk.upload(content)
        let good = Disk.bytes(disk.indexPath(object))
        for at in good.indices {
            var bad = good
            bad[at] ^= UInt8(1 << (at % 8))
            Disk.overwrite(disk.indexPath(object), bad)
            let reader = try disk.folder.open(object)
            #expect(try reader.read(at: 524_288, atMost: 100) == Array(content[524_288..<524_388]))
        }
    }

    /// What may happen to an upload, in any order.
    private enum Happening: CaseIterable {
        case write, writeMuch, sync, mark, rollback, restart
    }

    @Test(
        "after any sequence of writing, keeping, taking back and restarts the content is what was last said",
        arguments: 0..<12)
    func anything(_ seed: Int) throws {
        var random = Dice(state: UInt64(seed) &* 7_919 &+ 1)
        let disk = try Disk()
        var sink: any UploadSink = try disk.folder.newUpload(Disk.key())
        var said: [UInt8] = []
        var kept = 0
        var marked: Int?
        for step in 0..<60 {
            switch Happening.allCases[Int(random.next() % 6)] {
            case .write, .writeMuch:
                let count = step % 3 == 0 ? Int(random.next() % 400_000) : Int(random.next() % 5_000)
                let bytes =
                    random.next() % 2 == 0 ? Content.text(count, seed: step) : Content.noise(count, seed: UInt64(step))
                try Disk.write(bytes[...], to: sink)
                said += bytes
            case .sync:
                try sink.sync()
                kept = said.count
            case .mark:
                sink.mark()
                marked = said.count
            case .rollback:
                guard let place = marked else { continue }
                try sink.rollback()
                said.removeLast(said.count - place)
                kept = min(kept, said.count)
                marked = nil
            case .restart:
                sink = try #require(try disk.folder.resumeUpload(Disk.key()))
                said.removeLast(said.count - kept)
                marked = nil
            }
            #expect(sink.offset == Int64(said.count))
        }
        let object = try sink.finish()
        try sink.place()
        sink.cleanUp()
        #expect(try disk.content(object) == said)
        try disk.folder.check(object) { _ in true }
        #expect(Disk.files(below: disk.path) == 2)
    }

    /// The same numbers for the same seed (SplitMix64).
    private struct Dice {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = self.state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
