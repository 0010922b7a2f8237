import AdminAPI
import Backup
import ByteCodec
import COpenSSL
import CommandLineKit
import Configuration
import Doctor
import Execution
import Glibc
import Server
import Store
import Transport

/// `teahouse doctor`
let doctorCommand = Command(
    "doctor", summary: "command.doctor",
    options: [SharedOption.config, SharedOption.data, SharedOption.listen, SharedOption.json],
    examples: ["teahouse doctor --data /srv/teahouse", "teahouse doctor --config /etc/teahouse.toml"]
) { invocation, terminal throws(CommandFailure) in
    let findings = runDoctor(doctorInput(try checkedSettings(invocation, terminal), invocation, terminal))
    if invocation.has("json") {
        let text = String(decoding: json(of: findings, terminal), as: UTF8.self)
        try terminal.print(DisplayText.escapedJSON(text) + "\n")
    } else {
        for finding in findings { try terminal.print(words(of: finding, terminal)) }
        try terminal.print("\n" + summary(of: findings, terminal) + "\n")
    }
    if findings.contains(where: { $0.severity == .problem }) { throw CommandFailure(.refused, "") }
}

private func doctorInput(_ settings: Settings, _ invocation: Invocation, _ terminal: Terminal) -> DoctorInput {
    let folder = settings.dataFolder
    var input = DoctorInput(dataFolder: folder)
    input.configurationFile = invocation.value("config") ?? terminal.environment["TEAHOUSE_CONFIG"]
    input.listeners = settings[Keys.listen].compactMap { text in
        ListenAddress(parsing: text).map { DoctorInput.Listener(host: $0.host, port: $0.port) }
    }
    for certificate in settings[Keys.certificates] {
        let parts = certificate.split(separator: ":", maxSplits: 1).map(String.init)
        input.certificates += certificates(at: [parts[0]])
        input.tlsFiles += parts.enumerated().map { DoctorInput.TLSFile(path: $1, isPrivateKey: $0 == 1) }
    }
    if settings[Keys.tls] {
        input.certificates += certificates(at: ["\(folder)/tls/server.pem", "\(folder)/tls/ca.pem"])
    }
    input.takesPlainTokens = settings[Keys.plainTokens] == "private"
    input.takesPlainPasswords =
        (setAtRunTime(Keys.plainPasswords.definition.name, folder) ?? settings[Keys.plainPasswords]) == "private"
    input.runsTrial = settings[Keys.wukong] && settings[Keys.wukongAPI] && settings[Keys.wukongTrial]
    input.connections = Int(settings[Keys.connections])
    input.stopWritingFreeBytes = settings[Keys.stopWritingFreeBytes]
    let directory = settings[Keys.filesDirectory]
    input.filesDirectory = directory.isEmpty ? nil : directory
    input.filesStopFreeBytes = settings[Keys.filesStopFreeBytes]
    input.filesStopFreePercent = settings[Keys.filesStopFreePercent]
    input.lastVerify = LastVerify.read(in: folder)
    input.lastScrub = LastScrub.read(in: folder)
    input.lastBackup = LastBackup.read(in: folder)
    let copies = UpgradeCopy.all(in: folder)
    if let newest = copies.last {
        input.upgradeCopies = (newest.from, newest.atMilliseconds, copies.reduce(0) { $0 + $1.bytes })
    }
    input.serverAnswers = {
        guard let client = try? AdminClient(dataFolder: folder) else { return false }
        return (try? client.ask(.setupToken)) != nil
    }
    if let client = try? AdminClient(dataFolder: folder), case .status(let status) = try? client.ask(.status) {
        input.serverProcess = status.processID
        input.landlockVersion = status.metrics.first { $0.name == "landlockVersion" }?.value
    }
    return input
}

/// Certificates of files in PEM form, the first of each; those that cannot be read are another check's.
private func certificates(at paths: [String]) -> [DoctorInput.Certificate] {
    let now = Clock.system.wallMilliseconds() / 1_000
    return paths.compactMap { path in
        guard let file = BIO_new_file(path, "r") else { return nil }
        defer { BIO_free(file) }
        guard let certificate = PEM_read_bio_X509(file, nil, nil, nil) else { return nil }
        defer { X509_free(certificate) }
        guard let start = ASN1_TIME_set(nil, time_t(now)) else { return nil }
        defer { ASN1_STRING_free(start) }
        var (days, seconds) = (Int32(0), Int32(0))
        guard ASN1_TIME_diff(&days, &seconds, start, X509_get0_notAfter(certificate)) == 1 else { return nil }
        return DoctorInput.Certificate(path: path, expiresAtSeconds: now + Int64(days) * 86_400 + Int64(seconds))
    }
}

/// A setting as the running server has it, which may have been changed since it read the file.
///
/// - Returns: `nil` when no server answers.
private func setAtRunTime(_ name: String, _ folder: String) -> String? {
    guard let client = try? AdminClient(dataFolder: folder),
        case .settings(.one(let setting)) = try? client.ask(.settings(.show(name)))
    else { return nil }
    return setting.value
}

/// A text in the chosen language, or the check's own English where there is none.
private func text(_ key: String, _ finding: Finding, _ english: String, _ terminal: Terminal) -> String {
    let values = finding.values.mapValues { DisplayText.escaped($0) }
    let translated = terminal.text(key, values)
    return translated == key ? DisplayText.escaped(english) : translated
}

/// Lines of a finding for people, its advice below it.
func words(of finding: Finding, _ terminal: Terminal) -> String {
    let severity = terminal.text("doctor.severity.\(finding.severity)")
    let widths = Severity.allCases.map { displayWidth(of: terminal.text("doctor.severity.\($0)")) }
    let padding = String(repeating: " ", count: (widths.max() ?? 0) - displayWidth(of: severity))
    var lines = "\(severity)\(padding)  \(text(finding.key, finding, finding.text, terminal))\n"
    if let advice = finding.advice {
        let indent = String(repeating: " ", count: widths.max() ?? 0)
        lines += "\(indent)  -> \(text(finding.key + ".advice", finding, advice, terminal))\n"
    }
    return lines
}

private func summary(of findings: [Finding], _ terminal: Terminal) -> String {
    let problems = findings.filter { $0.severity == .problem }.count
    let advice = findings.filter { $0.severity == .advice }.count
    guard problems + advice > 0 else { return terminal.text("doctor.summary.good") }
    return terminal.text("doctor.summary.problems", ["problems": String(problems), "advice": String(advice)])
}

/// Findings for scripts.
///
/// - Parameter isReady: said beside them, where the command answers that.
func json(of findings: [Finding], isReady: Bool? = nil, _ terminal: Terminal) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    if let isReady {
        json.key("ready")
        json.boolean(isReady)
    }
    json.key("findings")
    json.beginArray()
    for finding in findings {
        json.beginObject()
        json.key("severity")
        json.string("\(finding.severity)")
        json.key("key")
        json.string(finding.key)
        json.key("text")
        json.string(text(finding.key, finding, finding.text, terminal))
        if let advice = finding.advice {
            json.key("advice")
            json.string(text(finding.key + ".advice", finding, advice, terminal))
        }
        json.endObject()
    }
    json.endArray()
    json.endObject()
    return json.bytes
}
