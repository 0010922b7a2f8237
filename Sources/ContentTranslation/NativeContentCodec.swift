package import ByteCodec
package import ChatModel

/// Words of the native API for contents: writes what a message holds as members of its value, and reads what a client
/// sends. Pure; never fails.
///
/// Messages of the native API are stored in WuKongIM's payload words, as those of the server are: `stored`.
package enum NativeContentCodec {
    // MARK: Reading

    /// Reads the members of a request that passed its table: `kind`, and `text`, `mentions`, `place`, `card` as they
    /// apply.
    ///
    /// - Parameters:
    ///   - file: what `attachment` names; `nil` for none.
    ///   - reply: what `replyTo` names; `nil` for none.
    /// - Returns: `nil` when the kind needs something that is not there.
    package static func decode(
        _ members: JSONValue, file: FileContent? = nil, reply: ReplyContent? = nil
    ) -> Content? {
        let text = members["text"]?.string
        let form: Content.Form
        switch (members["kind"]?.string, file) {
        case ("text", nil):
            guard let text, !text.isEmpty else { return nil }
            form = .text
        case ("picture", let file?): form = .picture(file)
        case ("voice", let file?): form = .voice(file)
        case ("video", let file?): form = .video(file)
        case ("file", let file?): form = .file(file)
        case ("place", nil):
            guard let place = members["place"] else { return nil }
            form = .place(
                PlaceContent(
                    latitude: place["latitude"]?.double ?? place["latitude"]?.integer.map(Double.init),
                    longitude: place["longitude"]?.double ?? place["longitude"]?.integer.map(Double.init),
                    title: place["title"]?.string))
        case ("card", nil):
            guard let card = members["card"] else { return nil }
            form = .card(CardContent(user: card["name"]?.string, name: card["displayName"]?.string))
        default: return nil
        }
        return Content(form, text: text, mentions: self.mentions(members["mentions"]), reply: reply)
    }

    private static func mentions(_ value: JSONValue?) -> Mentions {
        if value?.string != nil { return Mentions(all: true) }
        return Mentions(users: (value?.array ?? []).compactMap { $0.string.flatMap(UserName.init) })
    }

    /// The content as it is stored.
    package static func stored(_ content: Content) -> MessageContent {
        let (kind, body) = WuKongContentCodec.encode(content)
        var stored = MessageContent(
            kind: kind, flags: [.bodyIsJSONObject, .countsAsUnread, .receiptRequested], wire: .native, body: body)
        stored.mentions = content.mentions
        return stored
    }

    /// The content with another text, as it is stored.
    ///
    /// - Returns: `nil` for content whose text is nobody's to change: places, cards, calls, what an app's own kind holds, and
    ///   what cannot be read.
    package static func stored(_ content: Content, withText text: String) -> MessageContent? {
        switch content.form {
        case .text, .richText:
            return self.stored(Content(.text, text: text, mentions: content.mentions, reply: content.reply))
        case .picture, .animation, .voice, .video, .file:
            var content = content
            content.text = text
            return self.stored(content)
        case .sticker, .place, .card, .forwarded, .call, .systemMessage, .command, .custom, .withdrawn, .encrypted,
            .unreadable:
            return nil
        }
    }

    // MARK: Writing

    /// Name of the kind of a content.
    package static func kind(of content: Content) -> String {
        switch content.form {
        case .text, .richText, .unreadable: "text"
        case .picture, .animation, .sticker: "picture"
        case .voice: "voice"
        case .video: "video"
        case .file: "file"
        case .place: "place"
        case .card: "card"
        case .forwarded: "forwarded"
        case .call, .systemMessage: "system"
        case .custom(let custom): custom.kind.rawValue > 0 ? "custom" : "text"
        case .withdrawn: "recalled"
        case .command, .encrypted: "withheld"
        }
    }

    /// Every kind that a message may have.
    package static let kinds = [
        "text", "picture", "voice", "video", "file", "place", "card", "forwarded", "system", "custom", "recalled",
        "withheld",
    ]

    /// Writes the members that belong to the kind. Of what was taken back or is not for the reader there are none.
    ///
    /// - Parameter address: turns the address of a file, as it stands in the body, into the one to read it by.
    package static func write(
        _ content: Content, to writer: inout JSONWriter, address: (FileContent) -> NativeFileAddress
    ) {
        switch content.form {
        case .withdrawn, .command, .encrypted: return
        case .text, .richText, .picture, .animation, .voice, .video, .file, .sticker, .place, .card, .forwarded, .call,
            .systemMessage, .custom, .unreadable:
            break
        }
        if let text = self.text(of: content) { Self.write("text", text, to: &writer) }
        self.writeMentions(content.mentions, to: &writer)
        switch content.form {
        case .picture(let file), .animation(let file), .sticker(let file), .voice(let file), .video(let file),
            .file(let file):
            self.write(file, address(file), to: &writer)
        case .place(let place): self.write(place, to: &writer)
        case .card(let card):
            writer.key("card")
            writer.beginObject()
            if let user = card.user { Self.write("name", user, to: &writer) }
            if let name = card.name { Self.write("displayName", name, to: &writer) }
            writer.endObject()
        case .forwarded(let messages): self.write(messages, to: &writer)
        case .custom(let custom): self.write(custom, to: &writer)
        case .text, .richText, .unreadable, .call, .systemMessage, .withdrawn, .command, .encrypted: break
        }
    }

    /// Text or caption; of a system message and of what is read by its words alone, these.
    private static func text(of content: Content) -> String? {
        switch content.form {
        case .text, .richText, .unreadable, .systemMessage, .custom: content.readableText ?? content.text
        case .picture, .animation, .sticker, .voice, .video, .file, .place, .card, .forwarded, .call: content.text
        case .withdrawn, .command, .encrypted: nil
        }
    }

    private static func write(_ name: StaticString, _ text: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.string(text)
    }

    private static func writeMentions(_ mentions: Mentions, to writer: inout JSONWriter) {
        guard !mentions.isEmpty else { return }
        writer.key("mentions")
        if mentions.all { return writer.string("all") }
        writer.beginArray()
        for name in mentions.users { writer.string(name.text) }
        writer.endArray()
    }

    private static func write(_ file: FileContent, _ address: NativeFileAddress, to writer: inout JSONWriter) {
        writer.key("attachment")
        writer.beginObject()
        if let key = address.file { Self.write("file", key, to: &writer) }
        if let url = address.url { Self.write("url", url, to: &writer) }
        if let name = file.name { Self.write("name", name, to: &writer) }
        if let type = file.name.flatMap({ MediaType.ofName($0) }) { Self.write("mediaType", type, to: &writer) }
        if let bytes = file.bytes {
            writer.key("size")
            writer.integer(bytes)
        }
        if let width = file.width {
            writer.key("width")
            writer.integer(width)
        }
        if let height = file.height {
            writer.key("height")
            writer.integer(height)
        }
        if let seconds = file.seconds {
            writer.key("seconds")
            writer.double(seconds)
        }
        writer.endObject()
    }

    private static func write(_ place: PlaceContent, to writer: inout JSONWriter) {
        writer.key("place")
        writer.beginObject()
        if let latitude = place.latitude {
            writer.key("latitude")
            writer.double(latitude)
        }
        if let longitude = place.longitude {
            writer.key("longitude")
            writer.double(longitude)
        }
        if let title = place.title { Self.write("title", title, to: &writer) }
        if let address = place.address { Self.write("address", address, to: &writer) }
        writer.endObject()
    }

    private static func write(_ messages: [ForwardedContent], to writer: inout JSONWriter) {
        writer.key("items")
        writer.beginArray()
        for message in messages {
            writer.beginObject()
            if let sender = message.senderName ?? message.sender { Self.write("sender", sender, to: &writer) }
            if let text = message.content.readableText ?? message.content.text { Self.write("text", text, to: &writer) }
            if let seconds = message.sentAtSeconds {
                writer.key("time")
                writer.integer(seconds.multipliedReportingOverflow(by: 1_000).partialValue & Int64.max)
            }
            Self.write("kind", Self.kind(of: message.content), to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ custom: CustomContent, to writer: inout JSONWriter) {
        guard custom.kind.rawValue > 0 else { return }
        writer.key("custom")
        writer.beginObject()
        writer.key("kind")
        writer.integer(Int64(custom.kind.rawValue))
        if let degrade = custom.fallback { Self.write("degrade", degrade, to: &writer) }
        writer.key("attributes")
        if custom.fields != nil, let value = try? JSONValue(parsing: custom.body), value.object != nil {
            value.write(to: &writer)
        } else {
            JSONValue.object([]).write(to: &writer)
        }
        writer.endObject()
    }
}

/// Where a file of a message is read.
package struct NativeFileAddress: Hashable, Sendable {
    /// Key of the file; `nil` when the message names it by a link, or it is somewhere else.
    package var file: String?
    /// Path on this server, or an address elsewhere; `nil` when it cannot be read.
    package var url: String?

    package init(file: String? = nil, url: String? = nil) {
        self.file = file
        self.url = url
    }
}
