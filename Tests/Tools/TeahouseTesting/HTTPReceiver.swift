import CLinux
import Execution
import Glibc
import Transport

/// A request that reached an `HTTPReceiver`.
package struct ReceivedRequest: Sendable {
    /// Method of the request.
    package var method: String
    /// Path and query.
    package var target: String
    /// Names in lower case.
    package var fields: [String: String]
    /// Body of the request.
    package var body: [UInt8]
    /// Counts the connections of the receiver from 1.
    package var connection: Int

    /// Body as text.
    package var text: String { String(decoding: self.body, as: UTF8.self) }
}

/// Reply of an `HTTPReceiver` to a request.
package enum ReceiverReply: Sendable {
    case status(Int)
    case body(String)
    case answer(Int, String)
    /// These bytes as they are, then the connection closes.
    case raw([UInt8])
    /// Nothing, until the receiver stops or the client goes.
    case silence
    /// The connection closes at once.
    case close
}

/// A plain HTTP server on a free port of loopback, one thread per connection, that answers as a test says. Stopped with
/// the object.
package final class HTTPReceiver: Sendable {
    /// Chooses the reply to each request.
    package typealias Behaviour = @Sendable (ReceivedRequest) -> ReceiverReply

    private struct State {
        var requests: [ReceivedRequest] = []
        var open: Set<Int32> = []
        var threads: [Thread] = []
        var isStopped = false
    }

    /// Port on loopback.
    package let port: UInt16
    private let listener: Int32
    private let state = Lock(State())
    private let news = Mailbox<Bool>()
    private let behaviour: Lock<Behaviour>

    /// - Parameter port: 0 takes a free one.
    package init(port: UInt16 = 0, _ behaviour: @escaping Behaviour = { _ in .status(200) }) {
        self.behaviour = Lock(behaviour)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let loopback = IPAddress("127.0.0.1")!
        // A port that is asked for again may be held for a moment by a connection that somebody else has opened meanwhile.
        let end = Clock.system.now().advanced(bySeconds: port == 0 ? 0 : testPatienceSeconds)
        var isBound = false
        repeat {
            isBound = SocketAddress.with(loopback, port: port) { bind(listener, $0, $1) == 0 }
        } while !isBound && Clock.system.now() < end
        precondition(isBound && listen(listener, 64) == 0, "cannot listen: errno \(clinux_errno())")
        self.listener = listener
        self.port = Self.port(of: listener)
        let accepting = Thread(name: "receiver") { [weak self] in
            var number = 0
            while true {
                let descriptor = accept(listener, nil, nil)
                // A client that has gone already is no reason to listen no longer.
                if descriptor < 0, [ECONNABORTED, EINTR].contains(clinux_errno()) { continue }
                guard descriptor >= 0 else { return }
                number += 1
                guard let self else {
                    close(descriptor)
                    return
                }
                self.serve(descriptor, number)
            }
        }
        self.state.withLock { $0.threads.append(accepting) }
    }

    deinit { self.stop() }

    private static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        return SocketAddress.peer(storage)!.port
    }

    /// Address to post to.
    package var address: String { "http://127.0.0.1:\(self.port)/hook" }

    /// Requests so far.
    package var requests: [ReceivedRequest] { self.state.withLock { $0.requests } }

    /// Answers otherwise from now on.
    package func change(_ behaviour: @escaping Behaviour) { self.behaviour.withLock { $0 = behaviour } }

    /// Blocks until the requests satisfy a test; `nil` after half a minute without any more.
    package func wait(until isEnough: ([ReceivedRequest]) -> Bool) -> [ReceivedRequest]? {
        var batch: [Bool] = []
        while true {
            let requests = self.requests
            if isEnough(requests) { return requests }
            guard self.news.wait(milliseconds: 30_000) else { return nil }
            self.news.takeMessages(into: &batch)
            batch.removeAll()
        }
    }

    /// Closes everything; the port is free afterwards.
    package func stop() {
        let threads = self.state.withLock { state in
            let wasStopped = state.isStopped
            state.isStopped = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            defer { state.threads = [] }
            return wasStopped ? [] : state.threads
        }
        guard !threads.isEmpty else { return }
        shutdown(self.listener, Int32(SHUT_RDWR))
        for thread in threads { thread.join() }
        for thread in self.state.withLock({ $0.threads }) { thread.join() }
        close(self.listener)
    }

    // MARK: One connection

    private func serve(_ descriptor: Int32, _ number: Int) {
        // Before its thread begins: one that ended first would leave a number here which is soon somebody else's socket.
        self.state.withLock { state in
            if state.isStopped {
                shutdown(descriptor, Int32(SHUT_RDWR))
            } else {
                state.open.insert(descriptor)
            }
        }
        let thread = Thread(name: "receiver-conn") { [weak self] in
            var buffer: [UInt8] = []
            while let request = Self.request(descriptor, &buffer, number) {
                guard let reply = self?.takeRequest(request) else { break }
                guard Self.answer(reply, on: descriptor) else { break }
            }
            self?.state.withLock { _ = $0.open.remove(descriptor) }
            close(descriptor)
        }
        self.state.withLock { $0.threads.append(thread) }
    }

    private func takeRequest(_ request: ReceivedRequest) -> ReceiverReply {
        let reply = self.behaviour.withLock { $0 }(request)
        self.state.withLock { $0.requests.append(request) }
        self.news.post(true)
        return reply
    }

    private static func request(_ descriptor: Int32, _ buffer: inout [UInt8], _ number: Int) -> ReceivedRequest? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            let starts = buffer.indices.dropLast(3)
            if let head = starts.first(where: { buffer[$0..<($0 + 4)].elementsEqual(end) }) {
                let lines = String(decoding: buffer[..<head], as: UTF8.self).split(separator: "\r\n")
                let words = lines[0].split(separator: " ").map(String.init)
                var fields: [String: String] = [:]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
                }
                let length = Int(fields["content-length"] ?? "0") ?? 0
                if buffer.count >= head + 4 + length {
                    let body = Array(buffer[(head + 4)..<(head + 4 + length)])
                    buffer.removeFirst(head + 4 + length)
                    return ReceivedRequest(
                        method: words[0], target: words[1], fields: fields, body: body, connection: number)
                }
            }
            var room = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &room, room.count, 0)
            guard count > 0 else { return nil }
            buffer += room[..<count]
        }
    }

    /// - Returns: whether the connection goes on.
    private static func answer(_ reply: ReceiverReply, on descriptor: Int32) -> Bool {
        switch reply {
        case .status(let status):
            return self.send(Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n".utf8), on: descriptor)
        case .body(let body):
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            return self.send(Array((head + body).utf8), on: descriptor)
        case .answer(let status, let body):
            let head = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            return self.send(Array((head + body).utf8), on: descriptor)
        case .raw(let bytes):
            _ = self.send(bytes, on: descriptor)
            return false
        case .silence:
            var room: UInt8 = 0
            while recv(descriptor, &room, 1, 0) > 0 {}
            return false
        case .close: return false
        }
    }

    private static func send(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
