import ByteCodec
import LeanCloudWire

/// Reads LeanCloud commands and writes them again, for tests that hold our encoding against one that others wrote.
///
/// Each line of standard input is a subprotocol, a blank, and in hexadecimal digits what one WebSocket message holds. Each is
/// answered with a line: `ok` and what the message with the same command holds, or `error` and what is wrong. The argument is
/// how long a command may be, in bytes.
@main
enum LeanCloudEcho {
    static func main() {
        var limits = WireLimits()
        if let bytes = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) { limits.frameBytes = bytes }
        while let line = readLine() { print(Self.answer(to: line, limits)) }
    }

    private static func answer(to line: String, _ limits: WireLimits) -> String {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard let subprotocol = LeanCloudSubprotocol(name: String(parts[0])) else {
            return "usage: a subprotocol, then hexadecimal digits"
        }
        guard parts.count == 2, let content = Hex.decode(String(parts[1])) else { return "usage: hexadecimal digits" }
        do throws(LeanCloudWireError) {
            let command = try content.withUnsafeBufferPointer { bytes throws(LeanCloudWireError) in
                try subprotocol.decode(
                    UnsafeRawBufferPointer(bytes), isText: subprotocol.usesTextFrames, limits: limits)
            }
            return "ok \(Hex.encode(subprotocol.encode(command)))"
        } catch {
            return "error \(error)"
        }
    }
}
