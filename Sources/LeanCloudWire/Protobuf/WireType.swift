/// How the content of a field is delimited: the low three bits of its tag.
///
/// Source: protobuf.dev, "Encoding", message structure.
package enum WireType: UInt8, Hashable, Sendable {
    case varint = 0
    case fixed64 = 1
    /// A length as varint, then so many bytes.
    case delimited = 2
    case groupStart = 3
    case groupEnd = 4
    case fixed32 = 5
}
