import Accounts
import AdminAPI
import ChatModel
import Store

// Links by which people come in, made by the operator.
extension AdminHandler {
    func invite(_ wanted: AdminNewInvitation, _ then: @escaping Answer) {
        let address: String
        do throws(AdminError) {
            try checkTitle(wanted.displayName)
            address = try self.serverAddress(wanted.address)
        } catch {
            return then(.failure(error))
        }
        let displayName = wanted.displayName ?? ""
        let order = InvitationOrder(
            name: wanted.name, displayName: displayName.isEmpty ? nil : displayName, hours: wanted.hours,
            clientToken: nil)
        self.accounts.invite(order, by: .system, auditing: self.note) { result in
            then(
                result.map { issued in
                    .invited(
                        AdminIssuedInvitation(
                            number: issued.invitation.number,
                            link: address + IssuedInvitation.path(ofCode: issued.code),
                            isHereOnly: Self.isHereOnly(address),
                            endsAtMilliseconds: issued.invitation.endsAtMilliseconds))
                }.mapError { AdminError($0) })
        }
    }

    func listInvitations(before: Int64?, _ then: @escaping Answer) {
        let (now, limit) = (self.options.clock.wallMilliseconds(), AdminProtocol.pageRows)
        self.read(then) { transaction throws(StoreError) in
            let found = try transaction.invitations.page(before: before ?? .max, at: now, limit: limit + 1)
            let rows = found.prefix(limit).map {
                AdminInvitation(
                    number: $0.number, inviter: $0.inviterName, name: $0.name, displayName: $0.displayName,
                    createdAtMilliseconds: $0.createdAtMilliseconds, endsAtMilliseconds: $0.endsAtMilliseconds)
            }
            return .invitations(rows, next: found.count > limit ? rows.last?.number : nil)
        }
    }

    func withdrawInvitation(_ number: Int64, _ then: @escaping Answer) {
        self.write(then) { transaction throws(StoreError) in
            guard try transaction.invitations.remove(number) else { throw .notFound("open invitation \(number)") }
            return .done
        }
    }

    /// Address of the server for a link, without a slash at its end.
    ///
    /// - Throws: `invalid` for an address that is no scheme, host and port.
    private func serverAddress(_ wanted: String?) throws(AdminError) -> String {
        guard var address = wanted, !address.isEmpty else {
            return self.options.publicAddress() ?? "http://\(self.options.addresses.first ?? "localhost")"
        }
        if address.hasSuffix("/") { address.removeLast() }
        let scheme = ["http://", "https://"].first { address.hasPrefix($0) }
        let host = address.utf8.dropFirst(scheme?.utf8.count ?? 0)
        // Letters, digits, and what stands in addresses: - . : [ ] _
        let isPlain = host.allSatisfy { byte in
            (0x30...0x3A).contains(byte) || (0x41...0x5B).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5D, 0x5F].contains(byte)
        }
        guard scheme != nil, isPlain, (1...255).contains(host.count) else {
            throw AdminError(.invalid, "the address of a server is like https://chat.lan:7677, without a path")
        }
        return address
    }

    /// True for an address of this machine alone.
    private static func isHereOnly(_ address: String) -> Bool {
        ["http", "https"].contains { scheme in
            ["127.", "localhost", "[::1]"].contains { address.hasPrefix("\(scheme)://\($0)") }
        }
    }
}
