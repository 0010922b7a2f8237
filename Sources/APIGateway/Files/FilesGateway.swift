import APIKit
import ByteCodec
import ChatModel
import Store
import Transfers
package import Transport

/// The gateway for files and transfers on one reactor: uploads with tus, whole or in forms; downloads with ranges;
/// links for who has no session; and what is under way. Confined to its reactor.
package final class FilesGateway: Gateway {
    private let context: FilesContext
    private unowned let reactor: Reactor
    private var exchanges: [UInt64: any FileExchange] = [:]
    /// Requests whose bodies are being taken.
    private var bodies: [ConnectionID: UploadExchange] = [:]
    private var lastTicket: UInt64 = 0

    package init(context: FilesContext, reactor: Reactor) {
        self.context = context
        self.reactor = reactor
    }

    /// Links, and what is wrong about one.
    package func takesAnyOrigin(_ request: HTTPRequest) -> Bool { request.path.hasPrefix(APIPaths.linkPrefix) }

    /// Leaves every opening to another gateway: files go over plain HTTP.
    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    func exchange(_ ticket: UInt64) -> (any FileExchange)? { self.exchanges[ticket] }

    // MARK: Bodies

    /// Maximum bytes of a request's body that is no file.
    private static let otherBodyBytes = 4096

    /// Plan for the body of a file request; `nil` for a request of another gateway.
    package func plan(for request: HTTPRequest, on connection: Connection) -> BodyPlan? {
        var fields = self.takesAnyOrigin(request) ? FileWording.anyOrigin : []
        do throws(APIFailure) {
            guard let route = try FileRoute.find(request) else { return nil }
            guard route.isStreamed else { return .buffered(maximumBytes: Self.otherBodyBytes) }
            if route.isTus { fields += Self.tusFields }
            return .streamed(try self.takeUpload(route, request, connection, fields))
        } catch {
            // What cannot become anything is not read.
            return Self.refusal(error, fields, request)
        }
    }

    private func takeUpload(
        _ route: FileRoute, _ request: HTTPRequest, _ connection: Connection, _ fields: [(String, String)]
    ) throws(APIFailure) -> UploadExchange {
        let head = UploadOrder.Head(request, fileBytes: self.context.settings.fileBytes)
        guard let order = try UploadOrder.read(route, head) else { throw .bad("no body is taken here") }
        if order.link != nil { try self.checkLinks() }
        let exchange = try UploadExchange(
            order, request, on: connection, context: self.context, port: try self.port(), fields: fields
        ) { [unowned self] ticket in self.left(ticket) }
        self.exchanges[exchange.ticket] = exchange
        self.bodies[connection.id] = exchange
        connection.pauseReading()
        exchange.begin(request)
        return exchange
    }

    private func port() throws(APIFailure) -> ExchangePort {
        guard self.exchanges.count < self.context.settings.openRequests else {
            throw APIFailure(503, "too many files are on their way: ask again", retryAfterSeconds: 1)
        }
        self.lastTicket += 1
        return ExchangePort(ticket: self.lastTicket, reactor: self.reactor)
    }

    private func left(_ ticket: UInt64) {
        guard let exchange = self.exchanges.removeValue(forKey: ticket) as? UploadExchange else { return }
        if self.bodies[exchange.connectionID] === exchange { self.bodies[exchange.connectionID] = nil }
    }

    private func checkLinks() throws(APIFailure) {
        guard self.context.settings.servesLinks else { throw APIFailure(TransferError.notFound) }
    }

    // MARK: Requests

    /// Answers a file request; returns `false` for a request of another gateway.
    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        if let exchange = self.bodies.removeValue(forKey: responder.connectionID) {
            exchange.complete(responder)
            return true
        }
        do throws(APIFailure) {
            guard let route = try FileRoute.find(request) else { return false }
            try self.beginRequest(route, request, responder)
        } catch {
            let route = try? FileRoute.find(request)
            let isLink = self.takesAnyOrigin(request)
            let fields = Self.fields(of: error, isTus: route?.isTus ?? (error.status == 412))
            responder.send(error, (isLink ? FileWording.anyOrigin : []) + fields, isLink: isLink)
        }
        return true
    }

    private func beginRequest(
        _ route: FileRoute, _ request: HTTPRequest, _ responder: HTTPResponder
    ) throws(APIFailure) {
        switch route {
        case .tusOptions: responder.respond(status: 204, headers: self.optionsFields)
        case .linkOptions: responder.respond(status: 204, headers: FileWording.linkOptions)
        case .download(let key): try self.download(request, responder).begin(key, request)
        case .downloadLink(let key):
            try self.checkLinks()
            try self.download(request, responder).begin(key, request)
        case .picture(let name):
            try self.checkLinks()
            try self.download(request, responder).begin(name, request)
        case .tusStatus, .tusTerminate, .deleteFile, .transfers, .transfer, .change:
            let exchange = QuestionExchange(
                route, responder, context: self.context, port: try self.port(),
                fields: route.isTus ? Self.tusFields : []
            ) { [unowned self] ticket in self.left(ticket) }
            self.exchanges[exchange.ticket] = exchange
            exchange.begin(request)
        case .tusCreate, .tusAppend, .put, .form, .putLink, .formLink, .formPicture:
            throw APIFailure(500, "the server has lost the upload")
        }
    }

    /// Longest path that is looked up among those that files had elsewhere, bytes.
    private static let formerPathBytes = 4096

    /// Answers a request that nobody else has taken, where it may be for a file by the path that it had elsewhere.
    func respondToFormerPath(_ request: HTTPRequest, _ responder: HTTPResponder) -> Bool {
        guard request.method == "GET" || request.method == "HEAD", request.path != "/",
            request.path.utf8.count <= Self.formerPathBytes, self.context.settings.servesLinks
        else { return false }
        do throws(APIFailure) {
            try self.download(request, responder, isEmbeddable: true).begin(formerPath: request.path, request)
        } catch {
            responder.send(error)
        }
        return true
    }

    private func download(
        _ request: HTTPRequest, _ responder: HTTPResponder, isEmbeddable: Bool = false
    ) throws(APIFailure) -> DownloadExchange {
        let exchange = DownloadExchange(
            request, responder, context: self.context, port: try self.port(), isOpen: self.takesAnyOrigin(request),
            isEmbeddable: isEmbeddable
        ) { [unowned self] ticket in self.left(ticket) }
        self.exchanges[exchange.ticket] = exchange
        return exchange
    }

    // MARK: tus

    /// Every answer of tus has them. The second lets pages of configured origins read the others; source: the Fetch
    /// standard, "CORS protocol".
    private static let tusFields = [
        ("Tus-Resumable", TusFields.version), ("Access-Control-Expose-Headers", TusFields.readable),
    ]

    private var optionsFields: [(String, String)] {
        var fields =
            Self.tusFields + [
                ("Tus-Version", TusFields.version), ("Tus-Extension", TusFields.extensions),
                ("Tus-Checksum-Algorithm", TusFields.checksumAlgorithms), ("Cache-Control", "no-store"),
            ]
        let most = self.context.settings.fileBytes
        if most > 0 { fields.append(("Tus-Max-Size", String(most))) }
        return fields
    }

    /// Besides those that go with the failure itself.
    private static func fields(of failure: APIFailure, isTus: Bool) -> [(String, String)] {
        guard isTus else { return [] }
        return failure.status == 412 ? Self.tusFields + [("Tus-Version", TusFields.version)] : Self.tusFields
    }

    private static func refusal(
        _ failure: APIFailure, _ fields: [(String, String)], _ request: HTTPRequest
    ) -> BodyPlan {
        let isTus = fields.contains { $0.0 == "Tus-Resumable" } || request.headers["tus-resumable"] != nil
        return .refused(
            status: failure.status, text: failure.message,
            headers: APIAnswer.failure(failure).headers + fields.filter { $0.0 == FileWording.anyOrigin[0].0 }
                + Self.fields(of: failure, isTus: isTus))
    }
}
