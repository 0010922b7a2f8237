import CLinux
import Glibc

/// A listening socket that a service manager opened and passed on.
package struct PassedSocket: Hashable, Sendable {
    /// Descriptor in this process.
    package let descriptor: Int32
    /// Name that the manager gave it: its unit's, or that of `FileDescriptorName=`.
    package let name: String

    package init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Checks the socket and makes it one of ours: no child has it, and no call on it waits.
    ///
    /// - Returns: the address that it listens on.
    /// - Throws: `notAListener` when it is no socket, not of TCP over IPv4 or IPv6, or does not listen.
    func adopted() throws(TransportError) -> BoundAddress {
        guard let family = self.option(SO_DOMAIN), let kind = self.option(SO_TYPE) else {
            throw self.refusal("it is not a socket")
        }
        guard family == AF_INET || family == AF_INET6 else {
            throw self.refusal("it is not of IPv4 or IPv6; write ListenStream= with a port, or an address and a port")
        }
        guard kind == Int32(SOCK_STREAM.rawValue), self.option(SO_PROTOCOL) == Int32(IPPROTO_TCP) else {
            throw self.refusal("it is not of TCP; write ListenStream=")
        }
        guard self.option(SO_ACCEPTCONN) == 1 else {
            throw self.refusal("it does not listen; the socket unit needs Accept=no")
        }
        guard let own = SocketAddress.local(of: self.descriptor), clinux_set_nonblocking(self.descriptor) == 0,
            fcntl(self.descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw self.refusal(String(cString: strerror(clinux_errno()))) }
        return BoundAddress(address: own.address, port: own.port)
    }

    private func option(_ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(self.descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    private func refusal(_ reason: String) -> TransportError {
        .notAListener(descriptor: self.descriptor, name: self.name, reason: reason)
    }
}
