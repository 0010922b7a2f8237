import Glibc
import Testing

/// A temporary folder that goes with everything in it.
final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/teahouse-doctor-XXXXXX".utf8CString)
        self.path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { Self.removeAll(self.path) }

    private static func removeAll(_ path: String) {
        if let entries = opendir(path) {
            while let entry = readdir(entries) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != "." && name != ".." { Self.removeAll("\(path)/\(name)") }
            }
            closedir(entries)
        }
        remove(path)
    }

    /// Makes a file with these permissions.
    func file(_ name: String, permissions: mode_t, text: String = "x") throws -> String {
        let path = "\(self.path)/\(name)"
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        #expect(chmod(path, permissions) == 0)
        return path
    }
}
