import CLinux
import Glibc

/// Where to listen.
package struct ListenAddress: Hashable, Sendable {
    /// An address literal; `*` is every address of this machine, IPv6 and IPv4 in one socket where both exist.
    package let host: String
    /// 0 lets the kernel choose.
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}

/// Where a server listens, with the real port.
package struct BoundAddress: Hashable, Sendable {
    /// Address that the listener is bound to.
    package let address: IPAddress
    /// Port that the listener is bound to, also when the settings asked for port 0.
    package let port: UInt16

    /// The address by which another machine reaches one of these; of this machine alone when they are.
    ///
    /// A listener on every address has those of the interfaces, in the order of the system; IPv4 comes first, for it
    /// needs no brackets, and link-local IPv6 is none, for it needs a zone.
    package static func reachable(among bound: [BoundAddress], interfaces: [IPAddress]) -> BoundAddress? {
        let all = bound.flatMap { bound in
            guard bound.address.isUnspecified else { return [bound] }
            return interfaces.filter { $0.isIPv4 || !bound.address.isIPv4 }.map {
                BoundAddress(address: $0, port: bound.port)
            }
        }
        let others = all.filter { $0.address.scope != .loopback && !$0.address.isLinkLocalIPv6 }
        return others.first { $0.address.isIPv4 } ?? others.first ?? all.first
    }
}

/// A listening socket, shared by all reactors. Closed with the object.
final class Listener: Sendable {
    let descriptor: Int32
    let bound: BoundAddress

    /// Binds and listens at once.
    init(_ wanted: ListenAddress) throws(TransportError) {
        if wanted.host == "*" {
            do throws(TransportError) {
                (self.descriptor, self.bound) = try Self.open("::", port: wanted.port)
            } catch {
                guard case .cannotListen(_, _, let code) = error, code == EAFNOSUPPORT || code == EADDRNOTAVAIL else {
                    throw error
                }
                (self.descriptor, self.bound) = try Self.open("0.0.0.0", port: wanted.port)
            }
        } else {
            (self.descriptor, self.bound) = try Self.open(wanted.host, port: wanted.port)
        }
    }

    /// Listens on a socket that is open already.
    init(_ passed: PassedSocket) throws(TransportError) {
        self.bound = try passed.adopted()
        self.descriptor = passed.descriptor
    }

    deinit { close(self.descriptor) }

    private static func open(_ host: String, port: UInt16) throws(TransportError) -> (Int32, BoundAddress) {
        guard let address = IPAddress(host) else { throw .notAnAddress(host) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.isIPv4 ? AF_INET : AF_INET6, kind, 0)
        guard descriptor >= 0 else { throw .cannotListen(host: host, port: port, code: clinux_errno()) }
        Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, to: 1)
        if !address.isIPv4 { Self.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: host == "::" ? 0 : 1) }
        let isBound = SocketAddress.with(address, port: port) { bind(descriptor, $0, $1) == 0 }
        guard isBound, listen(descriptor, 1024) == 0, let own = SocketAddress.local(of: descriptor) else {
            let code = clinux_errno()
            close(descriptor)
            throw .cannotListen(host: host, port: port, code: code)
        }
        return (descriptor, BoundAddress(address: address, port: own.port))
    }

    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
