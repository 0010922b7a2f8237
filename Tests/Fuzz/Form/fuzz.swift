/// Feeds bytes to what reads the gateways for files: forms, the header fields of tus, names and ranges.
///
/// The first byte says how small the pieces of the second run are, the second line is a header value, and the rest is
/// the body of a form. Any input may be refused. However a form is cut it must give the same file and fields.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForm(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // SAFETY: libFuzzer lends `count` bytes for the length of this call.
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let line = input.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    let field = String(decoding: line, as: UTF8.self)
    checkFields(field)
    let body = UnsafeRawBufferPointer(rebasing: input.dropFirst(2 + line.count))
    // A boundary that a fuzzer finds easily, beside the one in the header.
    for contentType in [field, "multipart/form-data; boundary=b"] {
        let whole = outcome(of: body, contentType, cut: .max)
        for cut in [1, Int(first % 61) + 2] {
            precondition(outcome(of: body, contentType, cut: cut) == whole, "cutting the form changed what was read")
        }
    }
    return 0
}

/// What the gateway would see of a form.
private struct Outcome: Equatable {
    var file: MultipartPart?
    var content: [UInt8] = []
    var fields: [String: String] = [:]
    var error: FormError?
}

private func outcome(of body: UnsafeRawBufferPointer, _ contentType: String, cut: Int) -> Outcome {
    var outcome = Outcome()
    do throws(FormError) {
        var form = try FormBody(contentType: contentType)
        var start = 0
        while start < body.count {
            let end = start + min(cut, body.count - start)
            form.add(UnsafeRawBufferPointer(rebasing: body[start..<end]))
            start = end
            while let action = try form.next() {
                switch action {
                case .file(let part):
                    precondition(outcome.file == nil, "a form with two files")
                    outcome.file = part
                case .content(let bytes):
                    precondition(outcome.file != nil && !bytes.isEmpty, "content of no file")
                    outcome.content += bytes
                }
            }
            outcome.fields = form.fields
        }
        try form.end()
        precondition(form.hasFile && outcome.content.count <= body.count, "more came out than went in")
    } catch {
        // How much of a form that is refused was read depends on where it was cut.
        return Outcome(error: error)
    }
    return outcome
}

private func checkFields(_ field: String) {
    if let pairs = TusFields.metadata(field) {
        precondition(pairs.count <= TusFields.maximumMetadataPairs, "too many pairs")
        precondition(TusFields.metadata(TusFields.metadata(pairs)) == pairs, "writing changed the metadata")
    }
    if let number = TusFields.number(field) { precondition(number >= 0, "a number below zero") }
    if let checksum = TusFields.checksum(field) { precondition(!checksum.digest.isEmpty, "a checksum without bytes") }
    for size: Int64 in [0, 1, 1000, .max] {
        guard case .part(let range) = ByteRange.read(field, size: size) else { continue }
        precondition(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "a range outside")
    }
    for name in ["name", "filename"] {
        let name = DisplayName.cleaned(FieldParameters(field).text(name) ?? field)
        precondition(!name.isEmpty && name.utf8.count <= DisplayName.maximumBytes, "a name of no length that is shown")
        precondition(!name.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 }, "a name that is more than a name")
        precondition(DisplayName.cleaned(name) == name, "cleaning twice is something else")
        let value = ContentDisposition.value(isInline: false, name: name)
        precondition(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "a header value that is none")
        precondition(FieldParameters(value).text("filename") == name, "the name of a download is another one")
    }
}

/// The one that the gateways have stands among what needs the whole server.
enum FileWording {
    static let fileField = "Teahouse-File"
}
