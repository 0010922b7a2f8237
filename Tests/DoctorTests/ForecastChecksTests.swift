import Foundation
import Testing

@testable import Doctor

@Suite("Forecast, kernel, sandbox, certificates")
struct ForecastChecksTests {
    static let now: Int64 = 1_800_000_000_000
    static let gibibyte: Int64 = 1 << 30

    /// Hours of samples, going down by so many bytes an hour, with a wave of a megabyte in them.
    func history(hours: Int64, free: Int64, perHour: Int64) -> RoomHistory {
        RoomHistory(
            samples: (0..<hours).map { hour in
                RoomHistory.Sample(
                    atMilliseconds: Self.now - (hours - 1 - hour) * 3_600_000,
                    freeBytes: free + (hours - 1 - hour) * perHour + (hour % 2) * 1_000_000)
            })
    }

    @Test(
        "days until messages are refused",
        arguments: [
            (Int64(240), Int64(11), Int64(100) << 20, "doctor.room_forecast.soon", Severity.advice),
            (240, 3, Int64(100) << 20, "doctor.room_forecast.soon", .problem),
            (240, 500, Int64(10) << 20, "doctor.room_forecast.good", .ok),
            (240, 11, 0, "doctor.room_forecast.steady", .ok),
            (240, 11, -(Int64(10) << 20), "doctor.room_forecast.steady", .ok),
        ])
    func forecast(hours: Int64, free: Int64, perHour: Int64, key: String, severity: Severity) {
        let history = self.history(hours: hours, free: free * Self.gibibyte, perHour: perHour)
        let findings = checkRoomForecast(history, stopsBelow: Self.gibibyte, now: Self.now)
        #expect(findings.map(\.key) == [key] && findings.map(\.severity) == [severity])
    }

    @Test("4 days and a bit are said as 4 days")
    func days() throws {
        let history = self.history(hours: 240, free: 11 * Self.gibibyte, perHour: 100 << 20)
        let finding = try #require(checkRoomForecast(history, stopsBelow: Self.gibibyte, now: Self.now).first)
        #expect(finding.values["days"] == "4")
    }

    @Test("less than a day of samples, or too few of them, make no forecast")
    func tooFew() {
        let short = self.history(hours: 20, free: Self.gibibyte, perHour: 1 << 20)
        #expect(checkRoomForecast(short, stopsBelow: 0, now: Self.now).isEmpty)
        let old = self.history(hours: 240, free: Self.gibibyte, perHour: 1 << 20)
        #expect(checkRoomForecast(old, stopsBelow: 0, now: Self.now + 30 * 86_400_000).isEmpty)
        #expect(checkRoomForecast(RoomHistory(), stopsBelow: 0, now: Self.now).isEmpty)
    }

    @Test("samples are kept for a month, and those of a wrong clock go")
    func kept() throws {
        let folder = NSTemporaryDirectory() + "room-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(RoomHistory.read(in: folder).samples.isEmpty)
        #expect(RoomHistory.noteRoom(in: folder, wall: Self.now + 86_400_000))
        #expect(RoomHistory.noteRoom(in: folder, wall: Self.now))
        #expect(RoomHistory.noteRoom(in: folder, wall: Self.now + 3_600_000))
        let samples = RoomHistory.read(in: folder).samples
        #expect(samples.map(\.atMilliseconds) == [Self.now, Self.now + 3_600_000])
        #expect(samples.allSatisfy { $0.freeBytes > 0 })
        try "torn".write(toFile: folder + "/room-history", atomically: true, encoding: .utf8)
        #expect(RoomHistory.read(in: folder).samples.isEmpty)
        #expect(!RoomHistory.noteRoom(in: folder + "/nowhere", wall: Self.now))
        #expect(RoomHistory(samples: (0..<1_000).map { .init(atMilliseconds: $0, freeBytes: 1) }).samples.count == 720)
    }

    @Test(
        "a short queue of the kernel is told",
        arguments: [("128\n", ["doctor.backlog.short"]), ("4096\n", ["doctor.backlog.good"])])
    func backlog(text: String, keys: [String]) { #expect(checkBacklog(text).map(\.key) == keys) }

    @Test("what cannot be read is no finding")
    func unknown() {
        #expect(checkBacklog(nil).isEmpty && checkBacklog("").isEmpty)
        #expect(checkSandbox(nil).isEmpty && checkSandbox("Name:\tteahouse\n").isEmpty)
    }

    @Test(
        "a server that keeps itself to its folders, one that does not, and none",
        arguments: [(7, ["doctor.sandbox.confined"]), (0, ["doctor.sandbox.unconfined"]), (nil, [])]
            as [(Int64?, [String])])
    func confinement(version: Int64?, keys: [String]) { #expect(checkConfinement(version).map(\.key) == keys) }

    @Test(
        "the sandbox of the running server",
        arguments: [
            ("0", "0000000000000000", "1", "2", "doctor.sandbox.root"),
            ("990", "0000000000000000", "1", "2", "doctor.sandbox.good"),
            ("990", "0000000000000400", "1", "2", "doctor.sandbox.open"),
            ("990", "0000000000000000", "0", "0", "doctor.sandbox.open"),
        ])
    func sandbox(user: String, capabilities: String, narrow: String, filter: String, key: String) {
        let status = """
            Name:\tteahouse
            Uid:\t\(user)\t\(user)\t\(user)\t\(user)
            CapEff:\t\(capabilities)
            NoNewPrivs:\t\(narrow)
            Seccomp:\t\(filter)
            """
        #expect(checkSandbox(status).map(\.key) == [key])
    }

    @Test(
        "how long a certificate lasts",
        arguments: [
            (-1, "doctor.certificate.over"), (0, "doctor.certificate.over"),
            (86_400, "doctor.certificate.soon"),
            (14 * 86_400, "doctor.certificate.good"),
        ] as [(Int64, String)])
    func certificate(seconds: Int64, key: String) {
        let certificate = DoctorInput.Certificate(path: "/c.pem", expiresAtSeconds: Self.now / 1_000 + seconds)
        #expect(checkCertificate(certificate, now: Self.now).key == key)
    }
}
