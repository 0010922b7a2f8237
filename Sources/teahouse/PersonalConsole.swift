package import AdminConsole
import CLinux
package import CommandLineKit
import Configuration
import Glibc

/// Folder of a kind of personal files: what the variable names, else one below the home folder; `nil` without both.
private func personalFolder(_ variable: String, below place: String, _ environment: [String: String]) -> String? {
    if let folder = environment[variable], folder.hasPrefix("/") { return "\(folder)/teahouse" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/\(place)/teahouse"
}

/// File of the lines that were typed in the console; `nil` without a home folder.
///
/// Source: XDG base directory specification, `XDG_STATE_HOME`.
func historyPath(_ environment: [String: String]) -> String? {
    personalFolder("XDG_STATE_HOME", below: ".local/state", environment).map { "\($0)/console-history" }
}

extension Preferences {
    private static let maximumBytes = 1 << 20

    /// Choices of `console.toml`; those of a person who has made none without the file.
    ///
    /// Source: XDG base directory specification, `XDG_CONFIG_HOME`.
    ///
    /// - Throws: exit code 78 for a file that is not understood.
    package init(environment: [String: String], _ terminal: Terminal) throws(CommandFailure) {
        self.init()
        guard let folder = personalFolder("XDG_CONFIG_HOME", below: ".config", environment) else { return }
        let path = "\(folder)/console.toml"
        guard let bytes = Self.bytes(of: path) else { return }
        let file: PersonalFile
        do throws(ConfigurationError) { file = try PersonalFile(bytes, path: path) } catch {
            throw CommandFailure(.configuration, DisplayText.escaped(error.description))
        }
        for (key, value) in file.values.sorted(by: { $0.key < $1.key }) where !self.take(key, value) {
            let values = ["path": path, "key": key, "value": DisplayText.escaped(value.text)]
            throw CommandFailure(.configuration, terminal.text("console.badPreference", values))
        }
    }

    private static func bytes(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.maximumBytes {
            let count = read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// - Returns: false for a key that is not known, or a value that it cannot have.
    private mutating func take(_ key: String, _ value: SettingValue) -> Bool {
        if key == "split", case .boolean(let isOn) = value {
            self.isSplit = isOn
            return true
        }
        guard case .text(let text) = value else { return false }
        if key == "theme" {
            self.theme = Theme(rawValue: text)
            return self.theme != nil
        }
        let words = Preferences.words(text)
        guard !words.isEmpty else { return false }
        if key.hasPrefix("aliases.") {
            self.aliases[String(key.dropFirst("aliases.".count))] = words
            return true
        }
        guard key.hasPrefix("keys.F"), let number = Int(key.dropFirst("keys.F".count)),
            Self.functionKeys.contains(number)
        else { return false }
        self.keys[number] = words
        return true
    }
}

/// The console line by line, for screen readers and simple terminals: takes what `teahouse ctl` takes, asks what it
/// asks, and draws nothing over anything.
///
/// - Throws: exit code 74 when the terminal cannot be written to.
func runPlainConsole(_ invocation: Invocation, folder: String, _ terminal: Terminal) throws(CommandFailure) {
    var more: [String] = []
    if let name = invocation.value("operator") { more += ["--operator", name] }
    if invocation.has("read-only") { more.append("--read-only") }
    try terminal.print(terminal.text("console.plain.begin", ["path": DisplayText.escaped(folder)]) + "\n")
    while true {
        try terminal.print("teahouse> ")
        guard let line = terminal.nextLine() else { return try terminal.print("\n") }
        var words = Preferences.words(line)
        if words.first == "teahouse" { words.removeFirst() }
        if words.first == "ctl" { words.removeFirst() }
        guard let first = words.first else { continue }
        if ["q", "quit", "exit"].contains(first) { return }
        if first == "help" || first == "?" { words = Array(words.dropFirst()) + ["--help"] }
        _ = runCommandLine(["ctl", "--data", folder] + more + words, root: teahouseCommand, terminal: terminal)
    }
}
