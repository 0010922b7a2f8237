import Foundation
import Testing

/// Holds where SQL stands in the store, and that it names what the code has names for.
struct StoreSQLTests {
    /// Lines of the store's files but the schema, with the path inside `Sources/Store`.
    private static func lines() throws -> [(path: String, line: String)] {
        let folder = ImportTableTests.root.appending(path: "Sources/Store")
        var lines: [(String, String)] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") && !path.hasPrefix("Schema/") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            lines += text.split(separator: "\n").map { (path, String($0)) }
        }
        return lines
    }

    @Test("the table of messages is named in the folder of messages alone")
    func messages() throws {
        let pattern = /\b(?:FROM|JOIN|UPDATE|INTO)(?: OR [A-Z]+)? message\b/
        let others = try Self.lines().filter { !$0.path.hasPrefix("Messages/") && $0.line.contains(pattern) }
        #expect(others.map { "\($0.path): \($0.line)" } == [])
        #expect(try Self.lines().contains { $0.path.hasPrefix("Messages/") && $0.line.contains(pattern) })
    }

    @Test("flags have names in SQL")
    func flags() throws {
        let bare = try Self.lines().filter { $0.line.contains(/\b(?:flags|withdrawn) & \d/) }
        #expect(bare.map { "\($0.path): \($0.line)" } == [])
    }

    @Test("a folder holds at most fifteen files")
    func folders() throws {
        let counts = Dictionary(
            try Set(Self.lines().map(\.path)).map { (NSString(string: $0).deletingLastPathComponent, 1) },
            uniquingKeysWith: +)
        #expect(counts.filter { $0.value > 15 } == [:])
    }
}
