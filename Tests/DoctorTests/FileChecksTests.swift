import Execution
import Glibc
import Store
import Testing

@testable import Doctor

@Suite("Files")
struct FileChecksTests {
    let folder: Folder

    init() throws { self.folder = try Folder() }

    @Test(
        "the data folder has to be closed",
        arguments: [
            (0o700 as mode_t, "doctor.data_folder.good", Severity.ok),
            (0o750, "doctor.data_folder.open", .advice),
            (0o755, "doctor.data_folder.open", .advice),
            (0o770, "doctor.data_folder.writable", .problem),
            (0o707, "doctor.data_folder.writable", .problem),
        ])
    func permissions(_ mode: mode_t, _ key: String, _ severity: Severity) {
        #expect(chmod(self.folder.path, mode) == 0)
        let findings = checkDataFolder(self.folder.path, runningAs: geteuid())
        #expect(findings.map(\.key) == [key])
        #expect(findings.map(\.severity) == [severity])
    }

    @Test("the data folder has to belong to the server's user")
    func owner() throws {
        let other = geteuid() + 1
        #expect(checkDataFolder(self.folder.path, runningAs: other).map(\.key) == ["doctor.data_folder.foreign"])
        #expect(checkDataFolder("/proc/self", runningAs: geteuid()).first?.severity != .ok)
        try #require(geteuid() == 0, "only root can give a folder away")
        #expect(chown(self.folder.path, 4_242, 4_242) == 0)
        let findings = checkDataFolder(self.folder.path, runningAs: 0)
        #expect(findings.map(\.key) == ["doctor.data_folder.run_as_root"])
        #expect(findings.first?.text.contains("belongs to 4242") == true)
    }

    @Test("a missing folder is made at the first start, a file in its place is not")
    func missing() throws {
        let file = try self.folder.file("file", permissions: 0o600)
        #expect(checkDataFolder("\(self.folder.path)/none", runningAs: 0).map(\.key) == ["doctor.data_folder.missing"])
        #expect(checkDataFolder("\(file)/below", runningAs: 0).map(\.key) == ["doctor.data_folder.missing"])
        #expect(checkDataFolder(file, runningAs: 0).map(\.key) == ["doctor.data_folder.not_a_folder"])
    }

    @Test(
        "free room against the thresholds",
        arguments: [
            (99 as Int64, "doctor.room.none"), (100, "doctor.room.low"), (199, "doctor.room.low"),
            (200, "doctor.room.good"),
        ])
    func room(_ free: Int64, _ key: String) {
        #expect(judgeRoom("/data", free: free, stopsBelow: 100, lowBelow: 200).key == key)
    }

    @Test("files left", arguments: [(9_999 as UInt64, Severity.problem), (10_000, .ok)])
    func files(_ left: UInt64, _ severity: Severity) { #expect(judgeFiles("/data", left: left).severity == severity) }

    @Test("room of a real disk is reported")
    func realRoom() {
        let findings = checkRoom(self.folder.path, stopsBelow: .max, lowBelow: .max)
        #expect(findings.first?.key == "doctor.room.none")
        #expect(checkRoom("\(self.folder.path)/none", stopsBelow: 0, lowBelow: 0).isEmpty)
    }

    @Test(
        "file systems that lose data, by number",
        arguments: [
            (0x6969 as UInt32, "doctor.file_system.network"), (0xFF53_4D42, "doctor.file_system.network"),
            (0x0102_1994, "doctor.file_system.memory"), (0x794C_7630, "doctor.file_system.layer"),
            (0x6573_5546, "doctor.file_system.fuse"), (0xEF53, "doctor.file_system.good"),
            (0x9123_683E, "doctor.file_system.good"),
        ])
    func fileSystem(_ magic: UInt32, _ key: String) { #expect(judgeFileSystem("/data", magic: magic).key == key) }

    @Test("a folder in memory is seen", .enabled(if: access("/dev/shm", W_OK) == 0))
    func memoryFolder() { #expect(checkFileSystem("/dev/shm").map(\.key) == ["doctor.file_system.memory"]) }

    @Test("syncs are measured for real and leave nothing behind")
    func sync() throws {
        let times = try measureSync(self.folder.path, rounds: 3)
        #expect(times.count == 3)
        #expect(times.allSatisfy { $0 >= 0 })
        #expect(rmdir(self.folder.path) == 0)
        #expect(throws: SystemError(number: ENOENT)) { try measureSync(self.folder.path) }
    }

    @Test(
        "sync times, by the middle one",
        arguments: [
            ([19, 5, 900] as [Int64], "doctor.sync.too_fast", "0.01"),
            ([100, 1_234, 90_000], "doctor.sync.good", "1.23"),
            ([20_001, 20_001, 3], "doctor.sync.slow", "20.00"),
        ])
    func syncTimes(_ times: [Int64], _ key: String, _ figure: String) {
        let finding = judgeSync("/data", microseconds: times)
        #expect(finding.key == key)
        #expect(finding.text.contains("durable in \(figure) ms"))
    }

    @Test(
        "a private key is for its owner",
        arguments: [
            (0o600 as mode_t, true, "doctor.tls.good"), (0o640, true, "doctor.tls.good"),
            (0o644, true, "doctor.tls.open_key"),
            (0o620, true, "doctor.tls.open_key"), (0o644, false, "doctor.tls.good"),
            (0o666, false, "doctor.tls.writable"),
        ])
    func tls(_ mode: mode_t, _ isPrivateKey: Bool, _ key: String) throws {
        let path = try self.folder.file("tls.pem", permissions: mode)
        #expect(checkTLSFile(.init(path: path, isPrivateKey: isPrivateKey)).key == key)
    }

    @Test("a TLS file that is missing, or a folder")
    func noTLS() {
        #expect(
            checkTLSFile(.init(path: "\(self.folder.path)/none", isPrivateKey: true)).key == "doctor.tls.unreadable")
        #expect(checkTLSFile(.init(path: self.folder.path, isPrivateKey: true)).key == "doctor.tls.not_a_file")
    }

    @Test(
        "the configuration is changed by nobody else",
        arguments: [
            (0o640 as mode_t, Severity.ok), (0o644, .advice), (0o664, .problem), (0o602, .problem),
        ])
    func configuration(_ mode: mode_t, _ severity: Severity) throws {
        let path = try self.folder.file("teahouse.conf", permissions: mode)
        #expect(checkConfigurationFile(path).severity == severity)
    }

    @Test("a configuration that is missing")
    func noConfiguration() {
        let finding = checkConfigurationFile("\(self.folder.path)/none")
        #expect(finding.severity == .problem)
        #expect(finding.text.contains("No such file"))
    }

    @Test("the schema of a real database is read, while a server uses it and after")
    func database() throws {
        #expect(checkDatabase(self.folder.path).isEmpty)
        var options = StoreOptions(folder: self.folder.path)
        options.ballastBytes = 0
        let store = try Store(options)
        #expect(checkDatabase(self.folder.path).map(\.key) == ["doctor.database.good"])
        store.close()
        #expect(checkDatabase(self.folder.path).map(\.key) == ["doctor.database.good"])
    }

    @Test("a file that is no database is reported")
    func notADatabase() throws {
        _ = try self.folder.file(
            "teahouse.db", permissions: 0o600, text: String(repeating: "not a database ", count: 99))
        #expect(checkDatabase(self.folder.path).map(\.key) == ["doctor.database.unreadable"])
    }

    @Test("schema versions", arguments: [(0, Severity.problem), (1, .advice), (2, .ok), (3, .problem)])
    func schema(_ found: Int, _ severity: Severity) { #expect(judgeSchema(found, supported: 2).severity == severity) }

    @Test("a folder whose database is gone is a problem before anything else is looked at")
    func lostDatabase() throws {
        #expect(checkDatabase(self.folder.path).isEmpty)
        _ = try self.folder.file("app.key", permissions: 0o600)
        #expect(checkDatabase(self.folder.path).map(\.key) == ["doctor.database.lost"])
        _ = try self.folder.file("teahouse.db", permissions: 0o600, text: "")
        #expect(checkDatabase(self.folder.path).map(\.key) == ["doctor.database.lost"])
        #expect(checkClockAgainstData(self.folder.path, now: 0).isEmpty)
    }

    @Test(
        "a clock that is far from the last use of the data is a problem",
        arguments: [(0, nil), (400, nil), (402, "doctor.clock.ahead_of_data"), (-2, "doctor.clock.behind_data")]
            as [(Int64, String?)])
    func clock(_ days: Int64, _ key: String?) throws {
        var options = StoreOptions(folder: self.folder.path)
        options.ballastBytes = 0
        try Store(options).close()
        let now = Clock.system.wallMilliseconds() + days * 86_400_000
        #expect(checkClockAgainstData(self.folder.path, now: now).map(\.key) == (key.map { [$0] } ?? []))
    }

    @Test(
        "verify grows old after thirty days",
        arguments: [
            (nil, "doctor.verify.never"), (0, "doctor.verify.old"), (86_400_000, "doctor.verify.good"),
            (99 * 86_400_000, "doctor.verify.good"),
        ] as [(Int64?, String)])
    func verify(_ at: Int64?, _ key: String) {
        let last = at.map { LastVerify(atMilliseconds: $0, findings: 0, isQuick: false) }
        #expect(checkLastVerify(last, now: 30 * 86_400_000).key == key)
    }

    @Test(
        "a backup grows old after seven days",
        arguments: [
            (nil, "doctor.backup.never"), (0, "doctor.backup.old"), (86_400_000, "doctor.backup.good"),
        ] as [(Int64?, String)])
    func backup(_ at: Int64?, _ key: String) {
        let last = at.map {
            LastBackup(atMilliseconds: $0, verifiedAtMilliseconds: $0, name: "teahouse-1", bytes: 1, proof: "ab")
        }
        #expect(checkLastBackup(last, now: 7 * 86_400_000).key == key)
    }

    @Test("what the last verify found is a problem, however long ago it was")
    func verifyFound() {
        let finding = checkLastVerify(LastVerify(atMilliseconds: 0, findings: 2, isQuick: true), now: 86_400_000)
        #expect(finding.key == "doctor.verify.found" && finding.severity == .problem)
        #expect(finding.text == "the database was verified 1 days ago, and 2 things were wrong")
    }
}

@Suite("Files of people") struct PeopleFilesChecksTests {
    private let gibibyte: Int64 = 1 << 30

    @Test(
        "uploads stop below the larger of both bounds, and advice comes at twice that",
        arguments: [
            (10, 100, "files_room.good"), (9, 100, "files_room.low"), (5, 100, "files_room.low"),
            (4, 100, "files_room.none"), (1, 10, "files_room.low"), (2, 10, "files_room.good"),
            (0, 10, "files_room.none"),
        ] as [(Int64, Int64, String)])
    func room(_ free: Int64, _ total: Int64, _ key: String) {
        // Five percent of 100 GiB are more than 1 GiB, of 10 GiB less.
        let finding = judgeFilesRoom(
            "/d", free: free * self.gibibyte, total: total * self.gibibyte, stopsBelow: self.gibibyte, percent: 5)
        #expect(finding.key == "doctor.\(key)")
    }

    @Test(
        "the folder of files belongs to nobody else",
        arguments: [
            (0o700, "files_folder.good"), (0o750, "files_folder.open"), (0o770, "files_folder.writable"),
        ] as [(mode_t, String)])
    func folder(_ mode: mode_t, _ key: String) throws {
        let folder = try Folder()
        chmod(folder.path, mode)
        #expect(checkFilesFolder(folder.path).map(\.key) == ["doctor.\(key)"])
        #expect(checkFilesFolder(folder.path + "/none").isEmpty)
    }

    @Test("a folder elsewhere is there, and only ours to write to")
    func directory() throws {
        let folder = try Folder()
        chmod(folder.path, 0o700)
        #expect(checkFilesDirectory(folder.path).key == "doctor.files_directory.good")
        chmod(folder.path, 0o777)
        #expect(checkFilesDirectory(folder.path).key == "doctor.files_directory.writable")
        #expect(checkFilesDirectory(folder.path + "/none").key == "doctor.files_directory.missing")
    }
}
