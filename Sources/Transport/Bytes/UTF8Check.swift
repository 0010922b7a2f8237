/// Whether bytes are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
package enum UTF8Check {
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty else { return true }
        return bytes.withMemoryRebound(to: UInt8.self) { bytes in
            (try? UTF8Span(validating: bytes.span)) != nil
        }
    }
}
