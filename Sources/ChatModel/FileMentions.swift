/// A name of a file, or of a link to one, in the text of a message.
package struct FileMention: Hashable, Sendable {
    /// Key itself.
    package let key: RandomKey

    /// Most different names of one message that are looked at.
    package static let maximumPerMessage = 64

    /// The names in a body, each once, in their order. A body without one costs a search for three bytes.
    package static func scan(_ body: [UInt8]) -> [FileMention] {
        guard body.count >= RandomKey.length else { return [] }
        return body.withUnsafeBufferPointer { bytes in
            var found: [FileMention] = []
            var at = 0
            let last = bytes.count - RandomKey.length
            while at <= last {
                // `-` is rare in a body and never the first byte of a name.
                guard bytes[at + 2] == UInt8(ascii: "-") else {
                    at += 1
                    continue
                }
                if bytes[at] == RandomKey.marker[0], bytes[at + 1] == RandomKey.marker[1],
                    let mention = Self.read(bytes[at..<at + RandomKey.length])
                {
                    if !found.contains(mention) { found.append(mention) }
                    if found.count == Self.maximumPerMessage { return found }
                    at += RandomKey.length
                } else {
                    at += 1
                }
            }
            return found
        }
    }

    private static func read(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> FileMention? {
        let text = String(decoding: bytes, as: UTF8.self)
        return (RandomKey(text, .file) ?? RandomKey(text, .link)).map(FileMention.init)
    }
}
