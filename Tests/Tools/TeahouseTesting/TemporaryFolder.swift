import Glibc

/// A folder of the test's own, removed with the object.
package final class TemporaryFolder: Sendable {
    /// Path of the folder.
    package let path: String

    package init() {
        var template = Array("/tmp/teahouse-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary folder: errno \(errno)")
        self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(self.path) }

    /// Removes a file, or a folder with everything in it. Links are removed, not followed.
    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR, let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != "." && name != ".." { Self.remove("\(path)/\(name)") }
            }
            closedir(folder)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
