import Testing

@testable import Doctor

@Suite("Findings")
struct FindingTests {
    @Test("texts name what was found, translated ones too")
    func filled() {
        let finding = Finding(
            .problem, "x.y", "{path} has {count} files", advice: "look at {path}",
            values: ["path": "/tmp/{count}", "count": "3"])
        #expect(finding.key == "doctor.x.y")
        #expect(finding.text == "/tmp/{count} has 3 files")
        #expect(finding.advice == "look at /tmp/{count}")
        #expect(finding.filled("{count} Dateien in {path}, {unknown} {") == "3 Dateien in /tmp/{count}, {unknown} {")
    }
}
