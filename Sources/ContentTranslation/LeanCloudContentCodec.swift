import ByteCodec
package import ChatModel
import LeanCloudWire
import Localization

/// Reads the texts of LeanCloud's messages into contents, and writes contents as typed messages. Pure; never fails.
///
/// Source: TypedMessage of LeanCloud's SDKs; ChatKit-OC for what custom messages say of themselves in their attributes.
package enum LeanCloudContentCodec {
    // MARK: Reading

    /// Reads what a client has sent: a typed message, an object of the app's own, or a text.
    package static func decode(_ content: MessageContent) -> Content {
        let text = String(decoding: content.body, as: UTF8.self)
        guard let body = self.object(text) else { return Content(.text, text: text) }
        guard let message = TypedMessage(body) else {
            // People whose app does not know the object read it as it is.
            var custom = self.custom(.none, body, nil, bytes: content.body)
            custom.degrade = text
            return Content(.custom(custom), text: custom.text)
        }
        let form: Content.Form
        switch message.kind {
        case .text: form = .text
        case .image: form = .picture(self.file(message))
        case .audio: form = .voice(self.file(message, seconds: message.file?.metadata?.duration))
        case .video: form = .video(self.file(message, seconds: message.file?.metadata?.duration))
        case .location:
            form = .place(
                PlaceContent(
                    latitude: message.location?.latitude, longitude: message.location?.longitude, title: message.text))
        case .file: form = .file(self.file(message))
        case .recalled: form = .withdrawn
        default:
            let kind = MessageKind(rawValue: Int32(exactly: message.kind.rawValue) ?? 0)
            let custom = self.custom(kind, body, message, bytes: content.body)
            return Content(.custom(custom), text: custom.text)
        }
        return Content(form, text: message.text)
    }

    /// Reads a message as one of an app's own kind, whatever number it has.
    package static func custom(_ content: MessageContent) -> CustomContent {
        let isObject = content.flags.contains(.bodyIsJSONObject)
        let body = isObject ? self.object(String(decoding: content.body, as: UTF8.self)) : nil
        return self.custom(content.kind, body, body.flatMap { TypedMessage($0) }, bytes: content.body)
    }

    private static func object(_ text: String) -> JSONValue? {
        guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let value = try? JSONValue(parsing: text),
            value.object != nil
        else { return nil }
        return value
    }

    private static func custom(
        _ kind: MessageKind, _ body: JSONValue?, _ message: TypedMessage?, bytes: [UInt8]
    ) -> CustomContent {
        let attributes = body?["_lcattrs"]
        return CustomContent(
            kind: kind, wire: .leanCloud, body: bytes, fields: body.flatMap { self.fields(of: $0) },
            text: message?.text ?? body?["content"]?.string ?? body?["_lctext"]?.string,
            degrade: attributes?["degrade"]?.string, title: attributes?["typeTitle"]?.string,
            summary: attributes?["summary"]?.string)
    }

    /// A field that says whether two people speak or more, which is the server's to say. Source: ChatKit-OC, custom
    /// messages.
    package static let conversationType = "conversationType"

    /// Fields of an app's own kind stand in the object or in its attributes.
    private static func fields(of body: JSONValue) -> [CustomContent.Field]? {
        guard let members = body.object else { return nil }
        let attributes = (body["_lcattrs"]?.object ?? []).filter { body[$0.name] == nil }
        var fields = CustomContent.fields(of: members + attributes)
        if fields.first(where: { $0.name == self.conversationType }).map({ $0.value == .null }) ?? true {
            fields.removeAll { $0.name == self.conversationType }
            fields.append(CustomContent.Field(self.conversationType, .other))
        }
        return fields
    }

    /// - Parameter seconds: taken as whole seconds of something that plays for less than a day, as lists count them.
    private static func file(_ message: TypedMessage, seconds: Double? = nil) -> FileContent {
        let file = message.file
        return FileContent(
            url: file?.url, name: file?.name, bytes: file?.size, width: file?.metadata?.width,
            height: file?.metadata?.height, seconds: seconds.map { min(max(0, $0.rounded()), 86_399) })
    }

    // MARK: Writing

    /// Writes a content as the text of a typed message. What has no typed message is told in words, with what it is before
    /// them, in the language in which the server writes into conversations.
    package static func encode(_ content: Content) -> String { self.message(of: content).content }

    private static func message(of content: Content) -> TypedMessage {
        switch content.form {
        case .text: return TypedMessage(.text, text: content.text ?? "")
        case .picture(let file): return TypedMessage(.image, text: content.text, file: self.file(of: file))
        case .animation(let file): return TypedMessage(.image, text: content.text, file: self.animation(of: file))
        case .voice(let file): return TypedMessage(.audio, text: content.text, file: self.file(of: file))
        case .video(let file): return TypedMessage(.video, text: content.text, file: self.file(of: file))
        case .file(let file): return TypedMessage(.file, text: content.text, file: self.file(of: file))
        case .place(let place): return self.message(of: place) ?? self.words(of: content)
        case .custom(let custom):
            guard custom.isShared else { return self.words(of: content) }
            return TypedMessage(TypedMessageKind(rawValue: Int64(custom.kind.rawValue)), text: custom.text)
        case .withdrawn: return .recalled
        case .richText, .sticker, .card, .forwarded, .call, .systemMessage, .command, .encrypted, .unreadable:
            return self.words(of: content)
        }
    }

    /// `nil` for a place without both coordinates.
    private static func message(of place: PlaceContent) -> TypedMessage? {
        guard let latitude = place.latitude, let longitude = place.longitude else { return nil }
        return TypedMessage(
            .location, text: place.title ?? place.address,
            location: TypedMessageLocation(latitude: latitude, longitude: longitude))
    }

    private static func words(of content: Content) -> TypedMessage {
        let words = content.readableText ?? ""
        let name = self.name(of: content.shownForm)
        switch content.form {
        case .text, .richText, .systemMessage, .custom, .unreadable:
            return TypedMessage(.text, text: words.isEmpty ? name : words)
        case .picture, .animation, .voice, .video, .file, .sticker, .place, .card, .forwarded, .call, .command,
            .withdrawn, .encrypted:
            return TypedMessage(.text, text: [name, words].filter { !$0.isEmpty }.joined(separator: " "))
        }
    }

    private static func name(of form: MessageSketch.Form) -> String {
        switch form {
        case .teamNotice: self.texts("digest.teamNotice.advanced")
        case .text, .tip, .custom: self.texts("digest.unknown")
        case .image, .animation, .voice, .video, .location, .card, .file, .forwarded, .sticker, .richText, .voiceCall,
            .videoCall, .command, .encrypted, .withdrawn, .unknown:
            self.texts("digest.\(form.rawValue)")
        }
    }

    private static let texts = Texts(installed: .chinese)

    private static func file(of file: FileContent) -> TypedMessageFile {
        var metadata = TypedMessageFileMetadata(name: file.name, format: file.name.flatMap(self.ending))
        metadata.width = file.width
        metadata.height = file.height
        metadata.duration = file.seconds
        metadata.size = file.bytes
        return TypedMessageFile(url: file.url, metadata: metadata)
    }

    /// Apps lay pictures out by their size: 100 wide and high where a moving one does not say. Source: a vendor's sample.
    private static func animation(of file: FileContent) -> TypedMessageFile {
        self.file(
            of: FileContent(
                url: file.url, name: file.name, bytes: file.bytes, width: file.width ?? 100, height: file.height ?? 100,
                seconds: file.seconds))
    }

    private static func ending(of name: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, (1...8).contains(last.utf8.count) else { return nil }
        return String(last)
    }
}
