/// Kind of a frame of the binary encoding: the high nibble of its first byte.
///
/// Source: WuKongIMGoProto, frame types. 0 and 13...15 name nothing.
package enum BinaryPacketType: UInt8, Hashable, Sendable, CaseIterable {
    case connect = 1
    case connectAcknowledge = 2
    case send = 3
    case sendAcknowledge = 4
    case receive = 5
    case receiveAcknowledge = 6
    case ping = 7
    case pong = 8
    case disconnect = 9
    case subscribe = 10
    case subscribeAcknowledge = 11
    case event = 12

    /// The type in a frame's first byte, `nil` for an unknown one.
    package init?(firstByte: UInt8) {
        self.init(rawValue: firstByte >> 4)
    }

    /// A frame of this type is its first byte and nothing else, not even a length.
    package var isSingleByte: Bool { self == .ping || self == .pong }

    /// The name that the protocol's documents use.
    package var name: String {
        switch self {
        case .connect: "CONNECT"
        case .connectAcknowledge: "CONNACK"
        case .send: "SEND"
        case .sendAcknowledge: "SENDACK"
        case .receive: "RECV"
        case .receiveAcknowledge: "RECVACK"
        case .ping: "PING"
        case .pong: "PONG"
        case .disconnect: "DISCONNECT"
        case .subscribe: "SUB"
        case .subscribeAcknowledge: "SUBACK"
        case .event: "EVENT"
        }
    }
}

extension WuKongHeader {
    /// The flags in the low nibble of a frame's first byte. CONNACK is the one type that gives bit 0 another meaning.
    ///
    /// Source: WuKongIMGoProto: bit 0 noPersist, 1 redDot, 2 syncOnce, 3 dup.
    init(flags: UInt8) {
        self.init(
            noPersist: flags & 0x1 != 0, redDot: flags & 0x2 != 0, syncOnce: flags & 0x4 != 0, dup: flags & 0x8 != 0)
    }

    var flags: UInt8 {
        (self.noPersist ? 0x1 : 0) | (self.redDot ? 0x2 : 0) | (self.syncOnce ? 0x4 : 0) | (self.dup ? 0x8 : 0)
    }
}
