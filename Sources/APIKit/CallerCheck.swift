package import Transport

/// How an area takes in requests that were not made for our own gateways: keys of its own instead of tokens, requests
/// folded into others, and pages of any origin.
///
/// In such an area `RouteAccess.anyone` asks for nothing, `.manager` for the right to do everything, and each other
/// access for any key of the app.
package struct CallerCheck: Sendable {
    /// In every answer, so that pages of any origin may read it. There are no cookies that such a page could misuse.
    /// Source: the Fetch standard, "CORS protocol".
    package var headers: [(String, String)]
    /// Answer to a page that asks what it may send.
    package var preflight: APIAnswer
    /// The request that was meant by one that carries it in its body; others as they are.
    package var unfold: @Sendable (HTTPRequest) throws(APIFailure) -> HTTPRequest
    /// Finds the caller for a route with this access; it throws the answer. The last argument says whether secrets may
    /// cross the connection as they are. On a reactor: it must not wait.
    package var prove: @Sendable (HTTPRequest, RouteAccess, _ mayShowSecrets: Bool) throws(APIFailure) -> APICaller

    package init(
        headers: [(String, String)], preflight: APIAnswer,
        unfold: @escaping @Sendable (HTTPRequest) throws(APIFailure) -> HTTPRequest,
        prove: @escaping @Sendable (HTTPRequest, RouteAccess, _ mayShowSecrets: Bool) throws(APIFailure) -> APICaller
    ) {
        self.headers = headers
        self.preflight = preflight
        self.unfold = unfold
        self.prove = prove
    }
}
