@testable import AdminAPI
import Execution
import Glibc
import Testing

/// An admin socket with nobody behind it: keeps what is asked, and refuses it.
final class Ear: Sendable {
    let folder: String
    private let listener: Int32
    private let heard = Lock<[AdminRequest]>([])
    private let isOver = Lock(false)

    init() throws {
        var template = Array("/tmp/teahouse-ear-XXXXXX".utf8CString)
        self.folder = String(cString: try #require(mkdtemp(&template)))
        self.listener = try AdminSocket.listen(in: self.folder)
    }

    /// Calls `body` while a thread of its own listens.
    func whileListening(_ body: () throws -> Void) throws {
        let thread = Thread(name: "ear") { self.listen() }
        defer {
            self.isOver.withLock { $0 = true }
            thread.join()
            close(self.listener)
            AdminSocket.remove(in: self.folder)
            rmdir(self.folder)
        }
        try body()
    }

    /// The last request since the last time.
    func last() -> AdminRequest? {
        self.heard.withLock { heard in
            defer { heard = [] }
            return heard.last
        }
    }

    private func listen() {
        while !self.isOver.withLock({ $0 }) {
            var entry = pollfd(fd: self.listener, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 20) > 0 else { continue }
            let connection = accept(self.listener, nil, nil)
            guard connection >= 0 else { continue }
            self.serve(connection)
            close(connection)
        }
    }

    private func serve(_ connection: Int32) {
        self.write(AdminProtocol.hello, to: connection)
        var lines = LineSplitter()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var isGreeted = false
        while true {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            lines.append(chunk[..<count])
            while let line = (try? lines.next()) ?? nil {
                if isGreeted { self.answer(line, connection) }
                isGreeted = true
            }
        }
    }

    private func answer(_ line: [UInt8], _ connection: Int32) {
        guard let asked = try? AdminRequest.read(line), let request = try? asked.request.get() else { return }
        self.heard.withLock { $0.append(request) }
        // Of kinds, `ctl` first asks for the one that it is to change.
        if request == .kinds(.list) {
            return self.write(AdminReply.answer(id: asked.id, .success(.kinds(.kinds([])))).line, to: connection)
        }
        let refusal = AdminError(.refused, "nobody is here")
        self.write(AdminReply.answer(id: asked.id, .failure(refusal)).line, to: connection)
    }

    private func write(_ line: [UInt8], to connection: Int32) {
        let bytes = line + [UInt8(ascii: "\n")]
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
