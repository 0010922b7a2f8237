package import Accounts
package import ByteCodec
package import ChatModel
package import Store
package import Transport

/// Caller, as far as it was proved.
package enum APICaller: Hashable, Sendable {
    /// Nobody looked.
    case anyone
    /// An app's own server, with the manager's token.
    case manager
    /// A client of the app, with the key that all of them have.
    case app
    /// A person, with a token of one of their devices.
    case person(Identity)
}

/// A request as its handler gets it: proved, decoded, bounded.
package struct APIRequest: Sendable {
    /// Method in capitals.
    package var method: String
    /// Path, percent-encoded as sent.
    package var path: String
    /// Values in the places of the pattern's names, decoded.
    package var parameters: [String: String]
    /// Query, decoded.
    package var query: HTTPQuery
    /// The JSON of the body; `null` without one, and for a route that takes bytes.
    package var body: JSONValue
    /// True when a body came: then a `null` was written.
    package var hasBody: Bool
    /// The body as it came, for a route that takes bytes.
    package var bytes: [UInt8]
    /// Caller, as far as it was proved.
    package var caller: APICaller
    /// Address of the other side.
    package var peer: PeerAddress
    /// True when the connection carries TLS.
    package var isEncrypted: Bool
    /// Host and port under which this server was asked for.
    package var authority: String?
    /// Media type of the body; `nil` when none was sent.
    package var contentType: String?
    /// The header field `X-Teahouse-Signature`.
    package var signature: String?
    /// All header fields.
    package var headers: HTTPHeaders

    // MARK: The caller

    /// Token that the request shows; `nil` for none.
    package var token: String? { APIContext.token(in: self.headers) }

    /// On whose account the store reads for this request.
    package var asker: ReadAsker {
        switch self.caller {
        case .manager: .application
        case .person(let identity): .person(identity.user)
        case .anyone, .app: .address(self.peer.throttleKey)
        }
    }

    /// By whose right the caller asks.
    ///
    /// - Throws: 403 for nobody.
    package func actor() throws(APIFailure) -> Actor {
        switch self.caller {
        case .manager: .application
        case .person(let identity): Actor(identity.user)
        case .anyone, .app: throw APIFailure(403, "only a person or the manager may do this")
        }
    }

    /// The person who asks.
    ///
    /// - Throws: 403 for anybody else.
    package func person() throws(APIFailure) -> Identity {
        guard case .person(let identity) = self.caller else { throw APIFailure(403, "only a person may do this") }
        return identity
    }

    // MARK: Fields

    /// The body as an object.
    package func fields() throws(APIFailure) -> APIFields {
        guard self.body.object != nil else { throw .bad("expected a JSON object as the body") }
        return APIFields(self.body)
    }

    /// Value in the place of a pattern's name. Throws when the pattern has none.
    package func parameter(_ name: String) throws(APIFailure) -> String {
        guard let value = self.parameters[name], !value.isEmpty else { throw .bad("\(name) is missing in the path") }
        return value
    }

    /// A member of the query.
    package func queryText(_ name: String) throws(APIFailure) -> String {
        guard let value = self.query[name], !value.isEmpty else { throw .bad("\(name) is missing in the query") }
        return value
    }

    /// Integer of the query, or `otherwise` when it is absent. Throws for other text.
    package func queryInteger(_ name: String, otherwise: Int64) throws(APIFailure) -> Int64 {
        guard let text = self.query[name], !text.isEmpty else { return otherwise }
        guard let value = Int64(text) else { throw .bad("\(name) is no whole number") }
        return value
    }
}
