import AdminAPI
import Glibc
import Testing

@Suite("The admin socket's file") struct SocketTests {
    /// A new folder whose path has about `length` bytes.
    private func folder(length: Int) throws -> String {
        var template = Array("/tmp/teahouse-XXXXXX".utf8CString)
        var path = try #require(mkdtemp(&template).map { String(cString: $0) })
        while path.utf8.count + 51 < length {
            path += "/" + String(repeating: "d", count: 50)
            try #require(mkdir(path, 0o700) == 0)
        }
        return path
    }

    private func remove(_ path: String) {
        var path = path
        while path.hasPrefix("/tmp/teahouse-") {
            rmdir(path)
            path = String(path[..<path.lastIndex(of: "/")!])
        }
    }

    @Test("is reached in a short and in a long folder, by its user alone", arguments: [20, 300])
    func reach(_ length: Int) throws {
        let folder = try self.folder(length: length)
        defer { self.remove(folder) }
        let listener = try AdminSocket.listen(in: folder)
        defer { close(listener) }
        var status = stat()
        #expect(stat("\(folder)/admin.sock", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let connection = try AdminSocket.connect(to: folder)
        close(connection)
        AdminSocket.remove(in: folder)
        #expect(access("\(folder)/admin.sock", F_OK) != 0)
    }

    @Test("a file that a crash left is replaced")
    func stale() throws {
        let folder = try self.folder(length: 20)
        defer { self.remove(folder) }
        close(try AdminSocket.listen(in: folder))
        let error = #expect(throws: AdminError.self) { try AdminSocket.connect(to: folder) }
        #expect(error?.code == .notRunning)
        let listener = try AdminSocket.listen(in: folder)
        close(try AdminSocket.connect(to: folder))
        close(listener)
        AdminSocket.remove(in: folder)
    }

    @Test("without a server the folder is named", arguments: [20, 300])
    func notRunning(_ length: Int) throws {
        let folder = try self.folder(length: length)
        defer { self.remove(folder) }
        let error = #expect(throws: AdminError.self) { try AdminClient(dataFolder: folder) }
        #expect(error?.code == .notRunning)
        #expect(error?.message.contains(folder) == true)
        let missing = #expect(throws: AdminError.self) { try AdminClient(dataFolder: folder + "/missing") }
        #expect(missing?.code == .notRunning)
    }
}
