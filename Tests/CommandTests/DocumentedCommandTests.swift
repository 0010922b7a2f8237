import CommandLineKit
import Foundation
import Testing
import teahouse

/// Commands that README and docs name in their sentences. Blocks of commands are run by
/// `Tests/Foreign/documentation.py`.
@Suite("Commands in the documentation")
struct DocumentedCommandTests {
    struct Mention: CustomTestStringConvertible, Hashable, Sendable {
        let page: String
        let text: String
        var testDescription: String { "\(self.page): \(self.text)" }
    }

    static let mentions: [Mention] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let docs = (try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
        // The page of metrics names tools and protocols in its tables.
        let pages = ["README.md"] + docs.filter { $0.hasSuffix(".md") && $0 != "benchmarks.md" }.map { "docs/\($0)" }
        var found: Set<Mention> = []
        for page in pages {
            let text = (try? String(contentsOf: root.appending(path: page), encoding: .utf8)) ?? ""
            for match in text.matches(of: /`((?:teahouse|ctl) [^`\n]+)`/) {
                found.insert(Mention(page: page, text: String(match.output.1)))
            }
        }
        return found.sorted { ($0.page, $0.text) < ($1.page, $1.text) }
    }()

    @Test("a command that a page names is there, with its options and arguments", arguments: Self.mentions)
    func isThere(_ mention: Mention) throws {
        // Several spellings in one: `app|web`, `show|set`; and marks of what may be left out or repeated.
        let plain = mention.text.filter { !"[]".contains($0) }.replacingOccurrences(of: "...", with: "")
            .replacingOccurrences(of: "…", with: "")
        var words = plain.split(separator: " ").map { String($0.split(separator: "|").first ?? "") }
        if words.first == "teahouse" { words.removeFirst() }
        var command = teahouseCommand
        var rest = words[...]
        while let word = rest.first, !word.hasPrefix("-") || word == "--data" {
            if word == "--data" {
                rest = rest.dropFirst(2)
            } else if let next = command.subcommands.first(where: { $0.name == word }) {
                command = next
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        // A group alone, or a command alone, is named and not shown; so is an option of all commands of a group.
        if rest.isEmpty { return }
        if rest.count == 1, command.options.contains(where: { "--\($0.name)" == rest.first }) { return }
        do {
            _ = try CommandParser.parse(words.map(Self.example), root: teahouseCommand)
        } catch {
            Issue.record("\(error)")
        }
    }

    /// Something that fits where a page has a word in capitals.
    private static func example(_ word: String) -> String {
        switch word {
        case "NUMBER", "DAYS", "MINUTES", "N": "1"
        case "ACTION": "refuse"
        default: word
        }
    }

    @Test("the commands in the pages were found")
    func found() { #expect(Self.mentions.count > 60) }
}
