import Foundation
import Testing

/// Holds the words of comments and code: `docs/glossary.md` says which word stands for what.
///
/// A module that is not listed below is clean. A number in a list is what the module has now; it may only get better, so
/// whoever cleans a module lowers its number, or takes its line away.
struct WordTests {
    /// Words that ask a question or point to a noun elsewhere: a comment that begins with one cannot be read alone.
    static let riddles: Set<String> = ["What", "Who", "Whom", "Whose", "Whether", "Which", "Of", "Those"]

    /// Doc comments per folder that still begin with such a word, at most.
    static let riddlesLeft: [String: Int] = [:]

    /// Documented declarations per module, percent, where it is not nine of ten yet: at least.
    static let documentedSoFar: [String: Int] = [:]

    /// Words that the glossary has replaced, as type names or parts of them.
    static let retired = [
        "House", "Desk", "Deed", "Tip", "Tips", "Nudge", "Nudges", "Sight", "Sights", "Seers", "Strand", "Talk",
        "Reception", "Voice", "Caretaker", "Figures", "Pulse", "Outside", "Door",
    ]

    /// Folders of Swift code: the targets of `Sources`, and the tools of the tests.
    static func folders() throws -> [String] {
        var folders: [String] = []
        for place in ["Sources", "Tests/Tools"] {
            let root = ImportTableTests.root.appending(path: place).path
            for name in try FileManager.default.contentsOfDirectory(atPath: root).sorted()
            where try !Self.files(in: "\(place)/\(name)").isEmpty {
                folders.append("\(place)/\(name)")
            }
        }
        return folders
    }

    static func files(in folder: String) throws -> [String] {
        let root = ImportTableTests.root.appending(path: folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }.sorted()
    }

    /// Lines of a file without their indentation.
    static func lines(of file: String) throws -> [Substring] {
        let text = try String(contentsOf: ImportTableTests.root.appending(path: file), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
    }

    /// Places of doc comments that begin with a riddle.
    static func riddles(in lines: [Substring]) -> [Int] {
        lines.indices.filter { place in
            guard lines[place].hasPrefix("/// "), place == 0 || !lines[place - 1].hasPrefix("///") else { return false }
            return Self.riddles.contains(String(lines[place].dropFirst(4).prefix { $0.isLetter }))
        }
    }

    @Test("a doc comment begins with a noun or a verb", arguments: try Self.folders())
    func firstWords(folder: String) throws {
        var found: [String] = []
        for file in try Self.files(in: folder) {
            let lines = try Self.lines(of: file)
            found += Self.riddles(in: lines).map { "\(file):\($0 + 1): \(lines[$0])" }
        }
        let allowed = Self.riddlesLeft[folder] ?? 0
        #expect(
            found.count <= allowed,
            "\(folder) may have \(allowed) of them, it has \(found.count): \(found.prefix(3)) ...")
    }

    // MARK: Documented declarations

    static let modifiers: Set<Substring> = [
        "package", "public", "static", "final", "mutating", "consuming", "borrowing", "nonmutating", "indirect",
        "override", "lazy", "weak", "convenience", "private(set)", "package(set)", "nonisolated", "unowned", "required",
        "nonisolated(unsafe)",
    ]
    static let keywords: Set<Substring> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "subscript", "actor", "macro",
        "associatedtype",
    ]
    /// Declarations that say all themselves: rows of a protocol's table, keys whose reason is their help, and witnesses
    /// of the standard library's protocols. An initialiser that neither fails nor throws sets what has its own comment.
    static let plain = [
        "= SettingKey<", "= LeanCloudFault(", "= SyncCommand(", "(rawValue", "var rawValue", "let rawValue",
        "var description: String", "customMirror",
        "var debugDescription", "static func ==", "static func <", "func hash(into",
    ]

    /// True for a `package` or `public` declaration that needs a comment.
    static func needsComment(_ line: Substring) -> Bool {
        var words = line.split(separator: " ")[...]
        while let word = words.first, word.hasPrefix("@") { words = words.dropFirst() }
        let start = words.prefix { Self.modifiers.contains($0) }
        guard start.contains("package") || start.contains("public") else { return false }
        guard let keyword = words.dropFirst(start.count).first else { return false }
        let isInitialiser = keyword.hasPrefix("init(") || keyword.hasPrefix("init?(") || keyword.hasPrefix("init<")
        if isInitialiser, keyword.hasPrefix("init(") || keyword.hasPrefix("init<"), !line.contains("throws") {
            return false
        }
        guard isInitialiser || keyword.hasPrefix("subscript") || Self.keywords.contains(keyword) else { return false }
        return !Self.plain.contains { line.contains($0) }
    }

    /// Declarations that need a comment, and the places of those that have none.
    static func declarations(in lines: [Substring]) -> (count: Int, bare: [Int]) {
        var count = 0
        var bare: [Int] = []
        for place in lines.indices {
            let line = lines[place]
            guard line.hasPrefix("p") || line.hasPrefix("@") || Self.modifiers.contains(line.prefix { $0 != " " }),
                Self.needsComment(line)
            else { continue }
            count += 1
            var above = place - 1
            while above >= 0, lines[above].hasPrefix("@") { above -= 1 }
            if above < 0 || !lines[above].hasPrefix("///") { bare.append(place) }
        }
        return (count, bare)
    }

    @Test("nine of ten declarations for other modules say what they are", arguments: try Self.folders())
    func documented(folder: String) throws {
        var count = 0
        var bare: [String] = []
        for file in try Self.files(in: folder) {
            let lines = try Self.lines(of: file)
            let found = Self.declarations(in: lines)
            count += found.count
            bare += found.bare.map { "\(file):\($0 + 1): \(lines[$0])" }
        }
        guard count > 0 else { return }
        let percent = (count - bare.count) * 100 / count
        let floor = Self.documentedSoFar[folder] ?? 90
        #expect(
            percent >= floor,
            "\(folder): \(percent) of 100 have a comment, \(floor) are asked for; without: \(bare.prefix(3)) ...")
    }

    // MARK: Words

    @Test("no type has a name that the glossary has replaced", arguments: try Self.folders())
    func retiredWords(folder: String) throws {
        for file in try Self.files(in: folder) {
            for (place, line) in try Self.lines(of: file).enumerated() where !line.hasPrefix("//") {
                for word in Self.retired {
                    #expect(!Self.declares(word, line), "\(file):\(place + 1): \(line)")
                }
            }
        }
    }

    /// True when a line declares a type with the word in its name, as a word of its own: `APIHouse`, not `Household`.
    static func declares(_ word: String, _ line: Substring) -> Bool {
        guard line.contains(word) else { return false }
        for keyword in ["struct ", "class ", "enum ", "protocol ", "typealias ", "actor "] {
            guard let start = line.range(of: keyword)?.upperBound else { continue }
            let name = line[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            guard let found = name.range(of: word) else { continue }
            if found.upperBound == name.endIndex || !name[found.upperBound].isLowercase { return true }
        }
        return false
    }

    @Test("the reader of comments sees what it should")
    func readerWorks() {
        let lines: [Substring] = [
            "/// What it is.", "package struct One {", "/// A thing.", "/// Whether the second line matters.",
            "package var two: Int", "package init(two: Int) {", "@inlinable package func three() {", "var four = 4",
            "package static let five = Self(rawValue: 5)",
        ]
        #expect(Self.riddles(in: lines) == [0])
        let found = Self.declarations(in: lines)
        #expect(found.count == 3 && found.bare == [6])
        #expect(Self.declares("House", "package final class APIHouse: Sendable {"))
        #expect(Self.declares("House", "struct HouseRules {"))
        #expect(!Self.declares("House", "enum Household {"))
    }
}
