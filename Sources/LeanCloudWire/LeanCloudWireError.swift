/// Why a frame is not the command that its reader asked for, which field is to blame, and where it stands.
package struct LeanCloudWireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Reason why the frame cannot be read.
    package enum Reason: Hashable, Sendable {
        /// This many bytes are missing.
        case inputEnded(missing: Int)
        /// A varint of more than ten bytes, or of more than 64 bits.
        case invalidVarint
        /// A field number of 0 or of more than 29 bits, a wire type that does not exist, or the end of a group that is
        /// not open.
        case invalidTag
        case invalidUTF8
        case wrongWireType(found: WireType, expected: WireType)
        case requiredFieldMissing
        case frameTooLong(bytes: Int, limit: Int)
        case tooManyFields(limit: Int)
        case groupsTooDeep(limit: Int)
        /// A text frame where the subprotocol has binary ones, or the other way round.
        case wrongFrameKind(expectsText: Bool)
        case invalidBase64
    }

    /// Reason why the frame cannot be read.
    package let reason: Reason
    /// Bytes of the frame before the fault.
    package let offset: Int
    /// The field's names from the command inwards, such as `errorMessage.code`; `nil` when no known field is to blame.
    package private(set) var field: String?

    package init(_ reason: Reason, at offset: Int, field: String? = nil) {
        self.reason = reason
        self.offset = offset
        self.field = field
    }

    /// The same error, seen from the message that holds the field `name`.
    func inside(_ name: String) -> LeanCloudWireError {
        let path = self.field.map { "\(name).\($0)" } ?? name
        return LeanCloudWireError(self.reason, at: self.offset, field: path)
    }

    package var description: String {
        let place = self.field.map { "\($0) at byte \(self.offset)" } ?? "byte \(self.offset)"
        return "\(place): \(self.reasonText)"
    }

    private var reasonText: String {
        switch self.reason {
        case .inputEnded(let missing): "\(missing) bytes are missing"
        case .invalidVarint: "no valid variable-length integer"
        case .invalidTag: "no valid field number and wire type"
        case .invalidUTF8: "the text is not UTF-8"
        case .wrongWireType(let found, let expected): "wire type \(found) where \(expected) belongs"
        case .requiredFieldMissing: "the field is required and missing"
        case .frameTooLong(let bytes, let limit): "a frame of \(bytes) bytes, \(limit) are allowed"
        case .tooManyFields(let limit): "more than \(limit) fields in one frame"
        case .groupsTooDeep(let limit): "groups nested more than \(limit) deep"
        case .wrongFrameKind(let expectsText): "the subprotocol has \(expectsText ? "text" : "binary") frames"
        case .invalidBase64: "the text is not base64"
        }
    }
}
