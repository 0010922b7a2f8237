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
        for folder in ["Sources/teahouse", "Sources/CommandLineKit"] {
            let base = root.appending(path: folder)
            let paths = (try? FileManager.default.subpathsOfDirectory(atPath: base.path)) ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = (try? String(contentsOf: base.appending(path: path), encoding: .utf8)) ?? ""
                let pattern =
                    /"((?:ctl|table|word|heading|usage|help|failure|option|argument|command|verify)\.[A-Za-z.]+)"/
                for match in text.matches(of: pattern) { keys.insert(String(match.output.1)) }
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

    @Test("no key is said twice with different words for the same thing in the table of options")
    func uniqueOptions() {
        for path in Self.paths {
            let names = path.flatMap(\.options).map(\.name)
            #expect(Set(names).count == names.count, "\(Self.name(path))")
        }
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
