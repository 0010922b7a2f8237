import CommandLineKit
import Foundation
import Localization
import Testing
import teahouse

/// Holds the table of commands against its own examples and the language files.
@Suite("The table of commands") struct TeahouseTableTests {
    /// Every command with the ones above it.
    static let paths: [[Command]] = Self.paths(below: [teahouseCommand])

    static func paths(below path: [Command]) -> [[Command]] {
        [path] + path[path.count - 1].subcommands.flatMap { Self.paths(below: path + [$0]) }
    }

    static func name(_ path: [Command]) -> String { path.map(\.name).joined(separator: " ") }

    static let examples = Self.paths.flatMap { path in path[path.count - 1].examples.map { (Self.name(path), $0) } }

    /// Words as a shell takes them, with single quotes only.
    private func words(_ line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return words
    }

    @Test("every command has an example that names it", arguments: Self.paths.map(Self.name))
    func hasExample(_ name: String) {
        let own = Self.examples.filter { $0.0 == name }
        #expect(!own.isEmpty)
    }

    @Test("an example is a command line that the table allows", arguments: Self.examples)
    func example(_ name: String, _ line: String) throws {
        let words = self.words(line)
        #expect(words.first == "teahouse")
        guard
            case .run(let command, let invocation) = try CommandParser.parse(
                Array(words.dropFirst()), root: teahouseCommand)
        else {
            Issue.record("help instead of a command")
            return
        }
        #expect(command.body != nil)
        let path = invocation.path.joined(separator: " ")
        #expect(path == name || path.hasPrefix(name + " "))
    }

    @Test("every text of the table is there in both languages", arguments: Language.allCases, Self.paths.map(Self.name))
    func texts(_ language: Language, _ name: String) throws {
        let texts = Texts(embedded: language)
        let path = try #require(Self.paths.first { Self.name($0) == name })
        let command = path[path.count - 1]
        for key in [command.summary] + command.arguments.map(\.help) + command.options.map(\.help) {
            #expect(texts.has(key), "\(key)")
        }
        let page = HelpPage.text(of: path) { texts($0, $1) }
        #expect(page.hasPrefix("\(name) - "))
    }

    static let sourceKeys: [String] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var keys: Set<String> = []
        for folder in ["Sources/teahouse", "Sources/CommandLineKit", "Sources/AdminAPI"] {
            let base = root.appending(path: folder)
            let paths = (try? FileManager.default.subpathsOfDirectory(atPath: base.path)) ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = (try? String(contentsOf: base.appending(path: path), encoding: .utf8)) ?? ""
                let pattern =
                    /"((?:ctl|table|word|heading|usage|help|failure|option|argument|command|manual|verify|setup)\.[A-Za-z.]+)"/
                // Operations have names like keys: word.add, setup.token.
                let isAPI = folder == "Sources/AdminAPI"
                for match in text.matches(of: pattern) {
                    let key = String(match.output.1)
                    if !isAPI || !["word.", "setup."].contains(where: key.hasPrefix) { keys.insert(key) }
                }
            }
        }
        return keys.sorted()
    }()

    @Test("every key in the source is a text, with the same places in both languages", arguments: Self.sourceKeys)
    func sourceKey(_ key: String) {
        for language in Language.allCases { #expect(Texts(embedded: language).has(key), "\(language)") }
    }

    @Test("the keys in the source were found")
    func keysFound() { #expect(Self.sourceKeys.count > 150) }

    static let doctorKeys: [String] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let base = root.appending(path: "Sources/Doctor")
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: base.path)) ?? []
        let text = paths.map { (try? String(contentsOf: base.appending(path: $0), encoding: .utf8)) ?? "" }.joined()
        return text.matches(of: /\.(?:ok|advice|problem),\s*"([a-z_]+\.[a-z_]+)"/).map { "doctor.\($0.output.1)" }
    }()

    @Test("every finding of the doctor has its text in both languages", arguments: Self.doctorKeys)
    func doctorKey(_ key: String) {
        for language in Language.allCases { #expect(Texts(embedded: language).has(key), "\(language)") }
    }

    @Test("the doctor's findings were found")
    func doctorKeysFound() { #expect(Self.doctorKeys.count > 50) }

    @Test("no option has the name of one above it", arguments: Self.paths.map(Self.name))
    func uniqueOptions(_ name: String) throws {
        let names = try #require(Self.paths.first { Self.name($0) == name }).flatMap(\.options).map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test(
        "the language: the option, else the locale",
        arguments: [
            (["--lang", "zh-Hans"], [:], Language.chinese), (["--lang=en"], ["LANG": "zh_CN.UTF-8"], .english),
            (["ctl", "send", "--", "--lang", "zh-Hans"], [:], .english), ([], ["LANG": "zh_CN.UTF-8"], .chinese),
            ([], [:], .english),
        ] as [([String], [String: String], Language)])
    func language(_ words: [String], _ environment: [String: String], _ expected: Language) {
        #expect(chosenLanguage(words, environment: environment) == expected)
    }
}
