import CLinux
import Glibc

/// Result of `stat` for a path, links followed.
struct FileStatus {
    var mode: UInt32
    var owner: UInt32

    var isFolder: Bool { self.mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    var isRegular: Bool { self.mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
    /// As for `chmod`: `640`.
    var permissions: String { String(self.mode & 0o7777, radix: 8) }
    var isReadableByOthers: Bool { self.mode & 0o004 != 0 }
    var isWritableByOthers: Bool { self.mode & 0o022 != 0 }

    /// - Throws: `SystemError`.
    init(path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError.last }
        self.mode = status.st_mode
        self.owner = status.st_uid
    }
}

/// An `errno`.
struct SystemError: Error, Equatable {
    var number: Int32

    static var last: SystemError { SystemError(number: clinux_errno()) }

    var isMissing: Bool { self.number == ENOENT || self.number == ENOTDIR }
    var text: String { String(cString: strerror(self.number)) }
}

/// The name of a user, or the number when nobody has it.
func userName(_ number: UInt32) -> String {
    guard let entry = getpwuid(number) else { return String(number) }
    return String(cString: entry.pointee.pw_name)
}

/// The beginning of a text file, at most 16 KiB; `nil` when it cannot be read.
func smallFile(_ path: String) -> String? {
    let descriptor = clinux_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    var filled = 0
    while filled < bytes.count {
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + filled, $0.count - filled) }
        if count <= 0 { break }
        filled += count
    }
    return String(decoding: bytes.prefix(filled), as: UTF8.self)
}

/// A number of bytes for people: `1.5 GiB`.
func readableBytes(_ count: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var (whole, tenths, unit) = (max(0, count), Int64(0), 0)
    while whole >= 1_024 && unit < units.count - 1 {
        tenths = (whole % 1_024) * 10 / 1_024
        whole /= 1_024
        unit += 1
    }
    return tenths == 0 ? "\(whole) \(units[unit])" : "\(whole).\(tenths) \(units[unit])"
}
