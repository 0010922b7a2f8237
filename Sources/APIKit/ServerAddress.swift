package import Transport

/// Address of this server for messages and answers.
extension APIServices {
    /// Address that goes into messages: as the operator says, else as the client has reached the server.
    ///
    /// - Parameter asked: the same as the client has just reached it; see `serverAddress`.
    /// - Returns: no slash at its end; `nil` for a client that does not name the server.
    package func messageAddress(asked: String?) -> String? { self.publicURL ?? asked }
}

extension APIRequest {
    /// Address of the server by the name that the client asked for: one of its names or addresses, for others are refused
    /// with 421. `nil` for a client that does not name it.
    package var serverAddress: String? { address(of: self.authority, isEncrypted: self.isEncrypted) }
}

extension HTTPRequest {
    /// The same for a request that no route has taken yet.
    package var serverAddress: String? { address(of: self.head.authority, isEncrypted: self.isEncrypted) }
}

private func address(of authority: String?, isEncrypted: Bool) -> String? {
    authority.map { "\(isEncrypted ? "https" : "http")://\($0)" }
}
