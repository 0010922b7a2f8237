package import ByteCodec

/// The texts of a JSON body that people read, and the bytes in which they stand.
package struct BodyTexts {
    /// In order.
    package private(set) var found: [(place: Range<Int>, text: String)] = []

    /// - Parameter collect: adds the texts of an object.
    /// - Returns: `nil` when the body is no object after all.
    package init?(
        of body: [UInt8], _ collect: (inout JSONReader, inout BodyTexts) throws(JSONError) -> Void
    ) {
        var texts = BodyTexts()
        let isObject = body.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            do throws(JSONError) {
                try collect(&reader, &texts)
                return true
            } catch {
                return false
            }
        }
        guard isObject else { return nil }
        self = texts
    }

    private init() {}

    /// Takes the text that the reader is at.
    package mutating func takeText(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        let text = try reader.string()
        self.found.append((start..<reader.offset, text))
    }

    /// The body with other texts in their places; `nil` when none is another.
    package func rewriting(_ body: [UInt8], _ rewrite: (String) -> String?) -> [UInt8]? {
        var changed: [UInt8]?
        // From the last to the first, so that the places of those before stay true.
        for (place, text) in self.found.reversed() {
            guard let new = rewrite(text) else { continue }
            var json = JSONWriter(capacity: new.utf8.count + 2)
            json.string(new)
            var body = changed ?? body
            changed = nil
            body.replaceSubrange(place, with: json.bytes)
            changed = body
        }
        return changed
    }
}
