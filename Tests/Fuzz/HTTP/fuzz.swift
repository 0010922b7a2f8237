/// Feeds bytes to the HTTP request parser, whole and cut, and checks that both ways tell the same.
@_cdecl("LLVMFuzzerTestOneInput")
package func fuzzHTTP(_ data: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: data, count: count)
    let whole = outcome(of: input, cut: Int.max)
    // The first byte decides how small the pieces of the second run are.
    let cut = input.first.map { Int($0 % 7) + 1 } ?? 1
    precondition(outcome(of: input, cut: cut) == whole, "cutting the input changed what was read")
    return 0
}

/// What a connection would see: one word per request part, or the status of the refusal.
private func outcome(of input: UnsafeRawBufferPointer, cut: Int) -> [String] {
    var parser = HTTPRequestParser(maximumHeadBytes: 2048, maximumHeaders: 20)
    var seen: [String] = []
    var body = 0
    var position = 0
    var available = 0
    do throws(HTTPParseError) {
        while available < input.count {
            available = cut == Int.max ? input.count : min(input.count, available + cut)
            while true {
                precondition(position <= available)
                let step = try parser.next(UnsafeRawBufferPointer(rebasing: input[position..<available]))
                guard case .event(let event, let consumed) = step else {
                    guard case .incomplete(let consumed) = step, consumed > 0 else { break }
                    position += consumed
                    continue
                }
                position += consumed
                switch event {
                case .head(let head):
                    seen.append("\(head.method) \(head.path) \(head.query ?? "-") \(head.headers.count)")
                    _ = head.authority.flatMap { Authority($0) }
                case .body(let bytes): body += bytes.count
                case .end:
                    seen.append("end after \(body)")
                    body = 0
                }
            }
        }
        seen.append("waiting after \(body)")
    } catch {
        // How much is read before an error shows depends on the cut where a limit is reached.
        seen.append(error.status == 431 ? "too long" : "refused")
    }
    if seen.last == "too long" || seen.last == "refused" { seen[seen.count - 1] = "no more" }
    return seen
}
