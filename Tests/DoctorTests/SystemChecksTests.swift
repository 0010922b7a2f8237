import Execution
import Glibc
import Testing

@testable import Doctor

@Suite("System and network")
struct SystemChecksTests {
    @Test(
        "open files against connections",
        arguments: [
            (10_256 as UInt64, 10_256 as UInt64, "doctor.open_files.good"), (10_255, 10_256, "doctor.open_files.soft"),
            (1_024, 4_096, "doctor.open_files.hard"),
        ])
    func openFiles(_ soft: UInt64, _ hard: UInt64, _ key: String) {
        #expect(checkOpenFiles(connections: 10_000, limit: (soft, hard)).key == key)
    }

    @Test("the real limit is read")
    func realLimit() {
        let limit = openFileLimit()
        #expect(limit.soft > 0)
        #expect(limit.hard >= limit.soft)
    }

    @Test(
        "years that cannot be",
        arguments: [
            (0 as Int64, Severity.problem), (1_735_689_599_999, .problem), (1_735_689_600_000, .ok),
            (4_133_980_799_999, .ok), (4_133_980_800_000, .problem),
        ])
    func years(_ wall: Int64, _ severity: Severity) {
        #expect(checkClock(ManualClock(wallMilliseconds: wall).clock).severity == severity)
    }

    @Test(
        "a clock nobody keeps right",
        arguments: [
            (1, ["doctor.clock.synchronised"]), (0, ["doctor.clock.unsynchronised"]), (-1, []),
        ] as [(Int32, [String])])
    func synchronisation(_ answer: Int32, _ keys: [String]) { #expect(checkSynchronisation(answer).map(\.key) == keys) }

    @Test("a monotonic clock that runs backwards")
    func backwards() {
        let steps = Lock<Int64>(10)
        let clock = Clock(
            now: {
                Instant(
                    nanoseconds: steps.withLock {
                        $0 -= 1; return $0
                    })
            },
            wallMilliseconds: { 1_800_000_000_000 })
        #expect(checkClock(clock).key == "doctor.clock.backwards")
    }

    @Test(
        "memory and swap",
        arguments: [
            (8_000_000, 4_000_000, 0, ["doctor.memory.good"]), (8_000_000, 100_000, 0, ["doctor.memory.low"]),
            (900_000, 500_000, 0, ["doctor.memory.no_swap"]), (900_000, 500_000, 1_000_000, ["doctor.memory.good"]),
            (900_000, 100_000, 0, ["doctor.memory.low", "doctor.memory.no_swap"]),
        ])
    func memory(_ total: Int, _ available: Int, _ swap: Int, _ keys: [String]) {
        let text = "MemTotal:  \(total) kB\nMemFree: 1 kB\nMemAvailable:   \(available) kB\nSwapTotal: \(swap) kB\n"
        #expect(checkMemory(text).map(\.key) == keys)
    }

    @Test(
        "numbers for people",
        arguments: [
            (0 as Int64, "0 bytes"), (1_023, "1023 bytes"), (1_024, "1 KiB"), (1_536, "1.5 KiB"),
            (256 << 20, "256 MiB"),
            (5 << 40, "5 TiB"), (.max, "8388607.9 TiB"),
        ])
    func bytes(_ count: Int64, _ text: String) { #expect(readableBytes(count) == text) }

    @Test("a port somebody listens on is in use, and free afterwards", arguments: ["127.0.0.1", "::1"])
    func listeners(_ host: String) throws {
        let (descriptor, port) = try listenSomewhere(host)
        let listener = DoctorInput.Listener(host: host, port: port)
        let finding = checkListener(listener)
        #expect(finding.key == "doctor.listener.in_use")
        #expect(finding.advice?.contains("sport = :\(port)") == true)
        close(descriptor)
        #expect(checkListener(listener).key == "doctor.listener.good")
    }

    @Test(
        "addresses that cannot be",
        arguments: [
            ("198.51.100.77", "doctor.listener.foreign"), ("localhost", "doctor.listener.not_numeric"),
            ("", "doctor.listener.not_numeric"), ("300.1.1.1", "doctor.listener.not_numeric"),
        ])
    func addresses(_ host: String, _ key: String) {
        #expect(checkListener(.init(host: host, port: 0)).key == key)
    }

    @Test("the admin socket: nobody, somebody who answers or not, and what was left over")
    func adminSocket() throws {
        let folder = try Folder()
        // Longer than a socket's address may be.
        let long = "\(folder.path)/\(String(repeating: "x", count: 120))"
        #expect(mkdir(long, 0o700) == 0)
        #expect(AdminSocketCheck(folder: long).run().finding.key == "doctor.server.stopped")
        let descriptor = try listenOnSocket(in: long)
        let running = AdminSocketCheck(folder: long).run()
        #expect(running.isRunning)
        #expect(running.finding.key == "doctor.server.running")
        let silent = AdminSocketCheck(folder: long, answers: { false }).run()
        #expect(silent.isRunning)
        #expect(silent.finding.severity == .problem)
        close(descriptor)
        let gone = AdminSocketCheck(folder: long).run()
        #expect(!gone.isRunning)
        #expect(gone.finding.key == "doctor.server.gone")
    }

    @Test("a server in the trial mode is told how to end it, another one is not", arguments: [true, false])
    func trial(isOn: Bool) throws {
        let folder = try Folder()
        var input = DoctorInput(dataFolder: folder.path)
        input.runsTrial = isOn
        let finding = try #require(runDoctor(input).first { $0.key.hasPrefix("doctor.trial.") })
        #expect(finding.severity == (isOn ? .advice : .ok))
        #expect(finding.advice?.contains("wukong.trial = false") == (isOn ? true : nil))
    }

    @Test("a whole examination of a fresh folder finds no problem of the folder, and looks at everything")
    func everything() throws {
        let folder = try Folder()
        var input = DoctorInput(dataFolder: folder.path)
        input.listeners = [.init(host: "127.0.0.1", port: 0)]
        input.tlsFiles = [.init(path: try folder.file("key.pem", permissions: 0o600), isPrivateKey: true)]
        input.configurationFile = try folder.file("teahouse.conf", permissions: 0o600)
        input.takesPlainTokens = false
        let findings = runDoctor(input)
        let kinds = Set(findings.map { $0.key.split(separator: ".")[1] })
        #expect(
            kinds.isSuperset(of: [
                "data_folder", "room", "file_system", "sync", "verify", "sqlite", "server", "listener", "tls",
                "configuration", "plain_tokens", "plain_passwords", "trial", "open_files", "clock",
                "memory",
            ]))
        #expect(findings.filter { $0.key.hasPrefix("doctor.data_folder") }.map(\.severity) == [.ok])
        for finding in findings {
            #expect(!finding.text.contains("{"))
            #expect(finding.advice?.contains("{") != true)
            #expect(finding.severity == .ok || finding.advice != nil)
        }
    }
}

/// A listening socket on a free port.
private func listenSomewhere(_ host: String) throws -> (Int32, UInt16) {
    let isIPv6 = host.contains(":")
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    if isIPv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return (descriptor, try bound(descriptor, &address) { UInt16(bigEndian: $0.sin6_port) })
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return (descriptor, try bound(descriptor, &address) { UInt16(bigEndian: $0.sin_port) })
}

private func bound<Address>(_ descriptor: Int32, _ address: inout Address, _ port: (Address) -> UInt16) throws -> UInt16
{
    var length = socklen_t(MemoryLayout<Address>.size)
    let codes = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            [bind(descriptor, address, length), listen(descriptor, 4), getsockname(descriptor, address, &length)]
        }
    }
    try #require(codes == [0, 0, 0])
    return port(address)
}

/// A listening socket `admin.sock` in a folder of any length.
private func listenOnSocket(in folder: String) throws -> Int32 {
    let opened = open(folder, O_RDONLY | O_DIRECTORY)
    try #require(opened >= 0)
    defer { close(opened) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "/proc/self/fd/\(opened)/admin.sock".utf8) }
    _ = try bound(descriptor, &address) { _ in 0 }
    return descriptor
}
