import CLinux
import ChatModel
import Execution
import FileStore
import Glibc
import TeahouseTesting

/// Uploads into a folder of contents, and what is on the disk then.
struct Disk {
    let temporary: TemporaryFolder
    let folder: ObjectFolder

    init(_ kind: ObjectFolder.Kind = .objects, faults: FileStoreFaults = FileStoreFaults()) throws {
        self.temporary = TemporaryFolder()
        self.folder = try ObjectFolder(self.temporary.path + "/files", kind, faults: faults)
    }

    var path: String { self.temporary.path + "/files" }

    static func key(_ number: UInt8 = 0) -> TransferKey { TransferKey(random: [UInt8](repeating: number, count: 26)) }

    /// Uploads in pieces of a size that fits nothing.
    @discardableResult
    func upload(_ content: [UInt8], key: TransferKey = Disk.key()) throws -> StoredObject {
        let sink = try self.folder.newUpload(key)
        try Self.write(content[...], to: sink)
        let object = try sink.finish()
        try sink.place()
        sink.cleanUp()
        return object
    }

    static func write(_ content: ArraySlice<UInt8>, to sink: any UploadSink, by count: Int = 70_001) throws {
        var rest = content
        while !rest.isEmpty {
            let piece = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            var problem: (any Error)?
            piece.withUnsafeBytes { bytes in
                do { try sink.write(bytes) } catch { problem = error }
            }
            if let problem { throw problem }
        }
    }

    /// All of an object, read from the beginning to the end.
    func content(_ object: StoredObject) throws -> [UInt8] {
        let reader = try self.folder.open(object)
        var content: [UInt8] = []
        while true {
            let bytes = try reader.read(at: Int64(content.count), atMost: 100_000)
            if bytes.isEmpty { return content }
            content += bytes
        }
    }

    func objectPath(_ object: StoredObject) -> String {
        let hex = object.hash.hex
        let suffix = object.codec == .gzip ? ".gz" : ""
        return "\(self.path)/objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)\(suffix)"
    }

    func indexPath(_ object: StoredObject) -> String {
        let hex = object.hash.hex
        return "\(self.path)/objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex).idx"
    }

    static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    static func overwrite(_ path: String, _ bytes: [UInt8]) {
        guard let file = fopen(path, "w") else { return }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    /// How many files there are below a folder.
    static func files(below path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            count += entry.pointee.d_type == UInt8(DT_DIR) ? Self.files(below: "\(path)/\(name)") : 1
        }
        return count
    }
}

/// Contents to upload.
enum Content {
    static func text(_ count: Int, seed: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 64)
        var line = seed
        while bytes.count < count {
            bytes += Array("\(line): 茶馆里的人们在聊天 \(line &* 2_654_435_761 % 977)\n".utf8)
            line += 1
        }
        return Array(bytes.prefix(count))
    }

    /// What does not shrink; the same for the same seed.
    static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            withUnsafeBytes(of: state) { bytes += $0 }
        }
        return Array(bytes.prefix(count))
    }
}
