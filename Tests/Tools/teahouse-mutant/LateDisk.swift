import Execution
import Glibc
import MessageLog

/// A folder's disk whose syncs return at once and are carried out a moment later.
final class LateDisk: LogDisk {
    private let disk: FolderDisk
    /// Descriptors of files to sync; a file of `FolderDisk` is known by its descriptor.
    private let due: ConditionLock<[Int32]>
    private let thread: Thread

    init(_ path: String, microseconds: useconds_t) throws(LogError) {
        self.disk = try FolderDisk(path)
        let due = ConditionLock<[Int32]>([])
        self.due = due
        self.thread = Thread(name: "late-disk") {
            while true {
                let files = due.waitForWork(until: { !$0.isEmpty }) { files in
                    defer { files = [] }
                    return files
                }
                usleep(microseconds)
                for file in Set(files) { fdatasync(file) }
            }
        }
    }

    func names() throws(LogError) -> [String] { try self.disk.names() }
    func open(_ name: String) throws(LogError) -> Int { try self.disk.open(name) }
    func create(_ name: String) throws(LogError) -> Int { try self.disk.create(name) }
    func size(_ file: Int) throws(LogError) -> Int { try self.disk.size(file) }
    func read(_ file: Int) throws(LogError) -> [UInt8] { try self.disk.read(file) }
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int, at offset: Int) throws(LogError) {
        try self.disk.write(bytes, to: file, at: offset)
    }
    func sync(_ file: Int) throws(LogError) { self.due.change { $0.append(Int32(file)) } }
    func rename(_ name: String, to new: String) throws(LogError) { try self.disk.rename(name, to: new) }
    func remove(_ name: String) throws(LogError) { try self.disk.remove(name) }
    func syncFolder() throws(LogError) { try self.disk.syncFolder() }
    func close(_ file: Int) { self.disk.close(file) }
}
