/// A libFuzzer entry for the JSON reader, writer and stream splitter, compiled together with `Sources/ByteCodec`:
///
///     swiftc -O -parse-as-library -sanitize=fuzzer,address -package-name teahouse \
///         Sources/ByteCodec/*.swift Tests/Fuzz/JSON/fuzz.swift -o fuzz-json
///     SWIFT_BACKTRACE=enable=no ./fuzz-json -max_len=4096 Tests/Fuzz/JSON/corpus
///
/// Any input may be refused. One that is accepted must come back the same after writing it, and the splitter must give
/// the same objects however its input is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // SAFETY: libFuzzer lends `count` bytes for the length of this call.
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    checkReader(bytes)
    checkSplitter(bytes)
    return 0
}

private func checkReader(_ bytes: UnsafeRawBufferPointer) {
    let isSkipped = skips(bytes)
    guard let value = try? JSONValue(parsing: bytes) else { return }
    precondition(isSkipped, "the tree accepts what skipping refuses")
    precondition(UTF8Check.isValid(bytes), "accepted bytes that are not UTF-8")
    let text = value.serialized()
    guard let again = try? JSONValue(parsing: text) else { preconditionFailure("wrote what it cannot read") }
    precondition(again == value, "writing changed a value")
}

/// Whether the bytes are one JSON text. Base64 and the typed reads are tried on the way, for their own checks.
private func skips(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var reader = JSONReader(bytes)
    var (asNumber, asBase64) = (reader, reader)
    _ = try? asNumber.int64()
    if let decoded = try? asBase64.base64() {
        precondition(Base64.decode(Base64.encode(decoded)) == decoded, "base64 changed its bytes")
    }
    do throws(JSONError) {
        try reader.skipValue()
        try reader.finish()
        return true
    } catch {
        precondition(error.offset >= 0 && error.offset <= bytes.count, "an error outside of the text")
        return false
    }
}

private func checkSplitter(_ bytes: UnsafeRawBufferPointer) {
    let whole = split(bytes, pieces: bytes.count)
    precondition(whole == split(bytes, pieces: 1), "single bytes gave other objects")
    precondition(whole == split(bytes, pieces: 7), "pieces gave other objects")
}

/// The objects, and the fault that ended them, when the bytes arrive in pieces of this size.
private func split(_ bytes: UnsafeRawBufferPointer, pieces size: Int) -> [[UInt8]] {
    var splitter = JSONStreamSplitter(maximumBytes: 200)
    var objects: [[UInt8]] = []
    var start = 0
    do throws(JSONError) {
        while start < bytes.count {
            let end = min(start + size, bytes.count)
            try splitter.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { objects.append([UInt8]($0)) }
            precondition(splitter.heldBytes <= 200, "more held than allowed")
            start = end
        }
    } catch {
        objects.append(Array(error.description.utf8))
    }
    return objects
}
