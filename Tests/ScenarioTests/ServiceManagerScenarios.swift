import Execution
import Glibc
import TeahouseTesting
import Testing
import Transport

@testable import Server

/// Sockets that a service manager passes on, and rights that the process gives up by itself.
struct ServiceManagerScenarios {
    func taken(_ variables: [String: String]) throws(ServerError) -> PassedSockets {
        try PassedSockets(processID: 42) { variables[$0] }
    }

    @Test("sockets are taken by number and name; one named metrics is for monitoring")
    func named() throws {
        let taken = try self.taken([
            "LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "teahouse.socket:metrics:",
        ])
        #expect(
            taken.people == [
                PassedSocket(descriptor: 3, name: "teahouse.socket"), PassedSocket(descriptor: 5, name: ""),
            ])
        #expect(taken.metrics == [PassedSocket(descriptor: 4, name: "metrics")])
        let unnamed = try self.taken(["LISTEN_PID": "42", "LISTEN_FDS": "1"])
        #expect(unnamed.people == [PassedSocket(descriptor: 3, name: "unknown")])
    }

    @Test(
        "sockets of another process are not ours",
        arguments: [[:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "41", "LISTEN_FDS": "1"]] as [[String: String]])
    func others(_ variables: [String: String]) throws {
        let taken = try self.taken(variables)
        #expect(taken.people.isEmpty && taken.metrics.isEmpty)
    }

    @Test(
        "numbers and names that cannot be true are refused",
        arguments: [("many", nil), ("-1", nil), ("17", nil), ("2", "one"), ("1", "one:two")] as [(String, String?)])
    func refused(_ count: String, _ names: String?) {
        var variables = ["LISTEN_PID": "42", "LISTEN_FDS": count]
        variables["LISTEN_FDNAMES"] = names
        let taken = variables
        #expect(throws: ServerError.self) { try self.taken(taken) }
    }

    @Test("a confined thread writes in its folders alone, behind a link in the data folder too, and reads no others")
    func confined() throws {
        let (data, elsewhere, linked) = (TemporaryFolder(), TemporaryFolder(), TemporaryFolder())
        symlink(linked.path, data.path + "/files")
        Self.write(elsewhere.path + "/secret")
        let options = ServerOptions(folder: data.path, listeners: [])
        let rules = Confinement(options)
        #expect(rules.writable == [data.path, linked.path])
        let seen = ConditionLock<[String: Int32]?>(nil)
        // Rules are a thread's own: the other tests of this process go on without them.
        let thread = Thread(name: "confined") {
            guard (try? rules.enforce()) != nil else { return seen.change { $0 = [:] } }
            let found = [
                "inside": Self.write(data.path + "/new"), "linked": Self.write(data.path + "/files/new"),
                "folder": Self.error(mkdir(data.path + "/folder", 0o700)),
                "moved": Self.error(rename(data.path + "/new", data.path + "/folder/new")),
                "outside": Self.write(elsewhere.path + "/new"), "read": Self.read(elsewhere.path + "/secret"),
                "hosts": Self.read("/etc/passwd"), "run": Self.run("/bin/true"),
            ]
            seen.change { $0 = found }
        }
        thread.join()
        let found = seen.wait(until: { $0 != nil }, then: { $0! })
        guard !found.isEmpty else { return }
        for name in ["inside", "linked", "folder", "moved", "hosts"] { #expect(found[name] == 0, "\(name)") }
        for name in ["outside", "read", "run"] { #expect(found[name] == EACCES, "\(name)") }
    }

    @Test("folders that are not there yet stand for the one in which they are made")
    func missing() {
        let data = TemporaryFolder()
        var options = ServerOptions(folder: data.path + "/a/b", listeners: [])
        options.backup.directory = data.path
        options.files.directory = "/mnt/teahouse-disk/files"
        options.certificates = [.init(certificate: "/srv/certificates/chain.pem", key: "/srv/keys/key.pem")]
        let rules = Confinement(options)
        // A disk that is mounted below /mnt later is not the folder that is there now.
        #expect(rules.writable == [data.path, "/mnt", data.path])
        #expect(rules.readable.contains("/srv/certificates") && rules.readable.contains("/srv/keys"))
    }

    private static func error(_ result: Int32) -> Int32 { result == 0 ? 0 : errno }

    @discardableResult
    private static func write(_ path: String) -> Int32 {
        let descriptor = creat(path, 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    /// - Returns: the error of the program's start.
    private static func run(_ path: String) -> Int32 {
        var process = pid_t()
        let failure = posix_spawn(&process, path, nil, nil, [nil], [nil])
        if failure == 0 { waitpid(process, nil, 0) }
        return failure
    }

    private static func read(_ path: String) -> Int32 {
        guard let file = fopen(path, "r") else { return errno }
        fclose(file)
        return 0
    }
}
