import CLinux
import CommandLineKit
import Configuration
import Glibc

/// Files and folders of a first run.
enum SetupFiles {
    /// Kind of entry that a path names.
    enum Kind {
        case missing, emptyFolder, folder, file
    }

    /// The path from the root of the disk.
    static func absolute(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return String(cString: here) + "/" + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
    }

    static func kind(of path: String) -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else { return .missing }
        guard status.st_mode & S_IFMT == S_IFDIR else { return .file }
        guard let folder = opendir(path) else { return .folder }
        defer { closedir(folder) }
        // The folder itself and the one above it are always listed.
        var entries = 0
        while readdir(folder) != nil, entries <= 2 { entries += 1 }
        return entries > 2 ? .folder : .emptyFolder
    }

    /// True when the process may write a file beside this one, or make the folder for it.
    static func canWrite(_ path: String) -> Bool {
        var folder = Self.parent(of: path) ?? "/"
        while access(folder, F_OK) != 0, let above = Self.parent(of: folder) { folder = above }
        return access(folder, W_OK | X_OK) == 0
    }

    /// Text of the configuration; `nil` where there is none.
    ///
    /// - Throws: 66 when it is there and cannot be read.
    static func text(of path: String, _ terminal: Terminal) throws(CommandFailure) -> String? {
        if access(path, F_OK) != 0, clinux_errno() == ENOENT { return nil }
        guard let bytes = Settings.contents(of: path), let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.noInput, terminal.text("setup.unreadable", ["path": DisplayText.escaped(path)]))
        }
        return text
    }

    /// Writes the configuration beside its place, then puts it there: whoever reads it finds the old one or the new
    /// one. One that was there keeps its owner and its rights; a new one is readable for the server's user alone.
    static func write(_ text: String, to path: String, owner: SetupOwner, _ terminal: Terminal) throws(CommandFailure) {
        let path =
            realpath(path, nil).map { real in
                defer { free(real) }
                return String(cString: real)
            } ?? path
        let temporary = path + ".setup"
        func failure() -> CommandFailure {
            let values = ["path": DisplayText.escaped(path), "reason": String(cString: strerror(clinux_errno()))]
            unlink(temporary)
            return CommandFailure(.inputOutput, terminal.text("setup.notWritten", values))
        }
        if let folder = Self.parent(of: path), mkdir(folder, 0o755) != 0, clinux_errno() != EEXIST { throw failure() }
        var before = stat()
        let isThere = stat(path, &before) == 0
        unlink(temporary)
        let descriptor = clinux_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count,
            fchown(descriptor, isThere ? before.st_uid : owner.user, isThere ? before.st_gid : owner.group) == 0,
            fchmod(descriptor, isThere ? before.st_mode & 0o777 : 0o600) == 0, fsync(descriptor) == 0,
            rename(temporary, path) == 0
        else { throw failure() }
        // The name is on the disk too.
        guard let folder = Self.parent(of: path) else { return }
        let opened = clinux_open(folder, O_RDONLY | O_DIRECTORY, 0)
        if opened >= 0 {
            fsync(opened)
            close(opened)
        }
    }

    /// The folder above; `nil` for the root of the disk.
    static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }
}

/// User that the server runs as.
struct SetupOwner: Hashable {
    var user: uid_t
    var group: gid_t

    /// The owner of the folder, where root asks; else, for the folder of the package, the user that it has made. Anybody
    /// else runs it themselves.
    init(folder: String) {
        (self.user, self.group) = (geteuid(), getegid())
        guard self.user == 0 else { return }
        var status = stat()
        if stat(folder, &status) == 0, status.st_uid != 0 {
            (self.user, self.group) = (status.st_uid, status.st_gid)
        } else if folder == ServiceUnit.data, let service = getpwnam("teahouse") {
            (self.user, self.group) = (service.pointee.pw_uid, service.pointee.pw_gid)
        }
    }

    /// Words before a command that run it as this user, for root.
    var prefix: [String] {
        guard self.isOther, let user = getpwuid(self.user) else { return [] }
        return ["runuser", "-u", String(cString: user.pointee.pw_name), "--"]
    }

    /// True when the process is another user than this one, and may become it.
    var isOther: Bool { geteuid() == 0 && self.user != 0 }

    /// Makes the process this user, for good as far as files are concerned.
    ///
    /// - Returns: false when the system refuses.
    func become() -> Bool {
        guard self.isOther else { return true }
        return setgroups(0, nil) == 0 && setegid(self.group) == 0 && seteuid(self.user) == 0
    }
}
