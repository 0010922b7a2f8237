import ChatModel
import Execution
import FileStore
import Glibc
import TeahouseTesting
import Testing

@Suite("Contents on the disk")
struct ObjectFolderTests {
    private static let piece = 262_144

    @Test(
        "what was uploaded is read again, byte for byte, whatever its size",
        arguments: [0, 1, 63, 1000, 65_535, 262_143, 262_144, 262_145, 524_288, 1_500_001])
    func sizes(_ size: Int) throws {
        for content in [Content.text(size), Content.noise(size)] {
            let disk = try Disk()
            let object = try disk.upload(content)
            #expect(object.size == Int64(size))
            #expect(try disk.content(object) == content)
            #expect(Disk.bytes(disk.objectPath(object)).count == Int(object.storedSize))
            try disk.folder.check(object) { _ in true }
            #expect(Disk.files(below: disk.path + "/tmp") == 0)
        }
    }

    @Test("zcat prints what a compressed object holds")
    func zcat() throws {
        let disk = try Disk()
        let content = Content.text(700_000) + Content.noise(600_000) + Content.text(300_000, seed: 9)
        let object = try disk.upload(content)
        #expect(object.codec == .gzip)
        #expect(object.storedSize < object.size)
        let printed = try #require(popen("zcat '\(disk.objectPath(object))'", "r"))
        var bytes = [UInt8](repeating: 0, count: content.count + 1)
        let count = fread(&bytes, 1, bytes.count, printed)
        #expect(pclose(printed) == 0)
        #expect(Array(bytes.prefix(count)) == content)
    }

    @Test("what does not shrink is kept as it is, and so is everything in a folder elsewhere")
    func plain() throws {
        let disk = try Disk()
        let noise = Content.noise(800_000)
        let object = try disk.upload(noise)
        #expect(object.codec == .plain)
        #expect(Disk.bytes(disk.objectPath(object)) == noise)
        let elsewhere = try Disk(.directory)
        let text = try elsewhere.upload(Content.text(300_000))
        #expect(text.codec == .plain)
        #expect(text.provider == "directory")
        #expect(Disk.bytes(elsewhere.objectPath(text)) == Content.text(300_000))
    }

    @Test("any part is the same part of the content", arguments: [true, false])
    func ranges(_ shrinks: Bool) throws {
        let disk = try Disk()
        let content = shrinks ? Content.text(1_300_000) : Content.noise(1_300_000)
        let reader = try disk.folder.open(try disk.upload(content))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let start = Int.random(in: 0..<content.count, using: &random)
            let wanted = Int.random(in: 1...400_000, using: &random)
            let bytes = try reader.read(at: Int64(start), atMost: wanted)
            #expect(!bytes.isEmpty && bytes.count <= wanted)
            #expect(bytes == Array(content[start..<start + bytes.count]))
        }
        #expect(try reader.read(at: Int64(content.count), atMost: 1).isEmpty)
    }

    @Test("the stored bytes are given as they are")
    func stored() throws {
        let disk = try Disk()
        let object = try disk.upload(Content.text(900_000))
        let reader = try disk.folder.open(object)
        var bytes: [UInt8] = []
        while true {
            let next = try reader.readStored(at: Int64(bytes.count), atMost: 7_777)
            if next.isEmpty { break }
            bytes += next
        }
        #expect(bytes == Disk.bytes(disk.objectPath(object)))
    }

    @Test("the same content twice is one object, and comes with no trace of the other")
    func twice() throws {
        let disk = try Disk()
        let first = try disk.upload(Content.text(400_000))
        let before = Disk.files(below: disk.path)
        let second = try disk.upload(Content.text(400_000), key: Disk.key(1))
        #expect(first == second)
        #expect(Disk.files(below: disk.path) == before)
        try disk.folder.remove(first)
        #expect(Disk.files(below: disk.path) == 0)
        #expect(throws: FileStoreError.missing(first.hash)) { try disk.folder.open(first) }
    }

    // MARK: Damage

    @Test("a flipped bit anywhere is never read as the content", arguments: [true, false])
    func bitFlips(_ shrinks: Bool) throws {
        let disk = try Disk()
        let content = shrinks ? Content.text(700_000) : Content.noise(700_000)
        let object = try disk.upload(content)
        let path = disk.objectPath(object)
        let good = Disk.bytes(path)
        for at in [0, 4, 9, 10, 300, good.count / 3, good.count / 2, good.count - 11, good.count - 5, good.count - 1] {
            var bad = good
            bad[at] ^= 0x10
            Disk.overwrite(path, bad)
            #expect(throws: FileStoreError.damaged(object.hash)) { try disk.folder.check(object) { _ in true } }
            // What is read before the damage is right; the damaged piece is not given.
            let read = try? disk.content(object)
            #expect(read == nil || read == content)
        }
        Disk.overwrite(path, good)
        try disk.folder.check(object) { _ in true }
    }

    @Test("a shortened object is damaged before a byte of it is read")
    func shortened() throws {
        let disk = try Disk()
        let object = try disk.upload(Content.noise(500_000))
        let path = disk.objectPath(object)
        truncate(path, 499_999)
        #expect(throws: FileStoreError.damaged(object.hash)) { try disk.folder.open(object) }
    }

    @Test("an index that is lost or damaged is made again from the object", arguments: [true, false])
    func lostIndex(_ shrinks: Bool) throws {
        let disk = try Disk()
        let content =
            shrinks ? Content.text(600_000) + Content.noise(300_000) + Content.text(200_000) : Content.noise(700_000)
        let object = try disk.upload(content)
        let index = Disk.bytes(disk.indexPath(object))
        unlink(disk.indexPath(object))
        #expect(try disk.content(object) == content)
        #expect(Disk.bytes(disk.indexPath(object)) == index)
        var bad = index
        bad[index.count / 2] ^= 1
        Disk.overwrite(disk.indexPath(object), bad)
        #expect(try disk.content(object) == content)
        #expect(Disk.bytes(disk.indexPath(object)) == index)
    }

    @Test("a damaged object is healed by an upload of the same content")
    func healed() throws {
        let disk = try Disk()
        let content = Content.text(500_000)
        let object = try disk.upload(content)
        truncate(disk.objectPath(object), 1000)
        #expect(try disk.upload(content, key: Disk.key(1)) == object)
        #expect(try disk.content(object) == content)
    }

    // MARK: Going on

    @Test("an upload goes on where it was synced, and is the same in the end", arguments: [true, false])
    func resumed(_ shrinks: Bool) throws {
        let disk = try Disk()
        let content = shrinks ? Content.text(1_000_000) : Content.noise(1_000_000)
        let sink = try disk.folder.newUpload(Disk.key())
        try Disk.write(content[..<600_000], to: sink)
        try sink.sync()
        try Disk.write(content[600_000..<900_000], to: sink)
        // What was not synced may be there in part.
        let again = try #require(try disk.folder.resumeUpload(Disk.key()))
        #expect(again.offset == 600_000)
        try Disk.write(content[600_000...], to: again)
        let object = try again.finish()
        try again.place()
        again.cleanUp()
        #expect(try disk.content(object) == content)
        #expect(try disk.upload(content, key: Disk.key(1)) == object)
    }

    @Test("pieces that a power cut has torn have not come")
    func torn() throws {
        let disk = try Disk()
        let content = Content.text(1_000_000)
        let sink = try disk.folder.newUpload(Disk.key())
        try Disk.write(content[..<700_000], to: sink)
        try sink.sync()
        let part = disk.path + "/tmp/\(Disk.key()).part"
        var bytes = Disk.bytes(part)
        bytes[bytes.count - 100] ^= 0xFF
        Disk.overwrite(part, bytes)
        let again = try #require(try disk.folder.resumeUpload(Disk.key()))
        #expect(again.offset == Int64(Self.piece))
        try Disk.write(content[Self.piece...], to: again)
        let object = try again.finish()
        try again.place()
        #expect(try disk.content(object) == content)
    }

    @Test("bytes that were taken back are gone", arguments: [10, 262_144, 300_000])
    func rolledBack(_ count: Int) throws {
        let disk = try Disk()
        let content = Content.text(900_000)
        let sink = try disk.folder.newUpload(Disk.key())
        try Disk.write(content[..<300_000], to: sink)
        sink.mark()
        try Disk.write(Content.noise(count)[...], to: sink)
        try sink.rollback()
        #expect(sink.offset == 300_000)
        try Disk.write(content[300_000...], to: sink)
        let object = try sink.finish()
        try sink.place()
        #expect(try disk.content(object) == content)
    }

    @Test("nothing is there of an upload that was discarded")
    func discarded() throws {
        let disk = try Disk()
        let sink = try disk.folder.newUpload(Disk.key())
        try Disk.write(Content.text(300_000)[...], to: sink)
        try sink.sync()
        #expect(disk.folder.unfinishedUploads().map(\.key) == [Disk.key()])
        disk.folder.discardUpload(Disk.key())
        #expect(disk.folder.unfinishedUploads().isEmpty)
        #expect(try disk.folder.resumeUpload(Disk.key()) == nil)
    }

    /// Fails once, at one step.
    private final class Fault: Sendable {
        private let step: Lock<FileStoreStep?>
        init(_ step: FileStoreStep) { self.step = Lock(step) }
        func disarm() { self.step.withLock { $0 = nil } }
        var faults: FileStoreFaults {
            FileStoreFaults { [step] (now) throws(FileStoreError) in
                if step.withLock({ $0 == now }) { throw .io(action: "go on", errno: EIO) }
            }
        }
    }

    @Test(
        "ended at any step, a content is absent or whole, and the upload can be done again",
        arguments: FileStoreStep.allCases)
    func everyStep(_ step: FileStoreStep) throws {
        let fault = Fault(step)
        let disk = try Disk(faults: fault.faults)
        let content = Content.text(600_000)
        var object: StoredObject?
        do {
            let sink = try disk.folder.newUpload(Disk.key())
            try Disk.write(content[...], to: sink)
            try sink.sync()
            object = try sink.finish()
            try sink.place()
            sink.cleanUp()
            #expect(step == .cleanUp)
        } catch let error as FileStoreError {
            #expect(error == .io(action: "go on", errno: EIO))
        }
        if let object, let read = try? disk.content(object) { #expect(read == content) }
        fault.disarm()
        let sink: any UploadSink
        if let resumed = try disk.folder.resumeUpload(Disk.key()) {
            sink = resumed
        } else {
            sink = try disk.folder.newUpload(Disk.key())
        }
        try Disk.write(content[Int(sink.offset)...], to: sink)
        let whole = try sink.finish()
        try sink.place()
        sink.cleanUp()
        #expect(try disk.content(whole) == content)
        #expect(Disk.files(below: disk.path) == 2)
    }

    // MARK: The folder

    @Test("contents that nobody knows of are found when they are old enough")
    func orphans() throws {
        let disk = try Disk()
        let known = try disk.upload(Content.text(1000))
        let orphan = try disk.upload(Content.noise(1000), key: Disk.key(1))
        #expect(disk.folder.orphans(olderThanMilliseconds: -1000) { $0 == known.hash } == [orphan.hash])
        #expect(disk.folder.orphans(olderThanMilliseconds: 3_600_000) { _ in false }.isEmpty)
    }

    @Test("a link in place of a file is refused, and so is a folder to which others may write")
    func strangers() throws {
        let disk = try Disk()
        let object = try disk.upload(Content.text(1000))
        let path = disk.objectPath(object)
        rename(path, path + ".moved")
        symlink(path + ".moved", path)
        #expect(throws: FileStoreError.self) { try disk.folder.open(object) }
        chmod(disk.path, 0o777)
        #expect(throws: FileStoreError.self) { try ObjectFolder(disk.path) }
    }

    @Test("the room on the disk is told")
    func room() throws {
        let disk = try Disk()
        let room = try #require(disk.folder.room())
        #expect(room.freeBytes > 0 && room.freeBytes <= room.totalBytes)
    }
}
