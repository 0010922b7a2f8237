import ChatModel
import Foundation
import Testing
import Transport

@testable import Hooks
@testable import Monitoring
@testable import Store

/// All metrics there are, and what names them outside.
struct MetricsCatalogueTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A server that has every part, and has done something.
    static var full: MetricsSnapshot {
        var snapshot = MetricsSnapshot(version: "1.2.3")
        snapshot.broker.protocols = ["wukong-json": 2, "lc.protobuf2.3": 1]
        snapshot.broker.published = 7
        snapshot.signIns.results = [.init("signed_in", 3), .init("wrong_credentials", 1)]
        snapshot.outbound = OutboundReading(
            hooks: HookMetrics(), functions: [LeanCloudHookMetrics(function: "_messageSent")], functionsDropped: 0)
        snapshot.limits = [
            LimitReading(name: "connections", unit: "connections", current: 1, peak: 2, maximum: 10, refusals: 0)
        ]
        snapshot.certificates = [CertificateReading(name: "own", expiresAtSeconds: 1_900_000_000)]
        var slow = SlowReading(
            counts: StoreCounts(users: 1, conversations: 2, messages: 3, tokens: 4, epoch: 5), files: FileTotals())
        slow.room = (1, 2)
        slow.filesRoom = (1, 2, 1)
        slow.lastVerify = LastVerify(atMilliseconds: 1_800_000_000_000, findings: 0, isQuick: false)
        slow.lastScrub = LastScrub(atMilliseconds: 1_750_000_000_000, rows: 9, tables: 8, passedOver: 1, findings: 2)
        slow.lastBackup = LastBackup(
            atMilliseconds: 1_700_000_000_000, verifiedAtMilliseconds: 1_700_000_060_000, name: "teahouse-1", bytes: 5,
            proof: "ab")
        slow.descriptors = (10, 1_024)
        snapshot.slow = slow
        let counts = DurationCounts.boundsMicroseconds.indices.map { Int64($0) }
        snapshot.durations = StoreDurations(
            commits: DurationCounts(below: counts, count: 99, allMicroseconds: 123_456), syncs: .none)
        return snapshot
    }

    static func text(_ snapshot: MetricsSnapshot) -> String {
        String(decoding: MetricsText.bytes(of: MetricsCatalogue.families(of: snapshot)), as: UTF8.self)
    }

    /// Every name that a query may use.
    static var names: Set<String> {
        var names: Set<String> = []
        for family in MetricsCatalogue.families(of: Self.full) {
            names.insert(family.name)
            if family.kind == .histogram { names.formUnion(["_bucket", "_sum", "_count"].map { family.name + $0 }) }
        }
        return names
    }

    @Test("a strict reader has nothing against the text", arguments: [MetricsSnapshot(version: "0"), full])
    func clean(snapshot: MetricsSnapshot) { #expect(ExpositionCheck(Self.text(snapshot)).problems == []) }

    @Test("no label could name a person, a conversation or an address")
    func labels() {
        let allowed: Set = [
            "version", "protocol", "result", "reason", "le", "disk", "direction", "function", "limit", "unit",
            "certificate",
        ]
        #expect(ExpositionCheck(Self.text(Self.full)).labels.subtracting(allowed) == [])
    }

    @Test("values are where they belong")
    func values() {
        let values = ExpositionCheck(Self.text(Self.full)).values
        #expect(values["teahouse_messages_published_total"] == 7)
        #expect(values[#"teahouse_sessions{protocol="wukong-json"}"#] == 2)
        #expect(values[#"teahouse_sign_ins_total{result="wrong_credentials"}"#] == 1)
        #expect(values["teahouse_store_commit_duration_seconds_sum"] == 0.123456)
        #expect(values[#"teahouse_store_commit_duration_seconds_bucket{le="0.000256"}"#] == 1)
        #expect(values[#"teahouse_disk_free_bytes{disk="files"}"#] == 1)
        #expect(values["teahouse_verify_timestamp_seconds"] == 1_800_000_000)
        #expect(values["teahouse_backup_timestamp_seconds"] == 1_700_000_000)
        #expect(values["teahouse_backup_verified_timestamp_seconds"] == 1_700_000_060)
        #expect(values["teahouse_backup_bytes"] == 5)
        #expect(values["teahouse_scrub_timestamp_seconds"] == 1_750_000_000)
        #expect(values["teahouse_scrub_findings"] == 2 && values["teahouse_scrub_tables_passed_over"] == 1)
    }

    @Test("promtool has nothing against the text, where it is installed")
    func promtool() throws {
        let paths = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["check", "metrics"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardError = output
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data(Self.text(Self.full).utf8))
        try input.fileHandleForWriting.close()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
    }

    @Test(
        "dashboards, alerts and pages name metrics that there are",
        arguments: ["deploy/prometheus/teahouse.rules.yml", "deploy/prometheus/dashboard.json", "docs/operations.md"])
    func named(path: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let named = text.matches(of: /\b((?:teahouse|process)_[a-z_]+)\b/).map { String($0.output.1) }
        let known = Self.names
        #expect(Set(named).subtracting(known).isEmpty, "\(path): \(Set(named).subtracting(known).sorted())")
        #expect(!named.isEmpty)
    }

    @Test("the dashboard is JSON in which every panel has a question")
    func dashboard() throws {
        let data = try Data(contentsOf: Self.root.appending(path: "deploy/prometheus/dashboard.json"))
        let board = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(board["panels"] as? [[String: Any]])
        #expect(panels.count > 10)
        for panel in panels where panel["type"] as? String != "row" {
            let targets = panel["targets"] as? [[String: Any]] ?? []
            #expect(!targets.isEmpty && targets.allSatisfy { ($0["expr"] as? String)?.isEmpty == false })
        }
    }
}
