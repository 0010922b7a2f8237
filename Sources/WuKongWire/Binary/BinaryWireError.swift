package import ByteCodec

/// Why bytes are no frame of the binary encoding. None can be answered in it: the connection ends.
package enum BinaryWireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The high nibble of a first byte that names no packet.
    case unknownType(UInt8)
    /// The fourth length byte says that another one follows.
    case lengthTooLong
    /// A frame would be longer than its reader allows; both in bytes, header included.
    case frameTooLong(bytes: Int, limit: Int)
    /// A whole frame was promised and is not what its length bytes say.
    case notOneFrame
    /// A packet that only the other side may send.
    case wrongDirection(BinaryPacketType)
    /// A field of the body, at an offset counted from its start.
    case malformed(BinaryPacketType, DecodeError)

    package var description: String {
        switch self {
        case .unknownType(let type): "a frame of the unknown type \(type)"
        case .lengthTooLong: "the length of a frame has more than four bytes"
        case .frameTooLong(let bytes, let limit): "a frame of \(bytes) bytes, where \(limit) are allowed"
        case .notOneFrame: "the bytes are not exactly one frame"
        case .wrongDirection(let type): "\(type.name) came from the side that only receives it"
        case .malformed(let type, let error): "\(type.name): \(error)"
        }
    }
}
