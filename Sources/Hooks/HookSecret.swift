import CLinux
import Glibc

/// Why a secret cannot be used.
package enum HookSecretError: Error, Hashable, CustomStringConvertible {
    case unreadable(path: String, code: Int32)
    /// Others may read the file.
    case exposed(path: String)
    case tooShort(path: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let code):
            "the secret \(path) cannot be read: \(String(cString: strerror(code)))"
        case .exposed(let path):
            "the secret \(path) may be read by others: chmod 600 \(path), or 640 with the group of teahouse"
        case .tooShort(let path):
            "the secret \(path) needs \(HookSecret.minimumBytes) to \(HookSecret.maximumBytes) bytes: "
                + "openssl rand -hex 32 > \(path)"
        }
    }
}

/// The secret that signs requests: the bytes of a file without white space at its end.
package enum HookSecret {
    /// Minimum bytes of a secret.
    package static let minimumBytes = 16
    /// Maximum bytes of a secret.
    package static let maximumBytes = 1024

    /// - Throws: when the file cannot be read, may be read by everybody, or holds too little or too much.
    package static func read(_ path: String) throws(HookSecretError) -> [UInt8] {
        let descriptor = clinux_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .unreadable(path: path, code: clinux_errno()) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .unreadable(path: path, code: clinux_errno()) }
        guard facts.st_mode & 0o027 == 0 else { throw .exposed(path: path) }
        let room = Self.maximumBytes + 1
        var bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            // SAFETY: `read` writes at most `room` bytes; a failure leaves the array empty.
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, room))
        }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        guard (Self.minimumBytes...Self.maximumBytes).contains(bytes.count) else { throw .tooShort(path: path) }
        return bytes
    }
}
