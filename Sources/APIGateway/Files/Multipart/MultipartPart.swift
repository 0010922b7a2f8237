import Transport

/// The header of one part of a form.
struct MultipartPart: Hashable {
    /// Name of the form's field.
    var name: String
    /// File name, as the client sent it; `nil` for a field that is no file.
    var fileName: String?
    /// Content type, as the client sent it.
    var contentType: String?

    init(name: String, fileName: String? = nil, contentType: String? = nil) {
        self.name = name
        self.fileName = fileName
        self.contentType = contentType
    }

    /// - Parameter header: lines, the empty one included.
    /// - Returns: `nil` when a line is none, or when no field is named.
    init?(header: UnsafeRawBufferPointer) {
        var disposition: FieldParameters?
        self.init(name: "")
        let text = String(decoding: header, as: UTF8.self)
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, part) in lines.enumerated() {
            var line = part
            if number < lines.count - 1 { guard line.popLast() == "\r" else { return nil } }
            if line.isEmpty { continue }
            guard let colon = line.firstIndex(of: ":"), !line.contains("\r") else { return nil }
            let value = ASCII.trimmed(Substring(line[colon...].dropFirst()))
            switch ASCII.lowercased(Substring(line[..<colon])) {
            case "content-disposition": disposition = FieldParameters(value)
            case "content-type": self.contentType = value
            default: break
            }
        }
        guard let disposition, disposition.word == "form-data", let name = disposition.text("name") else { return nil }
        self.name = name
        self.fileName = disposition.text("filename")
    }
}
