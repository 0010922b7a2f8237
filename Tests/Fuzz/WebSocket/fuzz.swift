/// Feeds bytes to the WebSocket reader, whole and cut, and checks that both ways tell the same.
@_cdecl("LLVMFuzzerTestOneInput")
package func fuzzWebSocket(_ data: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let input = UnsafeRawBufferPointer(start: data, count: count)
    let whole = outcome(of: input, cut: Int.max)
    let cut = input.first.map { Int($0 % 5) + 1 } ?? 1
    precondition(outcome(of: input, cut: cut) == whole, "cutting the input changed what was read")
    return 0
}

private func outcome(of input: UnsafeRawBufferPointer, cut: Int) -> [String] {
    var reader = WebSocketReader(maximumFragments: 8)
    var waiting = ByteQueue()
    var seen: [String] = []
    var position = 0
    do throws(WebSocketError) {
        while position < input.count {
            let end = cut == Int.max ? input.count : min(input.count, position + cut)
            waiting.append(UnsafeRawBufferPointer(rebasing: input[position..<end]))
            position = end
            reading: while true {
                switch try reader.next(waiting.bytes, maximumMessageBytes: 1000) {
                case .incomplete: break reading
                case .fragment(let consumed): waiting.consume(consumed)
                case .event(let event, let consumed):
                    seen.append(word(for: event))
                    waiting.consume(consumed)
                }
            }
        }
    } catch {
        seen.append("\(error.code.rawValue)")
    }
    return seen
}

private func word(for event: WebSocketReader.Event) -> String {
    switch event {
    case .message(let isText, let bytes):
        "\(isText ? "text" : "binary") \(bytes.count) \(bytes.reduce(0) { $0 &+ Int($1) })"
    case .ping(let bytes): "ping \(bytes.count)"
    case .pong: "pong"
    case .close(let code): "close \(code?.rawValue ?? 0)"
    }
}
