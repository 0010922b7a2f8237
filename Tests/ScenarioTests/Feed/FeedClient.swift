import APIGateway
import ByteCodec
import ChatModel
import Execution
import TeahouseTesting
import Testing

/// A native client that listens to the events feed.
final class FeedClient {
    private let socket: ClientWebSocket
    /// Cursor of the newest event, or of the greeting.
    private(set) var cursor = ""

    /// - Parameter after: the cursor to go on at; `nil` to begin at what is newest.
    init(
        _ server: TestServer, token: String, after: String? = nil, receiveBufferBytes: Int32? = nil
    ) throws {
        self.socket = try ClientWebSocket(
            port: server.port, path: FeedGateway.path, fields: [("Sec-WebSocket-Protocol", FeedGateway.subprotocol)],
            receiveBufferBytes: receiveBufferBytes)
        let place = after.map { #","after":"\#($0)""# } ?? ""
        try self.say(#"{"token":"\#(token)"\#(place)}"#)
    }

    /// Signed in.
    static func ready(
        _ server: TestServer, _ name: String, after: String? = nil, receiveBufferBytes: Int32? = nil
    ) throws -> FeedClient {
        let client = try FeedClient(
            server, token: try server.token(name, .web), after: after, receiveBufferBytes: receiveBufferBytes)
        let hello = try #require(try client.next()?["hello"])
        #expect(hello["user"]?["name"]?.string == name)
        client.cursor = try #require(hello["cursor"]?.string)
        return client
    }

    var subprotocol: String? { self.socket.field("sec-websocket-protocol") }

    var closeCode: UInt16? { self.socket.closeCode }

    func say(_ json: String) throws { try self.socket.send(.text(Array(json.utf8))) }

    /// Cuts the connection without a word.
    func drop() { self.socket.drop() }

    /// `nil` when the server has closed.
    func next() throws -> JSONValue? {
        guard case .text(let bytes)? = try self.socket.receive() else { return nil }
        let frame = try JSONValue(parsing: bytes)
        if let cursor = frame["cursor"]?.string { self.cursor = cursor }
        return frame
    }

    /// The next event, which must have this type.
    @discardableResult
    func event(_ type: String, _ location: SourceLocation = #_sourceLocation) throws -> JSONValue {
        let event = try #require(try self.next(), "closed, waiting for \(type)", sourceLocation: location)
        try #require(event["type"]?.string == type, "\(event)", sourceLocation: location)
        return event
    }

    /// Passes over events until one has this type.
    @discardableResult
    func wait(for type: String, _ location: SourceLocation = #_sourceLocation) throws -> JSONValue {
        while let event = try self.next() { if event["type"]?.string == type { return event } }
        throw TestClientError(description: "closed, waiting for \(type)")
    }

    /// Everything until a change that is made now, a group of this person's alone, which is not among it.
    func everything(_ server: TestServer, _ name: String) throws -> [JSONValue] {
        try server.settle()
        let last = try server.group("last-\(Int64.random(in: 0...Int64.max))", [name])
        var events: [JSONValue] = []
        while let event = try self.next() {
            if event["conversation"]?["id"]?.string == "\(last.rawValue)" { return events }
            events.append(event)
        }
        throw TestClientError(description: "closed")
    }

    /// Everything until the answer to a ping: what the server has sent before.
    func pending() throws -> [JSONValue] {
        try self.say(#"{"ping":1}"#)
        var events: [JSONValue] = []
        while let event = try self.next() {
            if event["pong"] != nil { return events }
            events.append(event)
        }
        throw TestClientError(description: "closed before the answer to a ping")
    }
}

extension TestServer {
    /// A long-poll, answered.
    func poll(_ token: String, after: String? = nil, wait: Int = 0) throws -> HTTPReply {
        try FeedClient.poll(port: self.port, token, after: after, wait: wait)
    }
}

extension FeedClient {
    /// A long-poll, answered.
    static func poll(port: UInt16, _ token: String, after: String?, wait: Int) throws -> HTTPReply {
        let place = after.map { "&after=\($0)" } ?? ""
        return try HTTPTestClient.ask(
            port: port, "GET", "\(FeedGateway.path)?wait=\(wait)\(place)", headers: [("token", token)])
    }

    /// The same on another thread.
    static func pollLater(port: UInt16, _ token: String, after: String, wait: Int) -> () -> HTTPReply? {
        let answer = ConditionLock<Result<HTTPReply, any Error>?>(nil)
        let thread = Thread(name: "poll") {
            let reply = Result { try self.poll(port: port, token, after: after, wait: wait) }
            answer.change { $0 = reply }
        }
        return {
            let reply = answer.wait(until: { $0 != nil }, then: { $0 })
            thread.join()
            return try? reply?.get()
        }
    }
}
