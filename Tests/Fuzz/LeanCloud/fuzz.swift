/// Feeds bytes to the reader of LeanCloud's commands.
///
/// The first byte chooses the subprotocol. Any input may be refused. A command that is accepted must come back the same after
/// writing it, and its bytes too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLeanCloud(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // SAFETY: libFuzzer lends `count` bytes for the length of this call.
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let format: LeanCloudSubprotocol.Format = first & 1 == 0 ? .binary : .base64
    let subprotocol = LeanCloudSubprotocol(format, .countsMissedMessages)
    // Too few for what the longest inputs hold, so that the bounds are met.
    let limits = WireLimits(frameBytes: 2048, fields: 256, groupDepth: 8)
    let frame = UnsafeRawBufferPointer(rebasing: input[1...])
    guard let command = try? subprotocol.decode(frame, isText: format == .base64, limits: limits) else { return 0 }
    // Commands are written in full: a number that came in one byte may take ten.
    let wide = WireLimits(frameBytes: 1 << 16, fields: 256, groupDepth: 0)
    let written = subprotocol.encode(command)
    let again = written.withUnsafeBytes { try? subprotocol.decode($0, isText: format == .base64, limits: wide) }
    precondition(again == command, "writing changed a command")
    precondition(subprotocol.encode(command) == written, "the same command has other bytes")
    return 0
}
