package import Glibc

/// `sockaddr` of both families, in and out.
package enum SocketAddress {
    /// Reads what the kernel filled in; `nil` for other families.
    package static func peer(_ storage: sockaddr_storage) -> PeerAddress? {
        withUnsafeBytes(of: storage) { raw in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = raw.loadUnaligned(as: sockaddr_in.self)
                let bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
                return IPAddress(bytes: bytes).map {
                    PeerAddress(address: $0, port: UInt16(bigEndian: address.sin_port))
                }
            case AF_INET6:
                let address = raw.loadUnaligned(as: sockaddr_in6.self)
                let bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
                return IPAddress(bytes: bytes).map {
                    PeerAddress(address: $0, port: UInt16(bigEndian: address.sin6_port))
                }
            default: return nil
            }
        }
    }

    /// Calls `body` with a `sockaddr` for the address.
    package static func with<Result>(
        _ address: IPAddress, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        func pass<Family>(_ value: inout Family) -> Result {
            withUnsafePointer(to: &value) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Family>.size))
                }
            }
        }
        if address.isIPv4 {
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: address.bytes) }
            return pass(&four)
        }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: address.bytes) }
        return pass(&six)
    }

    /// Our own end of a socket.
    static func local(of descriptor: Int32) -> PeerAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let failure = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return failure == 0 ? Self.peer(storage) : nil
    }

    /// The addresses of this machine's interfaces.
    package static func ofInterfaces() -> [IPAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [IPAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr else { continue }
            var storage = sockaddr_storage()
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: .init(start: address, count: size)) }
            if let peer = Self.peer(storage), !found.contains(peer.address) { found.append(peer.address) }
        }
        return found
    }

    /// The machine's name, as `hostname` prints it.
    static func hostName() -> String {
        var room = [CChar](repeating: 0, count: 256)
        guard gethostname(&room, room.count - 1) == 0 else { return "" }
        return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
