/// A gateway whose protocol is carried by WebSocket, a message in each frame.
protocol WebSocketBenchClient: BenchClient {
    var upgrade: WebSocketUpgrade { get }
    /// Frames of the other kind are an error.
    var usesTextFrames: Bool { get }

    /// Writes the sign-in, once the server has taken the upgrade.
    func signIn(_ connection: LoadConnection)

    /// Reads what one frame holds.
    func read(
        _ message: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError)
}

extension WebSocketBenchClient {
    func greet(_ connection: LoadConnection) {
        connection.unsent.append(self.upgrade.request)
        connection.phase = .upgrading
    }

    func receive(
        _ bytes: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) -> Int {
        var used = 0
        if connection.phase == .upgrading {
            used = try self.upgrade.answerCount(in: bytes)
            if used == 0 { return 0 }
            self.signIn(connection)
        }
        while let frame = try WebSocketFrame.read(UnsafeRawBufferPointer(rebasing: bytes[used...])) {
            let payload = bytes.part(used + frame.payloadOffset, frame.payloadCount)
            used += frame.count
            switch frame.kind {
            case .text where self.usesTextFrames, .binary where !self.usesTextFrames:
                try self.read(payload, connection, traffic)
            case .text: throw .server("the server sent a text frame, and its messages are binary")
            case .binary: throw .server("the server sent a binary frame, and its messages are text")
            case .close, .ping, .pong: try connection.handleControl(frame.kind, payload)
            }
        }
        return used
    }
}
