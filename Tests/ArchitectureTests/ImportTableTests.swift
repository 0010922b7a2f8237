import Foundation
import Testing

/// Holds the table of `docs/architecture.md` against the import lines of `Sources` and `Tests/Tools`.
struct ImportTableTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Free for everyone: what comes with the toolchain and is no module of the server.
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
        let modules = page.components(separatedBy: "\n## ").first { $0.hasPrefix("The modules") } ?? ""
        for line in modules.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let name = cells[0].wholeMatch(of: /`([A-Za-z-]+)`/)?.output.1 else { continue }
            table[String(name)] = .some(Self.allowance(cells[2]))
        }
        return table
    }

    /// The folder of each Swift target, below the root: the product in `Sources`, its tools in `Tests/Tools`.
    static let folders: [String: String] = {
        var folders: [String: String] = [:]
        for parent in ["Sources", "Tests/Tools"] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: parent).path)
            for name in names ?? [] {
                let folder = "\(parent)/\(name)"
                let paths = FileManager.default.subpaths(atPath: Self.root.appending(path: folder).path) ?? []
                if paths.contains(where: { $0.hasSuffix(".swift") }) { folders[name] = folder }
            }
        }
        return folders
    }()
    static let swiftTargets = Self.folders.keys.sorted()
    static let tools = Set(Self.folders.filter { $0.value.hasPrefix("Tests/") }.keys)

    static func imports(of target: String) throws -> [(module: String, file: String)] {
        let folder = try #require(Self.folders[target])
        var imports: [(String, String)] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: Self.root.appending(path: folder).path)
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: Self.root.appending(path: "\(folder)/\(path)"), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let pattern = /(?:@[a-zA-Z]+ )*(?:package |public |internal )?import (?:[a-z]+ )?([A-Za-z_]+).*/
                if let module = line.wholeMatch(of: pattern)?.output.1 {
                    imports.append((String(module), "\(folder)/\(path)"))
                }
            }
        }
        return imports
    }

    @Test("the targets are found in both places")
    func targetsFound() {
        #expect(Self.folders["Store"] == "Sources/Store")
        #expect(Self.folders["BenchKit"] == "Tests/Tools/BenchKit")
    }

    @Test("every target has its row, and every row its target")
    func rows() throws {
        let targets = Set(Self.swiftTargets)
        #expect(targets == Set(try Self.table().keys))
    }

    @Test("a target imports only what its row allows", arguments: Self.swiftTargets)
    func imports(target: String) throws {
        guard case .some(.some(let allowed)) = try Self.table()[target] else { return }
        for (module, file) in try Self.imports(of: target) where !Self.free.contains(module) {
            #expect(allowed.contains(module), "\(file) imports \(module)")
        }
    }

    @Test("nothing of the product imports a tool")
    func toolsStayOut() throws {
        for target in Self.swiftTargets where !Self.tools.contains(target) {
            for (module, file) in try Self.imports(of: target) {
                #expect(!Self.tools.contains(module), "\(file) imports \(module)")
            }
        }
    }

    @Test(
        "what translates the contents of one protocol names no other one",
        arguments: [("WuKong", "LeanCloud"), ("LeanCloud", "WuKong")])
    func contents(own: String, other: String) throws {
        let folder = Self.root.appending(path: "Sources/ContentTranslation")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(own) }
        #expect(!files.isEmpty)
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(!text.contains(other), "Sources/ContentTranslation/\(file)")
        }
    }

    @Test("no Foundation in what is installed, nor in its tools", arguments: Self.swiftTargets)
    func foundation(target: String) throws {
        for (module, file) in try Self.imports(of: target) {
            #expect(!module.hasPrefix("Foundation"), "\(file) imports \(module)")
        }
    }

    @Test("the reader of import lines sees what it should")
    func readerWorks() throws {
        let modules = try Self.imports(of: "Diagnostics").map(\.module)
        #expect(modules.contains("Execution") && modules.contains("CLinux"))
    }
}
