import Foundation
import Testing

/// Holds that a switch over an enum of our own lists every case, so that the compiler finds each one when a case comes.
struct SwitchTests {
    /// Switches over the named constants of a struct, whose values have no end, by file and subject: name of the struct.
    static let overConstants = [
        "Sources/ContentTranslation/LeanCloudContentCodec.swift: message.kind": ["MessageKind"],
        "Sources/ContentTranslation/WuKongContentCodec.swift: kind": ["MessageKind"],
        "Sources/LeanCloudGateway/LeanCloudConnection.swift: command.cmd": ["CommandType"],
        "Sources/LeanCloudGateway/LeanCloudRates.swift: command.cmd": ["CommandType"],
        "Sources/LeanCloudGateway/LeanCloudSession.swift: command.cmd": ["CommandType"],
        "Sources/LeanCloudGateway/LeanCloudSession+Conversations.swift: command.op": ["OpType"],
        "Sources/LeanCloudGateway/LeanCloudSession+Opening.swift: command.op": ["OpType"],
        "Sources/LeanCloudGateway/LeanCloudSession+People.swift: command.op": ["OpType"],
        "Sources/WuKongTranslation/Translation+Names.swift: deviceClass": ["DeviceClass"],
        "Tests/Tools/BenchKit/LeanCloudBenchClient.swift: (command.cmd, command.op)": ["CommandType", "OpType"],
    ]

    static func lines(of file: String) throws -> [Substring] {
        try String(contentsOf: ImportTableTests.root.appending(path: file), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("a switch over an enum of our own has no default", arguments: try WordTests.folders())
    func listed(folder: String) throws {
        for file in try WordTests.files(in: folder) {
            for found in OpenSwitch.all(in: try Self.lines(of: file)) where found.isOverCases {
                #expect(
                    Self.overConstants["\(file): \(found.subject)"] != nil,
                    """
                    \(file):\(found.line): the switch over \(found.subject) names cases and sends the rest to a default: \
                    list them, or pick the few with `if case`
                    """)
            }
        }
    }

    @Test("a switch that may have a default is over constants of a struct", arguments: overConstants)
    func constants(place: String, types: [String]) throws {
        let parts = place.split(separator: ": ", maxSplits: 1).map(String.init)
        let found = OpenSwitch.all(in: try Self.lines(of: parts[0]))
        let stands = found.contains { $0.isOverCases && $0.subject == parts[1] }
        #expect(stands, "\(place): there is no such switch any more")
        var declared: Set<String> = []
        for file in try WordTests.folders().flatMap(WordTests.files) {
            for line in try Self.lines(of: file) where types.contains(where: { line.contains($0) }) {
                for type in types where line.contains("struct \(type):") { declared.insert(type) }
                for type in types { #expect(!line.contains("enum \(type):"), "\(file): \(line)") }
            }
        }
        #expect(declared == Set(types))
    }

    @Test("the reader of switches sees what it should")
    func readerWorks() {
        let text = #"""
            switch verb {
            case .open, .close where verb == last:
                switch byte {
                case UInt8(ascii: "a"): .none
                default: nil
                }
            default: []
            }
            let name =
                switch (key, test) {
                case ("a: .b", .equal(let one)): one
                case (_, _): nil
                }
            switch answer {
            case .done(
                let count): count
            case _: 0
            }
            switch (cmd, op) {
            case (_, .some(let text)): text
            default: ""
            }
            switch scalar.properties.generalCategory {
            case .control: true
            default: false
            }
            switch kind {
            case .one: 1
            case .two: 2
            }
            """#
        let found = OpenSwitch.all(in: text.split(separator: "\n", omittingEmptySubsequences: false))
        #expect(found.map(\.line) == [5, 7, 12, 17, 21, 25])
        #expect(found.filter(\.isOverCases).map(\.subject) == ["verb", "answer"])
    }
}

/// A switch of the sources that does not list all of its cases.
struct OpenSwitch {
    /// Line of the catch-all, from 1.
    var line: Int
    /// Value that is switched over, as it is written.
    var subject: String
    /// Patterns beside the catch-all, without their texts and conditions.
    var patterns: [String]

    /// Switches in the lines of a file, which `swift format` has indented.
    static func all(in lines: [Substring]) -> [OpenSwitch] {
        lines.indices.filter { Self.isCatchAll(lines[$0].drop { $0 == " " }) }.compactMap { end in
            let indentation = lines[end].prefix { $0 == " " }
            let own = lines[..<end].indices.reversed().prefix { lines[$0].hasPrefix(indentation) || lines[$0].isEmpty }
                .filter { lines[$0].dropFirst(indentation.count).first != " " }
            guard let start = own.first(where: { lines[$0].contains("switch ") && lines[$0].hasSuffix(" {") }),
                let subject = lines[start].range(of: "switch ")?.upperBound
            else { return nil }
            let cases = own.filter { $0 > start && lines[$0].dropFirst(indentation.count).hasPrefix("case ") }
            return OpenSwitch(
                line: end + 1, subject: String(lines[start][subject...].dropLast(2)),
                patterns: cases.map { Self.pattern(at: $0, of: lines) })
        }
    }

    private static func isCatchAll(_ line: Substring) -> Bool {
        line.hasPrefix("default:") || line.hasPrefix("case _:") || line.hasPrefix("case (_, _):")
            || line.hasPrefix("case (_, _, _):")
    }

    /// Pattern of a case, which may go on in the next lines, up to its colon or its condition.
    private static func pattern(at place: Int, of lines: [Substring]) -> String {
        let text = lines[place...].prefix(12).joined(separator: " ").replacing(/"(\\.|[^"\\])*"/, with: "\"\"")
        var (pattern, depth) = ("", 0)
        for character in text.drop(while: { $0 == " " }).dropFirst("case ".count) {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0 && character == ":" || pattern.hasSuffix(" where ") { break }
            pattern.append(character)
        }
        return pattern
    }

    /// True when the patterns name cases, and list nothing that has no end: a switch that could list all cases.
    ///
    /// Passed over: `.some` and `.none`, which belong to every optional; a tuple with a text or a number in it; the
    /// categories of characters, which are the standard library's.
    var isOverCases: Bool {
        if self.subject.hasSuffix(".generalCategory") { return false }
        if self.subject.hasPrefix("("), self.patterns.contains(where: { $0.contains(/[(,] *("|\d)/) }) { return false }
        return self.patterns.contains { pattern in
            pattern.matches(of: /(?:^|[,(]) *\.(\w+)/).contains { $0.1 != "some" && $0.1 != "none" }
        }
    }
}
