import CBench
import CLinux
import Execution
import Glibc

@testable import BenchKit

/// A small WebSocket server, one thread and blocking writes; what is said in the messages is its subclasses' affair.
///
/// `Note` is what a subclass keeps of somebody who is signed in.
class WebSocketStub<Note: SendableMetatype> {
    final class Peer {
        let descriptor: Int32
        fileprivate var unread: [UInt8] = []
        fileprivate var unsent: [UInt8] = []
        fileprivate var isUpgraded = false
        var name = ""
        var note: Note?

        fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Sends a binary message, when what has come in is handled.
        func send(_ payload: [UInt8]) {
            let count = payload.count
            self.unsent +=
                count < 126 ? [0x82, UInt8(count)] : [0x82, 126, UInt8(count >> 8), UInt8(count & 0xff)]
            self.unsent += payload
        }
    }

    private let listener: Int32
    private let stop: Int32
    private(set) var peers: [Peer] = []

    init(listener: Int32, stop: Int32) {
        self.listener = listener
        self.stop = stop
    }

    /// The answer to an upgrade, before its empty line.
    var upgradeAnswer: String {
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
    }

    /// One message that came. What it throws ends the connection.
    func handle(_ message: UnsafeRawBufferPointer, _ peer: Peer) throws {}

    /// Serves in another thread for as long as `body` takes.
    static func serving<Result>(
        making make: @escaping @Sendable (_ listener: Int32, _ stop: Int32) -> WebSocketStub<Note>?,
        _ body: (Endpoint) throws -> Result
    ) throws -> Result {
        var port: UInt16 = 0
        let listener = cbench_listen(&port)
        guard listener >= 0 else { throw BenchError.failed("listen") }
        let stop = clinux_eventfd()
        let thread = Thread(name: "stub") { make(listener, stop)?.run() }
        defer {
            clinux_eventfd_signal(stop)
            thread.join()
            close(listener)
            close(stop)
        }
        return try body(Endpoint(port: port))
    }

    // MARK: Sockets

    private func run() {
        while true {
            let descriptors = [self.stop, self.listener] + self.peers.map(\.descriptor)
            var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&watched, nfds_t(watched.count), -1) > 0 || errno == EINTR, watched[0].revents == 0 else {
                break
            }
            let ready = Set(watched.filter { $0.revents != 0 }.map(\.fd))
            self.peers = self.peers.filter { !ready.contains($0.descriptor) || self.read($0) }
            for peer in self.peers where !peer.unsent.isEmpty { self.flush(peer) }
            if ready.contains(self.listener) { self.accept() }
        }
        for peer in self.peers { close(peer.descriptor) }
    }

    private func accept() {
        while case let descriptor = Glibc.accept(self.listener, nil, nil), descriptor >= 0 {
            self.peers.append(Peer(descriptor))
        }
    }

    /// Reads and handles; false when the connection is over.
    private func read(_ peer: Peer) -> Bool {
        var space = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(peer.descriptor, &space, space.count, 0)
        if count > 0 {
            peer.unread += space.prefix(count)
            if (try? self.handle(peer)) != nil { return true }
            self.flush(peer)
        }
        close(peer.descriptor)
        return false
    }

    private func flush(_ peer: Peer) {
        var sent = 0
        while sent < peer.unsent.count {
            let count = peer.unsent.withUnsafeBytes {
                send(peer.descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        peer.unsent = []
    }

    // MARK: WebSocket

    private func handle(_ peer: Peer) throws {
        if !peer.isUpgraded {
            guard peer.unread.suffix(4) == Array("\r\n\r\n".utf8) else { return }
            peer.unread = []
            peer.isUpgraded = true
            peer.unsent += Array("\(self.upgradeAnswer)\r\n".utf8)
        }
        while peer.unread.count >= 6 {
            let isLong = peer.unread[1] & 0x7f == 126
            let start = isLong ? 8 : 6
            guard peer.unread.count >= start else { return }
            let length = isLong ? Int(peer.unread[2]) << 8 | Int(peer.unread[3]) : Int(peer.unread[1] & 0x7f)
            guard peer.unread.count >= start + length else { return }
            let message = Array(peer.unread[start..<start + length])
            peer.unread.removeFirst(start + length)
            try message.withUnsafeBytes { try self.handle($0, peer) }
        }
    }
}
