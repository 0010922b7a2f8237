import Configuration
import Foundation
import Testing

/// Keeps `deploy/teahouse.toml` and the table of keys together. To write the file anew after a change of the table:
/// `UPDATE_DEFAULT_FILE=1 swift test --filter DefaultFileTests`.
struct DefaultFileTests {
    static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../deploy/teahouse.toml").standardized.path

    @Test("the default file shows every key with its default, unit and reason")
    func defaultFile() throws {
        if ProcessInfo.processInfo.environment["UPDATE_DEFAULT_FILE"] != nil {
            try DefaultFile.text.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: Self.path, encoding: .utf8) == DefaultFile.text)
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
