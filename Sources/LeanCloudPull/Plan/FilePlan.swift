/// A content to be fetched: what a row of `_File` says of it. Pure.
struct FilePlan: Hashable, Sendable {
    let objectID: String
    let name: String
    let url: String
    /// Bytes, where the row says so.
    let size: Int64?
    /// MD5 in hexadecimal, where the row says so.
    let md5: String?

    /// Bytes of a name in the folder.
    private static let maximumNameBytes = 120

    /// - Returns: `nil` for a row that names no address.
    init?(_ row: Row) {
        guard let id = row.objectID, let url = row.string("url"), !url.isEmpty else { return nil }
        self.objectID = id
        self.name = row.string("name") ?? ""
        self.url = url
        let metadata = row.object("metaData")
        self.size = metadata?.integer("size") ?? row.integer("size")
        // Source: leancloud/javascript-sdk, src/file.js: `_checksum` is the MD5 of the content.
        let sum = metadata?.string("_checksum") ?? metadata?.string("checksum") ?? ""
        self.md5 = sum.utf8.count == 32 && Hexadecimal.isAll(sum) ? sum.lowercased() : nil
    }

    /// Where the content is below the pull's folder: `files/3a/ID-NAME`.
    var path: String {
        let shown = Self.safe(self.name)
        return "files/\(self.objectID.suffix(2))/\(self.objectID)" + (shown.isEmpty ? "" : "-" + shown)
    }

    /// A name without what a file system or a terminal would take amiss; the ending stays.
    static func safe(_ name: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: "_"
                    default: "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar
                    }
                }))
        guard plain.utf8.count > Self.maximumNameBytes else { return plain }
        let dot = plain.lastIndex(of: ".")
        let ending = dot.map { String(plain[$0...]) }.flatMap { $0.utf8.count <= 16 ? $0 : nil } ?? ""
        var begin = plain
        while begin.utf8.count + ending.utf8.count > Self.maximumNameBytes { begin.removeLast() }
        return begin + ending
    }
}

private enum Hexadecimal {
    static func isAll(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                true
            default: false
            }
        }
    }
}
