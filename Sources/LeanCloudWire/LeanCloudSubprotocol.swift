import ByteCodec

/// Subprotocol of the WebSocket: it settles how commands stand in frames, and how messages are caught up.
///
/// The name is `lc.`, the format, a dot and the version.
package struct LeanCloudSubprotocol: Hashable, Sendable {
    /// Encoding of commands in frames.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// Each command is one binary frame.
        case binary = "protobuf2"
        /// Each command is one text frame of base64, in both directions.
        case base64 = "proto2base64"
    }

    /// Version, which settles how missed messages arrive.
    package enum Version: String, Hashable, Sendable, CaseIterable {
        /// The server sends what was missed as `direct` commands.
        case pushesMissedMessages = "1"
        /// The server tells how many messages wait, and the client asks for them.
        case countsMissedMessages = "3"
    }

    /// Encoding of commands in frames.
    package let format: Format
    /// Version that the client asked for.
    package let version: Version

    package init(_ format: Format, _ version: Version) {
        self.format = format
        self.version = version
    }

    /// As it stands in `Sec-WebSocket-Protocol`, `lc.protobuf2.3` for instance.
    package var name: String { "lc.\(self.format.rawValue).\(self.version.rawValue)" }

    /// The subprotocol of exactly this name; `nil` for any other, JSON among them.
    package init?(name: String) {
        for format in Format.allCases {
            for version in Version.allCases {
                let known = Self(format, version)
                guard known.name == name else { continue }
                self = known
                return
            }
        }
        return nil
    }

    /// The first of the offered ones that is known; its name is what the answer must echo.
    ///
    /// - Parameter offered: as the client listed them, its favourite first.
    package static func chosen(from offered: [String]) -> LeanCloudSubprotocol? {
        for name in offered {
            if let known = Self(name: name) { return known }
        }
        return nil
    }

    // MARK: Frames

    /// True when commands travel in text frames.
    package var usesTextFrames: Bool { self.format == .base64 }

    /// Reads the command in one WebSocket message.
    ///
    /// - Throws: `wrongFrameKind` and `invalidBase64` besides what `GenericCommand` throws.
    package func decode(
        _ frame: UnsafeRawBufferPointer, isText: Bool, limits: WireLimits = WireLimits()
    ) throws(LeanCloudWireError) -> GenericCommand {
        guard isText == self.usesTextFrames else {
            throw LeanCloudWireError(.wrongFrameKind(expectsText: self.usesTextFrames), at: 0)
        }
        switch self.format {
        case .binary: return try GenericCommand(decoding: frame, limits: limits)
        case .base64: return try GenericCommand(decoding: try Self.bytes(ofBase64: frame, limits), limits: limits)
        }
    }

    /// The client and the number of a request whose frame is no command, as far as they can be read.
    package func salvage(_ frame: UnsafeRawBufferPointer, isText: Bool) -> GenericCommand {
        guard isText == self.usesTextFrames else { return GenericCommand() }
        switch self.format {
        case .binary: return GenericCommand(salvaging: frame)
        case .base64:
            let bytes = try? Self.bytes(ofBase64: frame, WireLimits(frameBytes: frame.count))
            return bytes?.withUnsafeBytes { GenericCommand(salvaging: $0) } ?? GenericCommand()
        }
    }

    /// Encodes a command as the content of one WebSocket message.
    package func encode(_ command: GenericCommand) -> [UInt8] { self.frame(of: command.encoded()) }

    /// The same of a command's bytes.
    package func frame(of command: [UInt8]) -> [UInt8] {
        switch self.format {
        case .binary: command
        case .base64: Base64.encode(command)
        }
    }

    /// Either alphabet, padded to whole groups of four or not at all.
    private static func bytes(
        ofBase64 text: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(LeanCloudWireError) -> [UInt8] {
        // Compared before anything of that size is kept.
        guard text.count / 4 * 3 <= limits.frameBytes + 2 else {
            throw LeanCloudWireError(.frameTooLong(bytes: text.count / 4 * 3, limit: limits.frameBytes), at: 0)
        }
        var characters = [UInt8](text)
        if text.count % 4 == 0 {
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        for index in characters.indices {
            switch characters[index] {
            case UInt8(ascii: "+"): characters[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): characters[index] = UInt8(ascii: "_")
            default: break
            }
        }
        guard let bytes = Base64.decode(characters, .urlSafe) else {
            throw LeanCloudWireError(.invalidBase64, at: 0)
        }
        return bytes
    }
}
