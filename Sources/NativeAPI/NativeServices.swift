package import APIKit
package import Accounts
import Broker
package import ByteCodec
package import ChatModel
package import Localization
package import Profiles
package import Store

/// Values that the routes of the native API need besides the services of every API.
package struct NativeServices: Sendable {
    /// Names and pictures of people.
    package var profiles: Profiles
    /// Name of the server, for people.
    package var serverName: String
    /// Most bytes of a file.
    package var fileBytes: Int64

    package init(profiles: Profiles, serverName: String, fileBytes: Int64) {
        self.profiles = profiles
        self.serverName = serverName
        self.fileBytes = fileBytes
    }

    /// Cursor of the feed of events for the state that a read looks at.
    package static func cursor(of store: ReadTransaction) throws(StoreError) -> String {
        FeedCursor(epoch: try store.feed.epoch, position: try store.feed.position.rawValue).text
    }
}

/// One request of the native API, checked.
package struct NativeCall: StoreCall {
    /// Request as it came.
    package let request: APIRequest
    /// Services of every API.
    package let services: APIServices
    /// Services of this one.
    package let native: NativeServices
    /// Values of the request.
    package let input: NativeInput
    /// The person who asks; `nil` on routes for everybody.
    package let caller: Identity?
    /// Takes the answer.
    package let reply: APIReply

    /// Store that the request reads and changes.
    package var store: Store { self.services.store }
    /// Account that the time of its reads goes to.
    package var asker: ReadAsker { self.request.asker }
    /// Origin of the changes that it makes: the native API, and no session.
    package var origin: EventOrigin { EventOrigin(.native) }

    /// Makes the answer for an error of the store.
    package func failure(_ error: StoreError) -> APIFailure { Problem(error).failure }

    /// The person who asks, on a route that needs one.
    package var person: Identity {
        guard let caller else { preconditionFailure("the route takes anyone") }
        return caller
    }

    /// Identifier of the person who asks.
    package var user: UserID { self.person.user }

    /// Language that the request asks for.
    package var language: Language { Language(accepted: self.request.headers["accept-language"]) }

    /// Address of this server for what goes into messages: as the operator says, else as the client has reached it; `nil`
    /// for a client that does not name it.
    var base: String? { self.services.messageAddress(asked: self.request.serverAddress) }

    /// Time now, UTC milliseconds.
    package var now: Int64 { self.services.clock.wallMilliseconds() }

    // MARK: Answers

    /// Answers that the request cannot be done.
    package func fail(_ problem: Problem) { self.reply(.failure(problem.failure)) }

    /// Answers with nothing but success.
    package func done() { self.reply(.done) }

    /// Answers with a value that `write` writes.
    package func answer(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) {
        self.reply(.native(status, write))
    }
}

extension APIAnswer {
    /// 204.
    package static let done = APIAnswer(status: 204, contentType: "", body: [])

    /// A value that `write` writes.
    package static func native(
        _ status: Int = 200, cursor: String? = nil, _ write: (inout JSONWriter) -> Void
    ) -> APIAnswer {
        var writer = JSONWriter(capacity: 1024)
        write(&writer)
        return APIAnswer(
            status: status, headers: cursor.map { [("Teahouse-Cursor", $0)] } ?? [], body: writer.bytes)
    }
}

extension JSONWriter {
    /// Writes a text under a key, and nothing without one.
    mutating func text(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.key(name)
        self.string(value)
    }

    /// Writes a number under a key, and nothing without one.
    mutating func number(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.key(name)
        self.integer(value)
    }

    /// Writes a switch under a key, and nothing without one.
    mutating func flag(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.key(name)
        self.boolean(value)
    }
}
