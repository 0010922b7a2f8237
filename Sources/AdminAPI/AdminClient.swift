import CLinux
import Glibc

/// The operator's side of the admin socket. Blocks; for one thread.
package final class AdminClient {
    /// Longest wait for one answer. An import of many passwords may take its time.
    private static let answerMilliseconds: Int32 = 120_000

    private let descriptor: Int32
    private let folder: String
    private var lines = LineSplitter()
    private var events: [(id: Int64, event: AdminEvent)] = []
    private var lastID: Int64 = 0
    /// Operator that is sent with every request from now on, for the audit log.
    package var who = AdminOperator()
    /// True to refuse every request that asks for a change.
    package var isReadOnly = false

    /// Connects to the server that runs on `folder` and exchanges hello lines.
    ///
    /// - Throws: `notRunning`, `notAllowed`, `protocolError` when the server is of another version.
    package init(dataFolder folder: String) throws(AdminError) {
        self.descriptor = try AdminSocket.connect(to: folder)
        self.folder = folder
        try self.write(AdminProtocol.hello)
        try AdminProtocol.check(hello: self.nextLine(milliseconds: Self.answerMilliseconds))
    }

    deinit { close(self.descriptor) }

    /// Asks, and waits for the answer. Events that come meanwhile wait for `nextEvent`.
    package func ask(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let id = try self.send(request)
        while true {
            switch try self.nextReply(milliseconds: Self.answerMilliseconds) {
            case .answer(id, let answer): return try answer.get()
            case .answer: continue
            case .event(let id, let event): self.events.append((id, event))
            }
        }
    }

    /// Sends a request without waiting, for a few requests under way at once.
    ///
    /// - Returns: the id that its answer will carry.
    package func send(_ request: AdminRequest) throws(AdminError) -> Int64 {
        guard !self.isReadOnly || !request.isChange else {
            throw AdminError(.refused, "read-only: \(request.word) would change something, nothing was done")
        }
        self.lastID += 1
        let line = request.line(id: self.lastID, by: self.who)
        guard line.count <= AdminProtocol.maximumLineBytes else {
            throw AdminError(
                .invalid, "the request is longer than \(AdminProtocol.maximumLineBytes) bytes: ask for less")
        }
        try self.write(line)
        return self.lastID
    }

    /// The next answer to any request; events wait for `nextEvent`.
    package func nextAnswer() throws(AdminError) -> (id: Int64, answer: Result<AdminAnswer, AdminError>) {
        while true {
            switch try self.nextReply(milliseconds: Self.answerMilliseconds) {
            case .answer(let id, let answer): return (id, answer)
            case .event(let id, let event): self.events.append((id, event))
            }
        }
    }

    /// The next answer to any request, or `nil` when the server says nothing for a time; events wait for `nextEvent`.
    package func nextAnswer(
        withinMilliseconds milliseconds: Int32
    ) throws(AdminError) -> (id: Int64, answer: Result<AdminAnswer, AdminError>)? {
        while true {
            while let line = try self.lines.next() {
                switch try AdminReply(line: line) {
                case .answer(let id, let answer): return (id, answer)
                case .event(let id, let event): self.events.append((id, event))
                }
            }
            var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, milliseconds) > 0 else { return nil }
            try self.fill(milliseconds: Self.answerMilliseconds)
        }
    }

    /// The next event of a `follow`, however long it takes.
    package func nextEvent() throws(AdminError) -> AdminEvent {
        while self.events.isEmpty {
            if case .event(let id, let event) = try self.nextReply(milliseconds: -1) { self.events.append((id, event)) }
        }
        return self.events.removeFirst().event
    }

    /// The next event, or `nil` when there is none within a time, or as soon as one of the descriptors is readable.
    package func nextEvent(
        withinMilliseconds milliseconds: Int32, orReadable descriptors: [Int32] = []
    ) throws(AdminError) -> AdminEvent? {
        while self.events.isEmpty {
            if let line = try self.lines.next() {
                if case .event(let id, let event) = try AdminReply(line: line) { self.events.append((id, event)) }
                continue
            }
            var entries = ([self.descriptor] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, nfds_t(entries.count), milliseconds) > 0, entries[0].revents != 0 else { return nil }
            try self.fill(milliseconds: -1)
        }
        return self.events.removeFirst().event
    }

    /// Asks, and waits for the answer; `onEvent` gets what is told meanwhile.
    package func ask(
        _ request: AdminRequest, onEvent: (AdminEvent) -> Void
    ) throws(AdminError) -> AdminAnswer {
        let id = try self.send(request)
        while true {
            switch try self.nextReply(milliseconds: Self.answerMilliseconds) {
            case .answer(id, let answer): return try answer.get()
            case .answer: continue
            case .event(id, let event): onEvent(event)
            case .event(let id, let event): self.events.append((id, event))
            }
        }
    }

    private func nextReply(milliseconds: Int32) throws(AdminError) -> AdminReply {
        try AdminReply(line: self.nextLine(milliseconds: milliseconds))
    }

    private func nextLine(milliseconds: Int32) throws(AdminError) -> [UInt8] {
        while true {
            if let line = try self.lines.next() { return line }
            try self.fill(milliseconds: milliseconds)
        }
    }

    private func fill(milliseconds: Int32) throws(AdminError) {
        var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&entry, 1, milliseconds)
        if ready < 0 && clinux_errno() == EINTR { return }
        guard ready > 0 else { throw self.lost("did not answer") }
        let isWaitingForEvents = milliseconds < 0
        let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { room, count in
            // SAFETY: `recv` writes at most `room.count` bytes; a failure leaves the array empty.
            count = max(0, recv(self.descriptor, room.baseAddress, room.count, 0))
        }
        guard !chunk.isEmpty else {
            if isWaitingForEvents { throw AdminError(.connectionLost, "the server on \(self.folder) has stopped") }
            throw self.lost("ended the connection")
        }
        self.lines.append(chunk)
    }

    private func write(_ line: [UInt8]) throws(AdminError) {
        var bytes = (line + [UInt8(ascii: "\n")])[...]
        while !bytes.isEmpty {
            let sent = bytes.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent < 0 && clinux_errno() == EINTR { continue }
            // What the server said before it closed tells more than the broken pipe: let the next read find it.
            if sent < 0 && clinux_errno() == EPIPE { return }
            guard sent > 0 else { throw self.lost("stopped reading") }
            bytes = bytes.dropFirst(sent)
        }
    }

    private func lost(_ what: String) -> AdminError {
        AdminError(
            .connectionLost,
            "the server on \(self.folder) \(what): what was asked may or may not be done; look before repeating")
    }
}
