package import Transport

/// The gateway for files by the paths that they had at another server: the last one of a reactor, for what no other
/// gateway has taken. Confined to its reactor.
package final class FormerFilesGateway: Gateway {
    private unowned let files: FilesGateway

    /// - Parameter files: gateway of the same reactor, which outlives this one.
    package init(_ files: FilesGateway) { self.files = files }

    /// Leaves every opening to another gateway.
    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    /// Answers a request that may be for such a file.
    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        self.files.respondToFormerPath(request, responder)
    }
}
