import AdminAPI
import CLinux
import Glibc

/// The admin socket without waiting: what can be read is read, and a server that does not answer holds nobody up. For one
/// thread.
final class ServerLink {
    private let folder: String
    private let who: AdminOperator
    private var descriptor: Int32 = -1
    private var lines = LineSplitter()
    private var isGreeted = false
    /// Bytes that the socket had no room for.
    private var unsent: [UInt8] = []

    init(folder: String, who: AdminOperator) {
        self.folder = folder
        self.who = who
    }

    deinit { self.close() }

    /// Descriptor to wait for; `nil` when there is no connection.
    var waited: pollfd? {
        guard self.descriptor >= 0 else { return nil }
        let events = POLLIN | (self.unsent.isEmpty ? 0 : POLLOUT)
        return pollfd(fd: self.descriptor, events: Int16(events), revents: 0)
    }

    var isOpen: Bool { self.descriptor >= 0 }

    /// - Throws: `notRunning`, `notAllowed`, `failed`.
    func open() throws(AdminError) {
        self.close()
        self.descriptor = try AdminSocket.connect(to: self.folder)
        _ = clinux_set_nonblocking(self.descriptor)
        self.send(AdminProtocol.hello)
    }

    func close() {
        if self.descriptor >= 0 { Glibc.close(self.descriptor) }
        self.descriptor = -1
        self.lines = LineSplitter()
        self.isGreeted = false
        self.unsent = []
    }

    /// - Parameter why: what the audit log keeps as the reason.
    func ask(_ request: AdminRequest, id: Int64, why: String?) {
        var who = self.who
        if let why { who.reason = why }
        self.send(request.line(id: id, by: who))
    }

    private func send(_ line: [UInt8]) {
        self.unsent += line + [UInt8(ascii: "\n")]
        self.flush()
    }

    /// Sends what there is room for. A broken connection is found by the next reading.
    func flush() {
        while !self.unsent.isEmpty, self.descriptor >= 0 {
            let sent = Glibc.send(self.descriptor, self.unsent, self.unsent.count, Int32(MSG_NOSIGNAL))
            if sent < 0 && clinux_errno() == EINTR { continue }
            guard sent > 0 else { return }
            self.unsent.removeFirst(sent)
        }
    }

    /// Whatever has come.
    enum News {
        /// The server speaks the same version, and names the role of this account.
        case greeted(OperatorRole)
        case reply(AdminReply)
    }

    /// - Throws: when the connection is over, or what comes is not of the protocol.
    func receive() throws(AdminError) -> [News] {
        var news: [News] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(self.descriptor, &chunk, chunk.count, 0)
            if count < 0 && clinux_errno() == EINTR { continue }
            if count < 0 && clinux_errno() == EAGAIN { return news }
            guard count > 0 else {
                throw AdminError(.connectionLost, "the server on \(self.folder) has ended the connection")
            }
            self.lines.append(chunk[..<count])
            while let line = try self.lines.next() {
                guard self.isGreeted else {
                    let role = try AdminProtocol.check(hello: line)
                    self.isGreeted = true
                    news.append(.greeted(role))
                    continue
                }
                news.append(.reply(try AdminReply(line: line)))
            }
        }
    }
}
