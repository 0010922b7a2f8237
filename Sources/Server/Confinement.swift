import CLinux
import Configuration
import Glibc

/// Rules under which the server puts itself at its start, for good: it writes in its own folders alone, reads those,
/// the system's and what the settings name, and runs no program (`docs/adr/0046`).
///
/// The kernel keeps them with Landlock, from version 2 on (Linux 5.19): the first one knows no links and renames
/// between folders, which contents are moved by.
struct Confinement: Hashable {
    /// Least version of Landlock that the server can work under.
    private static let leastVersion = 2
    /// Folders of the system: name look-ups, their modules, time zones, the state of the process.
    private static let systemFolders = ["/etc", "/usr", "/lib", "/lib64", "/proc", "/sys", "/dev", "/run"]
    /// Files of the system that are often links to somewhere else.
    private static let systemFiles = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/localtime"]
    /// Folders below which disks are mounted. A rule for a folder does not hold for a disk that is mounted over it
    /// later, so what lies below one of these gets a rule for all of it.
    private static let mountFolders = ["/mnt", "/media", "/run/media"]
    /// Entries of the data folder that are looked at for links to other places.
    private static let mostEntries = 1000

    /// Rights on files, by the kernel's numbers. Source: `LANDLOCK_ACCESS_FS_*` in linux/landlock.h.
    private enum Rights {
        /// Reading files and listing folders.
        static let read: UInt64 = 1 << 2 | 1 << 3
        /// Writing, removing and making files, folders, sockets and links, and moving them between folders.
        static let write: UInt64 = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 12 | 1 << 13
        /// Making devices and pipes, and running programs: never allowed.
        static let never: UInt64 = 1 << 0 | 1 << 6 | 1 << 10 | 1 << 11
        /// Cutting files, from version 3 on.
        static let truncate: UInt64 = 1 << 14
    }

    /// Reason why the server is not under the rules.
    struct Failure: Error, Hashable, CustomStringConvertible {
        var description: String

        /// The step that the kernel refused, with its reason.
        init(refused step: String) { self.description = "\(step): \(String(cString: strerror(clinux_errno())))" }
        init(version: Int) { self.description = "the kernel has Landlock \(version), and 2 or newer is needed" }
    }

    /// Folders that are written and read.
    var writable: [String]
    /// Folders that are read.
    var readable: [String]

    /// The rules for a server with these options. A folder that does not exist yet stands for the one in which it
    /// will be made.
    init(_ options: ServerOptions) {
        let folder = options.store.folder
        let others = [options.files.directory, options.backup.directory, options.operators.folder].compactMap(\.self)
        let folders = [folder] + others.map(Self.mountFolder)
        self.writable = folders.map(Self.existing) + Self.links(in: folder)
        let files =
            options.certificates.flatMap { [$0.certificate, $0.key] }
            + [options.settings.path, options.settings[Keys.hooksCAFile]].compactMap(\.self)
        self.readable = Self.systemFolders + Self.systemFiles.compactMap(Self.realPath)
        for file in files where !file.isEmpty {
            // A renewed certificate may be another file in the same folder, or behind the same link.
            self.readable.append(Self.parent(of: file))
            if let real = Self.realPath(of: file) { self.readable.append(Self.parent(of: real)) }
        }
    }

    /// Puts the calling thread and all that it makes under the rules. Call it before any other thread is made.
    ///
    /// - Returns: the version of Landlock that keeps them.
    /// - Throws: the reason why nothing has changed, but that the process gets no more rights.
    func enforce() throws(Failure) -> Int {
        let version = Int(clinux_landlock_version())
        guard clinux_no_new_privileges() == 0 else { throw Failure(refused: "no_new_privs") }
        guard version >= Self.leastVersion else { throw Failure(version: version) }
        let write = version >= 3 ? Rights.write | Rights.truncate : Rights.write
        let rules = clinux_landlock_rules(Rights.read | Rights.never | write)
        guard rules >= 0 else { throw Failure(refused: "landlock_create_ruleset") }
        defer { close(rules) }
        for path in self.writable {
            guard clinux_landlock_allow(rules, Rights.read | write, path) == 0 else { throw Failure(refused: path) }
        }
        // Paths that are not there cannot be read; that is no mistake.
        for path in self.readable { _ = clinux_landlock_allow(rules, Rights.read, path) }
        guard clinux_landlock_enforce(rules) == 0 else { throw Failure(refused: "landlock_restrict_self") }
        return version
    }

    /// The folder of mounts that the path lies below, else the path.
    private static func mountFolder(_ path: String) -> String {
        Self.mountFolders.first { path.hasPrefix($0 + "/") } ?? path
    }

    /// The path, or the nearest folder above it that exists.
    private static func existing(_ path: String) -> String {
        var path = path
        while access(path, F_OK) != 0, path != "/", path != "." { path = Self.parent(of: path) }
        return path
    }

    /// Places that entries of the folder link to: an operator may have moved `files` to another disk.
    private static func links(in folder: String) -> [String] {
        guard let open = opendir(folder) else { return [] }
        defer { closedir(open) }
        var links: [String] = []
        var looked = 0
        while let entry = readdir(open), looked < Self.mostEntries {
            looked += 1
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            let path = "\(folder)/\(name)"
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { continue }
            if let real = Self.realPath(of: path) { links.append(real) }
        }
        return links
    }

    private static func parent(of path: String) -> String {
        var trimmed = Substring(path)
        while trimmed.utf8.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    private static func realPath(of path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
