import Configuration
import Foundation
import Testing

/// Keeps `deploy/teahouse.toml` and the table of keys together. To write the file anew after a change of the table:
/// `UPDATE_DEFAULT_FILE=1 swift test --filter DefaultFileTests`.
struct DefaultFileTests {
    static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../deploy/teahouse.toml").standardized.path

    static var expected: String {
        var text = """
            # The configuration of teahouse, with every key there is, its default, unit and reason.
            # Take the # away from a line to change it. A flag or an environment variable wins over this file.
            # Start with: teahouse serve --config teahouse.toml

            """
        var table = ""
        for key in Keys.all {
            let parts = key.name.split(separator: ".").map(String.init)
            if parts.count == 2, parts[0] != table {
                table = parts[0]
                text += "\n[\(table)]\n"
            }
            text += "\n" + Self.comment(key) + "# \(parts.last!) = \(Self.literal(key.builtIn))\n"
        }
        return text
    }

    static func comment(_ key: SettingDefinition) -> String {
        var line = key.reason
        if case .integer(let range) = key.kind {
            line =
                "\(key.unit.prefix(1).uppercased() + key.unit.dropFirst()), "
                + "\(range.lowerBound) to \(range.upperBound). \(line)"
        }
        if case .choice(let words) = key.kind {
            line += " " + words.map { "\"\($0)\"" }.joined(separator: " or ") + "."
        }
        var wrapped = "#"
        var width = 1
        for word in line.split(separator: " ") {
            if width + word.count > 110 {
                wrapped += "\n#"
                width = 1
            }
            wrapped += " \(word)"
            width += word.count + 1
        }
        return wrapped + "\n"
    }

    static func literal(_ value: SettingValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .boolean(let flag): String(flag)
        case .text(let text): "\"\(text)\""
        case .texts(let texts): "[" + texts.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
        }
    }

    @Test("the default file shows every key with its default, unit and reason")
    func defaultFile() throws {
        if ProcessInfo.processInfo.environment["UPDATE_DEFAULT_FILE"] != nil {
            try Self.expected.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: Self.path, encoding: .utf8) == Self.expected)
    }

    @Test("every line of the default file may be switched on", arguments: ["teahouse.toml", "bench.toml"])
    func parses(name: String) throws {
        let file = URL(fileURLWithPath: Self.path).deletingLastPathComponent().appending(path: name)
        let text = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.wholeMatch(of: /# ([a-z_]+ = .*)/).map { String($0.output.1) } ?? String($0) }
            .joined(separator: "\n")
        var arguments = CommandLineSettings()
        arguments.configPath = name
        _ = try Settings(arguments: arguments) { _ in Array(text.utf8) }
    }
}
