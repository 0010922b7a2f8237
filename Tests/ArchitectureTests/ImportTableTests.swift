import Foundation
import Testing

/// Holds the table of `docs/architecture.md` against the import lines of `Sources`.
struct ImportTableTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Free for everyone: what comes with the toolchain and is no module of the house.
    static let free: Set<String> = ["Glibc", "Synchronization"]
    static let common: Set<String> = ["ChatModel", "ByteCodec", "Execution", "Diagnostics"]

    /// What a target may import; `nil` is anything.
    static func allowance(_ cell: String) -> Set<String>? {
        if cell == "any" { return nil }
        var allowed = Set(cell.matches(of: /`([A-Za-z-]+)`/).map { String($0.output.1) })
        if cell.hasPrefix("common but `ChatModel`") {
            allowed.formUnion(Self.common)
            allowed.remove("ChatModel")
        } else if cell.hasPrefix("common") {
            allowed.formUnion(Self.common)
        }
        return allowed
    }

    static func table() throws -> [String: Set<String>?] {
        let page = try String(contentsOf: Self.root.appending(path: "docs/architecture.md"), encoding: .utf8)
        var table: [String: Set<String>?] = [:]
        let rooms = page.components(separatedBy: "\n## ").first { $0.hasPrefix("The rooms") } ?? ""
        for line in rooms.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let name = cells[0].wholeMatch(of: /`([A-Za-z-]+)`/)?.output.1 else { continue }
            table[String(name)] = .some(Self.allowance(cells[2]))
        }
        return table
    }

    static func imports(of target: String) throws -> [(module: String, file: String)] {
        let folder = Self.root.appending(path: "Sources/\(target)")
        var imports: [(String, String)] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let pattern = /(?:@[a-zA-Z]+ )*(?:package |public |internal )?import (?:[a-z]+ )?([A-Za-z_]+).*/
                if let module = line.wholeMatch(of: pattern)?.output.1 {
                    imports.append((String(module), path))
                }
            }
        }
        return imports
    }

    static func swiftTargets() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Sources").path)
            .filter { target in
                let folder = Self.root.appending(path: "Sources/\(target)").path
                return try FileManager.default.subpathsOfDirectory(atPath: folder).contains { $0.hasSuffix(".swift") }
            }
            .sorted()
    }

    @Test("every target has its row, and every row its target")
    func rows() throws {
        let targets = Set(try Self.swiftTargets())
        #expect(targets == Set(try Self.table().keys))
    }

    @Test("a target imports only what its row allows", arguments: try Self.swiftTargets())
    func imports(target: String) throws {
        guard case .some(.some(let allowed)) = try Self.table()[target] else { return }
        for (module, file) in try Self.imports(of: target) where !Self.free.contains(module) {
            #expect(allowed.contains(module), "Sources/\(target)/\(file) imports \(module)")
        }
    }

    @Test("no Foundation in what is installed", arguments: try Self.swiftTargets())
    func foundation(target: String) throws {
        for (module, file) in try Self.imports(of: target) {
            #expect(!module.hasPrefix("Foundation"), "Sources/\(target)/\(file) imports \(module)")
        }
    }

    @Test("the reader of import lines sees what it should")
    func readerWorks() throws {
        let modules = try Self.imports(of: "Diagnostics").map(\.module)
        #expect(modules.contains("Execution") && modules.contains("CLinux"))
    }
}
