import APIKit
import ChatModel
import Execution
import Store
import Transport

/// One request at the gateways for files, from its head to its answer. Confined to its reactor.
protocol FileExchange: AnyObject {
    var ticket: UInt64 { get }
}

/// Port through which other threads hand results to an exchange.
struct ExchangePort: Sendable {
    let ticket: UInt64
    private let jobs: Mailbox<Reactor.Job>

    init(ticket: UInt64, reactor: Reactor) {
        self.ticket = ticket
        self.jobs = reactor.jobs
    }

    /// A closure for any thread; `body` runs on the reactor, unless the exchange is over by then.
    func back<Exchange: FileExchange & SendableMetatype, Value: Sendable>(
        to _: Exchange.Type, _ body: @escaping @Sendable (Exchange, Value) -> Void
    ) -> @Sendable (Value) -> Void {
        let (ticket, jobs) = (self.ticket, self.jobs)
        return { value in
            jobs.post { reactor in
                guard let exchange = reactor.gateway(FilesGateway.self)?.exchange(ticket) as? Exchange else { return }
                body(exchange, value)
            }
        }
    }
}

/// Caller, as the engine of transfers knows it.
struct FileCaller: Hashable, Sendable {
    var actor: Actor
    var transferClass: TransferClass

    init(_ caller: APICaller) {
        switch caller {
        case .person(let identity):
            self.actor = Actor(identity.user)
            self.transferClass = .attachment
        case .manager, .anyone:
            self.actor = .application
            self.transferClass = .operator
        case .app:
            // Every client of the app has its key: it gives no right to what is anybody's.
            self.actor = Actor(.system)
            self.transferClass = .attachment
        }
    }

    /// On whose account the store reads for them.
    var asker: ReadAsker { self.actor.isPrivileged ? .application : .person(self.actor.user) }

    /// Makes an asker who was authenticated in another way than by a token.
    init(person: UserID, _ transferClass: TransferClass) {
        self.init(actor: Actor(person), transferClass: transferClass)
    }

    /// A client of an app that says nothing of its person.
    static let app = FileCaller(actor: .application, transferClass: .attachment)

    /// Caller with a link, and nobody in particular.
    static let link = FileCaller(actor: Actor(.system), transferClass: .attachment)

    private init(actor: Actor, transferClass: TransferClass) {
        self.actor = actor
        self.transferClass = transferClass
    }
}

extension HTTPResponder {
    /// The fields that every answer of these gateways has, besides those of a file.
    func send(_ answer: APIAnswer) {
        self.respond(
            status: answer.status,
            headers: [
                ("Content-Type", answer.contentType), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ] + answer.headers, body: answer.body)
    }

    /// - Parameter isLink: the request came by a link, as apps of every SDK do: each reads another member of an error.
    func send(_ failure: APIFailure, _ headers: [(String, String)] = [], isLink: Bool = false) {
        var answer = APIAnswer.nativeFailure(failure)
        if isLink { answer.body = ErrorBody.json(status: failure.status, failure.message) }
        answer.headers += headers
        self.send(answer)
    }
}
