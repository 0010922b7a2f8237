import AdminAPI
import ByteCodec
import ChatModel
import ContentTranslation
import Profiles

/// The body of a text message as every wire's clients understand it.
///
/// Source: the payload of WuKongIM's text message, content type 1.
///
/// - Parameter notice: the number of the announcement it is, for apps that let people confirm it.
func textBody(_ text: String, notice: Int64? = nil) -> [UInt8] {
    var json = JSONWriter(capacity: text.utf8.count + 32)
    json.beginObject()
    json.key("type")
    json.integer(1)
    json.key("content")
    json.string(text)
    if let notice {
        json.key("notice")
        json.integer(notice)
    }
    json.endObject()
    return json.bytes
}

/// Text of a message for an operator: its text or caption, else the body itself.
func shownText(of content: MessageContent) -> (text: String, isCut: Bool) {
    if content.flags.contains(.endToEndEncrypted) { return ("(encrypted between the devices)", false) }
    if content.flags.contains(.binary) { return ("(\(content.body.count) bytes that are no text)", false) }
    return cut(Content(of: content).text.map { Array($0.utf8) } ?? content.body)
}

/// Sketch of a message for an operator's line; without the words that `shownText` has.
func shownSketch(of content: MessageContent, kinds: MessageKinds) -> MessageSketch {
    var sketch = MessageSketch(of: content, kinds: kinds)
    sketch.quote = nil
    // Custom and unknown messages show what `shownText` finds, if that is words.
    sketch.words =
        sketch.form == .text || sketch.form == .richText
        ? "" : PlainLine.of(sketch.words, maximum: AdminProtocol.maximumSketchCharacters)
    sketch.line = sketch.line.map { PlainLine.of($0, maximum: AdminProtocol.maximumSketchCharacters) }
    return sketch
}

private func cut(_ text: [UInt8]) -> (text: String, isCut: Bool) {
    let maximum = AdminProtocol.maximumTextBytes
    guard text.count > maximum else { return (String(decoding: text, as: UTF8.self), false) }
    var end = maximum
    // Not inside a character: its later bytes are 10xxxxxx.
    while end > 0 && text[end] & 0xC0 == 0x80 { end -= 1 }
    return (String(decoding: text[..<end], as: UTF8.self), true)
}
