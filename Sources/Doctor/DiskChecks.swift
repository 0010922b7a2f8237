import CLinux
import Glibc

/// Fewest files that should still fit on the disk.
private let fewFiles: UInt64 = 10_000

/// Check of free bytes and files on the file system.
func checkRoom(_ path: String, stopsBelow: Int64, lowBelow: Int64) -> [Finding] {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return [] }
    let free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    let room = judgeRoom(path, free: free, stopsBelow: stopsBelow, lowBelow: lowBelow)
    // A file system without a fixed number of files says 0 of 0.
    guard status.f_files > 0 else { return [room] }
    return [room, judgeFiles(path, left: UInt64(status.f_favail))]
}

func judgeRoom(_ path: String, free: Int64, stopsBelow: Int64, lowBelow: Int64) -> Finding {
    let values = ["path": path, "free": readableBytes(free), "bound": readableBytes(stopsBelow)]
    if free < stopsBelow {
        return Finding(
            .problem, "room.none", "{free} are free on the disk of {path}: below {bound} messages are refused",
            advice: "free some room or move the data folder to a larger disk; the server goes on by itself",
            values: values)
    }
    if free < lowBelow {
        return Finding(
            .advice, "room.low", "{free} are free on the disk of {path}: below {bound} messages are refused",
            advice: "free some room soon", values: values)
    }
    return Finding(.ok, "room.good", "{free} are free on the disk of {path}", values: values)
}

func judgeFiles(_ path: String, left: UInt64) -> Finding {
    let values = ["path": path, "count": String(left)]
    guard left < fewFiles else {
        return Finding(.ok, "files.good", "{count} more files fit on the disk of {path}", values: values)
    }
    return Finding(
        .problem, "files.few", "only {count} more files fit on the disk of {path} (inodes)",
        advice: "delete small files nobody needs, or move the data folder to another disk", values: values)
}

/// Check of the file system that holds the data, by the numbers in Linux's `magic.h`.
func checkFileSystem(_ path: String) -> [Finding] {
    var magic: UInt32 = 0
    guard clinux_file_system(path, &magic) == 0 else { return [] }
    return [judgeFileSystem(path, magic: magic)]
}

func judgeFileSystem(_ path: String, magic: UInt32) -> Finding {
    switch magic {
    case 0x6969: networkFileSystem(path, "NFS")
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: networkFileSystem(path, "SMB")
    case 0x0102_1997: networkFileSystem(path, "9P")
    case 0x00C3_6400: networkFileSystem(path, "Ceph")
    case 0x5346_414F, 0x6B41_4653: networkFileSystem(path, "AFS")
    case 0x0102_1994, 0x8584_58F6:
        Finding(
            .problem, "file_system.memory", "the data folder {path} lies in memory (tmpfs): a restart loses all of it",
            advice: "choose a folder on a disk with --data", values: ["path": path])
    case 0x794C_7630:
        Finding(
            .advice, "file_system.layer",
            "the data folder {path} lies in a container's own layer: it goes when the container is removed",
            advice: "mount a volume there", values: ["path": path])
    case 0x6573_5546:
        Finding(
            .advice, "file_system.fuse", "the data folder {path} lies on a FUSE file system",
            advice: "make sure that it is local and honours fsync and file locks, or choose another folder",
            values: ["path": path])
    default:
        Finding(.ok, "file_system.good", "the data folder {path} lies on a local disk", values: ["path": path])
    }
}

private func networkFileSystem(_ path: String, _ kind: String) -> Finding {
    Finding(
        .problem, "file_system.network",
        "the data folder {path} lies on a network file system ({kind}): SQLite's log needs a local disk",
        advice: "choose a folder on a local disk with --data, and put the backups on the network",
        values: ["path": path, "kind": kind])
}

/// How long the disk takes to make a page durable: every acknowledged message waits for it once.
func checkSync(_ path: String) -> [Finding] {
    guard let status = try? FileStatus(path: path), status.isFolder else { return [] }
    do throws(SystemError) {
        return [judgeSync(path, microseconds: try measureSync(path))]
    } catch {
        return [
            Finding(
                .problem, "sync.failed", "a file in {path} cannot be written and synced: {reason}",
                advice: "check that the folder belongs to the server's user, that the disk has room, and dmesg",
                values: ["path": path, "reason": error.text])
        ]
    }
}

/// Writes and syncs a page a few times in a file of its own.
///
/// - Returns: how long each sync took, microseconds.
func measureSync(_ path: String, rounds: Int = 9) throws(SystemError) -> [Int64] {
    var name = Array("\(path)/.doctor-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    unlink(name)
    let page = [UInt8](repeating: 0x74, count: 4_096)
    var times: [Int64] = []
    for round in 0..<rounds {
        guard pwrite(descriptor, page, page.count, off_t(round * page.count)) == page.count else {
            throw SystemError.last
        }
        let start = clinux_monotonic_nanoseconds()
        guard fdatasync(descriptor) == 0 else { throw SystemError.last }
        times.append((clinux_monotonic_nanoseconds() - start) / 1_000)
    }
    return times
}

func judgeSync(_ path: String, microseconds times: [Int64]) -> Finding {
    let sorted = times.sorted()
    let (middle, most) = (sorted[sorted.count / 2], sorted[sorted.count - 1])
    let values = ["path": path, "middle": milliseconds(middle), "most": milliseconds(most)]
    let found = "the disk of {path} makes a page durable in {middle} ms (most: {most} ms)"
    if middle > 20_000 {
        return Finding(
            .advice, "sync.slow", "\(found): messages wait for it",
            advice: "move the data folder to an SSD if people wait for their messages", values: values)
    }
    if middle < 20 {
        return Finding(
            .advice, "sync.too_fast", "\(found): no disk is that fast",
            advice:
                "check that disk, controller or virtual machine do not ignore syncs: a power cut would lose messages",
            values: values)
    }
    return Finding(.ok, "sync.good", found, values: values)
}

/// Microseconds as milliseconds with two decimals.
private func milliseconds(_ microseconds: Int64) -> String {
    let hundredths = microseconds / 10
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}
