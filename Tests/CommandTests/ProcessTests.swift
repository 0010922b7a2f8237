import Execution
import Glibc
import Testing

/// The program as a shell starts it.
@Suite("The teahouse process", .serialized) struct ProcessTests {
    /// A process with its standard output and error read to the end.
    private final class Process {
        let id: pid_t
        private let output: UnsafeMutablePointer<FILE>
        private var status: Int32?

        /// - Parameter errorPath: where standard error goes.
        init(_ words: [String], outputPath: String? = nil, errorPath: String = "/dev/null") throws {
            var ends: [Int32] = [0, 0]
            // Closed in children of other tests, which would keep this pipe open.
            try #require(pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            if let outputPath {
                posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY, 0)
            } else {
                posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            }
            posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            var id = pid_t()
            let failure = posix_spawnp(&id, words[0], &actions, nil, &arguments, environ)
            close(ends[1])
            try #require(failure == 0, "\(words[0]): \(String(cString: strerror(failure)))")
            self.id = id
            self.output = try #require(fdopen(ends[0], "r"))
        }

        deinit {
            if self.status == nil { _ = self.end(by: SIGKILL) }
            fclose(self.output)
        }

        func line() -> String? {
            var line = [CChar](repeating: 0, count: 4096)
            guard fgets(&line, Int32(line.count), self.output) != nil else { return nil }
            return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        /// Sends a signal, when one is given, and waits.
        ///
        /// - Returns: the exit code; negative for the signal that ended it.
        func end(by signal: Int32? = nil) -> Int32 {
            if let signal { kill(self.id, signal) }
            var status: Int32 = 0
            while waitpid(self.id, &status, 0) < 0 && errno == EINTR {}
            self.status = status
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }
    }

    /// The program next to the tests.
    private static let binary: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        let own = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/teahouse"
    }()

    private func temporaryFolder() throws -> String {
        var template = Array("/tmp/teahouse-process-XXXXXX".utf8CString)
        return String(cString: try #require(mkdtemp(&template)))
    }

    private func remove(_ folder: String) throws { _ = try Process(["rm", "-rf", folder]).end() }

    private func run(_ words: String...) throws -> (code: Int32, output: String) {
        let process = try Process([Self.binary] + words)
        var output = ""
        while let line = process.line() { output += line }
        return (process.end(), output)
    }

    @Test("says its version, and helps, with exit code 0; a wrong word is 64")
    func simple() throws {
        let version = try self.run("version")
        #expect(version.code == 0 && version.output.hasPrefix("teahouse ") && version.output.contains("OpenSSL 3"))
        #expect(try self.run("ctl", "user", "--help", "--lang", "zh-Hans").output.contains("用法"))
        #expect(try self.run("nonsense").code == 64)
        #expect(try self.run().code == 64)
    }

    @Test("takes its arguments where /proc is not mounted", .enabled(if: geteuid() == 0))
    func withoutProc() throws {
        let hidden = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\""]
        // A container may not be allowed to hide it.
        guard try Process(hidden + ["true"]).end() == 0 else { return }
        let process = try Process(hidden + [Self.binary, "version"])
        #expect(process.line()?.hasPrefix("teahouse ") == true)
        #expect(process.end() == 0)
    }

    @Test("a folder whose database is gone is refused with 78; doctor names it")
    func lostDatabase() throws {
        let folder = try self.temporaryFolder()
        defer { try? self.remove(folder) }
        _ = chmod(folder, 0o700)
        mkdir(folder + "/tls", 0o700)
        #expect(try self.run("serve", "--data", folder, "--listen", "127.0.0.1:0").code == 78)
        #expect(try self.run("verify", "--data", folder).code == 78)
        #expect(try self.run("doctor", "--data", folder).output.contains("there is no teahouse.db beside tls"))
        #expect(access(folder + "/teahouse.db", F_OK) != 0)
    }

    /// Syncs of the folder in `FAIL_FOLDER` fail from number `FAIL_FROM` on; folders named `FAIL_MAKE` are not made.
    private static let failingDisk = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <limits.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <unistd.h>
        static int syncs;
        int fsync(int descriptor) {
            char link[64], path[PATH_MAX];
            snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
            ssize_t length = readlink(link, path, sizeof path - 1);
            const char *folder = getenv("FAIL_FOLDER");
            if (folder && length > 0) {
                path[length] = 0;
                if (!strcmp(path, folder) && __sync_add_and_fetch(&syncs, 1) >= atoi(getenv("FAIL_FROM"))) {
                    errno = EIO;
                    return -1;
                }
            }
            return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
        }
        int mkdir(const char *path, mode_t mode) {
            const char *name = getenv("FAIL_MAKE");
            if (name && strstr(path, name)) { errno = EIO; return -1; }
            return ((int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir"))(path, mode);
        }
        """

    @Test(
        "a disk that fails while folders are made or synced ends the server with 74",
        .enabled(if: access("/usr/bin/cc", X_OK) == 0 || access("/usr/bin/clang", X_OK) == 0))
    func failingFolders() throws {
        let folder = try self.temporaryFolder()
        defer { try? self.remove(folder) }
        let compiler = access("/usr/bin/cc", X_OK) == 0 ? "/usr/bin/cc" : "/usr/bin/clang"
        let source = try #require(fopen(folder + "/disk.c", "w"))
        fputs(Self.failingDisk, source)
        fclose(source)
        let library = folder + "/disk.so"
        try #require(try Process([compiler, "-shared", "-fPIC", "-o", library, folder + "/disk.c", "-ldl"]).end() == 0)
        let data = folder + "/data"
        func serve(_ faults: String...) throws -> Int32 {
            let server = try Process(
                ["timeout", "60", "env", "LD_PRELOAD=\(library)"] + faults
                    + [Self.binary, "serve", "--data", data, "--listen", "127.0.0.1:0"])
            // Where it starts all the same, a change makes it write.
            if server.line() != nil { _ = try self.run("ctl", "--data", data, "user", "add", "ming") }
            return server.end()
        }
        #expect(try serve("FAIL_MAKE=/data") == 74)
        #expect(try serve("FAIL_MAKE=/files") == 74)
        let good = try Process([Self.binary, "serve", "--data", data, "--listen", "127.0.0.1:0"])
        #expect(good.line() != nil)
        #expect(good.end(by: SIGTERM) == 0)
        for number in 1...2 { #expect(try serve("FAIL_FOLDER=\(data)", "FAIL_FROM=\(number)") == 74, "\(number)") }
        #expect(try self.run("verify", "--data", data).code == 0)
    }

    @Test("output that cannot be written is exit code 74", .enabled(if: access("/dev/full", W_OK) == 0))
    func fullOutput() throws {
        #expect(try Process([Self.binary, "version"], outputPath: "/dev/full").end() == 74)
    }

    @Test("serve says when it is ready, is reached by ctl, keeps others off its folder, and drains with 0")
    func serve() throws {
        let folder = try self.temporaryFolder()
        defer { try? self.remove(folder) }
        let data = folder + "/data"
        let server = try Process([Self.binary, "serve", "--data", data, "--listen", "127.0.0.1:0"])
        let ready = try #require(server.line())
        #expect(ready.wholeMatch(of: /teahouse ready on 127\.0\.0\.1:[1-9][0-9]*\n/) != nil)
        #expect(try self.run("ctl", "--data", data, "user", "add", "ming").code == 0)
        #expect(try self.run("ctl", "--data", data, "user", "list").output.contains("\nming "))
        #expect(try self.run("serve", "--data", data, "--listen", "127.0.0.1:0").code == 75)
        #expect(try self.run("verify", "--data", data).code == 75)
        #expect(server.end(by: SIGTERM) == 0)
        #expect(server.line() == nil)
        #expect(try self.run("ctl", "--data", data, "user", "list").code == 69)
        #expect(try self.run("verify", "--data", data).code == 0)
    }

    @Test(
        "another user of the machine is turned away, even where the file lets them in",
        .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0))
    func otherUser() throws {
        let fixture = try Fixture()
        _ = chmod(fixture.folder, 0o755)
        let asOther = [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", Self.binary, "ctl", "--data", fixture.folder,
            "user", "list",
        ]
        let errors = "/tmp/teahouse-other-\(getpid())"
        defer { unlink(errors) }
        // The file's mode keeps them out, and should somebody open it, the check of who connects does.
        for mode: mode_t in [0o600, 0o666] {
            _ = chmod("\(fixture.folder)/admin.sock", mode)
            #expect(try Process(asOther, errorPath: errors).end() == 77)
            let file = try #require(fopen(errors, "r"))
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 4096)
            fgets(&line, Int32(line.count), file)
            let said = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            #expect(said.contains("refuses this account"))
        }
        #expect(fixture.ctl("user", "list").code == .done)
    }
}
