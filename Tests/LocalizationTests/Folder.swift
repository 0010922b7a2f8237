import Glibc
import Testing

/// A temporary folder.
struct Folder {
    let path: String

    func write(_ name: String, _ content: String) throws {
        let file = try #require(fopen("\(self.path)/\(name)", "w"))
        defer { fclose(file) }
        let bytes = [UInt8](content.utf8)
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}

/// Runs `body` with a new folder, which is removed afterwards.
func withFolder(_ body: (Folder) throws -> Void) throws {
    var template = [CChar]("/tmp/teahouse-texts-XXXXXX".utf8CString)
    let path = String(cString: try #require(mkdtemp(&template)))
    defer {
        for name in ["en.json", "zh-Hans.json"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
    try body(Folder(path: path))
}

func contents(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = fread(buffer.baseAddress, 1, 1 << 20, file)
    }
}

/// The folder of the package, three levels above this file.
let repositoryPath = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
