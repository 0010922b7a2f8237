import ByteCodec
package import ChatModel

/// Reads WuKongIM's payloads into contents, and writes contents as payloads. Pure; never fails.
///
/// Source: the content types of WuKongIM's SDKs and the fields that they write: `content`; `url`, `name`, `size`, `width`,
/// `height`, `timeTrad`, `second`; `lat`, `lng`, `title`, `address`; `cmd`; `reply` with `from_name` and `payload`; `mention`;
/// `msgs` and `users` of merged messages; `extra` of system messages, whose names replace `{0}`, `{1}` … in `content`.
package enum WuKongContentCodec {
    /// Turns a content type into a kind: those that mean the same in every dialect become the negative built-in kinds, all
    /// others keep their number, negative ones are 0.
    package static func kind(contentType: Int) -> MessageKind {
        switch contentType {
        case 1: .text
        case 2: .image
        case 4: .audio
        case 5: .video
        case 6: .location
        case 8: .file
        default: MessageKind(rawValue: Int32(clamping: max(0, contentType)))
        }
    }

    /// Tells that no message of WuKongIM's own has this number.
    package static func isFree(_ kind: MessageKind) -> Bool {
        guard kind.rawValue > 0, self.kind(contentType: Int(kind.rawValue)) == kind else { return false }
        return self.isCustom(kind)
    }

    private static func isCustom(_ kind: MessageKind) -> Bool {
        if case .app = Meaning(of: kind) { return true }
        return false
    }

    // MARK: Reading

    /// Reads a payload. A body that is no JSON object is the text itself where the message says that it is text.
    package static func decode(_ content: MessageContent) -> Content {
        // What an operator's rule puts in the place of a message may be of a kind of the app's own.
        if content.flags.contains(.standIn), content.kind.rawValue > 0 {
            var custom = self.custom(content)
            custom.isShared = true
            return Content(.custom(custom), text: custom.text)
        }
        guard content.flags.contains(.bodyIsJSONObject), let body = try? JSONValue(parsing: content.body) else {
            return self.decodePlain(content)
        }
        return self.decode(body, content.kind, content, depth: 0)
    }

    /// Reads a message as one of an app's own kind, whatever number it has.
    package static func custom(_ content: MessageContent) -> CustomContent {
        let body = content.flags.contains(.bodyIsJSONObject) ? try? JSONValue(parsing: content.body) : nil
        return self.custom(content.kind, body, bytes: content.body)
    }

    private static func custom(_ kind: MessageKind, _ body: JSONValue?, bytes: [UInt8]) -> CustomContent {
        CustomContent(
            kind: kind, wire: .wuKong, body: bytes, fields: body?.object.map { CustomContent.fields(of: $0) },
            text: body.flatMap(self.text))
    }

    /// `_lctext` is in payloads of apps that write one object for both protocols.
    private static func text(_ body: JSONValue) -> String? { body["content"]?.string ?? body["_lctext"]?.string }

    private static func decodePlain(_ content: MessageContent) -> Content {
        if content.kind == .text || content.kind == .none && content.wire == .native {
            return Content(.text, text: String(decoding: content.body, as: UTF8.self))
        }
        guard self.isCustom(content.kind) else { return Content(.unreadable) }
        return Content(.custom(self.custom(content.kind, nil, bytes: content.body)))
    }

    /// The meanings of kinds in payloads. 9989 is the end of a call, by voice for all that its number says.
    private enum Meaning {
        case text, picture, animation, voice, video, place, card, file, forwarded, sticker, richText, command, withdrawn
        case team, system, call, unknown, app

        init(of kind: MessageKind) {
            switch kind {
            case .text: self = .text
            case .image: self = .picture
            case .audio: self = .voice
            case .video: self = .video
            case .location: self = .place
            case .file: self = .file
            default: self = Self.ofNumber(kind.rawValue)
            }
        }

        private static func ofNumber(_ number: Int32) -> Meaning {
            switch number {
            case 3: .animation
            case 7: .card
            case 11: .forwarded
            case 12, 13: .sticker
            case 14: .richText
            case 97, 98, ...0: .unknown
            case 99: .command
            case 1_006: .withdrawn
            case 1_001...1_003, 1_005, 1_007...1_009, 1_020...1_022: .team
            case 1_000...2_000: .system
            case 9_989: .call
            default: .app
            }
        }
    }

    /// - Parameter content: the message that the body is of; `nil` inside a forwarded one.
    private static func decode(
        _ body: JSONValue, _ kind: MessageKind, _ content: MessageContent?, depth: Int
    ) -> Content {
        let form: Content.Form =
            switch Meaning(of: kind) {
            case .text: .text
            case .richText: .richText
            case .picture: .picture(self.file(body))
            case .animation: .animation(self.file(body))
            case .sticker: .sticker(self.file(body))
            case .voice: .voice(self.file(body, seconds: body["timeTrad"]))
            case .video: .video(self.file(body, seconds: body["second"]))
            case .file: .file(self.file(body))
            case .place: .place(self.place(body))
            case .card: .card(CardContent(user: body["uid"]?.string, name: body["name"]?.string))
            case .forwarded: self.forwarded(body, depth: depth + 1)
            case .call: .call(CallContent(seconds: body["second"]?.double))
            case .team: .systemMessage(self.systemMessage(body, isAboutTeam: true))
            case .system: .systemMessage(self.systemMessage(body, isAboutTeam: false))
            case .command: .command(name: body["cmd"]?.string)
            case .withdrawn: .withdrawn
            case .unknown: .unreadable
            case .app: .custom(self.custom(kind, body, bytes: content?.body ?? body.serialized()))
            }
        return Content(form, text: self.text(body), mentions: self.mentions(body), reply: self.reply(body["reply"]))
    }

    private static func file(_ body: JSONValue, seconds: JSONValue? = nil) -> FileContent {
        FileContent(
            url: body["url"]?.string, name: body["name"]?.string, bytes: self.whole(body["size"]),
            width: self.whole(body["width"]), height: self.whole(body["height"]), seconds: seconds?.double)
    }

    private static func whole(_ value: JSONValue?) -> Int64? {
        value.flatMap { $0.integer ?? $0.double.flatMap { Int64(exactly: $0.rounded()) } }
    }

    private static func place(_ body: JSONValue) -> PlaceContent {
        PlaceContent(
            latitude: body["lat"]?.double, longitude: body["lng"]?.double, title: body["title"]?.string,
            address: body["address"]?.string)
    }

    private static func systemMessage(_ body: JSONValue, isAboutTeam: Bool) -> SystemMessageContent {
        let people = (body["extra"]?.array ?? []).map { $0["name"]?.string ?? $0["uid"]?.string ?? "" }
        return SystemMessageContent(people: people, isAboutTeam: isAboutTeam)
    }

    private static func forwarded(_ body: JSONValue, depth: Int) -> Content.Form {
        guard depth <= Content.maximumForwardedDepth else { return .unreadable }
        let names = (body["users"]?.array ?? []).prefix(Content.maximumForwarded)
        let messages = (body["msgs"]?.array ?? []).prefix(Content.maximumForwarded).compactMap { message in
            message["payload"].flatMap { payload -> ForwardedContent? in
                guard payload.object != nil else { return nil }
                let sender = message["from_uid"]?.string
                return ForwardedContent(
                    sender: sender,
                    senderName: sender.flatMap { uid in names.first { $0["uid"]?.string == uid }?["name"]?.string },
                    sentAtSeconds: message["timestamp"]?.integer,
                    content: self.decode(payload, self.kind(of: payload), nil, depth: depth))
            }
        }
        return .forwarded(messages)
    }

    /// Kind by the field `type`, as the most generous of the SDKs reads it: a fraction is cut off, and a string counts as its
    /// number.
    static func kind(of payload: JSONValue) -> MessageKind {
        let type = payload["type"].flatMap { $0.double ?? $0.string.flatMap { Double($0) } }
        return self.kind(contentType: Int(type.flatMap { Int32(exactly: $0.rounded(.towardZero)) } ?? 0))
    }

    private static func reply(_ reply: JSONValue?) -> ReplyContent? {
        guard let reply, let payload = reply["payload"], payload.object != nil else { return nil }
        // The reply of the reply, and what it forwards, are nobody's business.
        let quoted = self.decode(
            .object((payload.object ?? []).filter { $0.name != "reply" && $0.name != "msgs" }), self.kind(of: payload),
            nil, depth: 0)
        let id = reply["message_id"].flatMap { $0.integer ?? $0.string.flatMap { Int64($0) } }
        return ReplyContent(
            message: id.map { MessageID(rawValue: $0) }, sender: reply["from_uid"]?.string,
            senderName: reply["from_name"]?.string, form: quoted.shownForm, words: quoted.words)
    }

    /// `mention` has `all` as a number or a switch, and `uids`.
    private static func mentions(_ body: JSONValue) -> Mentions {
        guard let mention = body["mention"] else { return .none }
        var seen: Set<UserName> = []
        let users = (mention["uids"]?.array ?? []).lazy.compactMap(\.string).prefix(Content.maximumMentions)
            .compactMap { UserName($0) }.filter { seen.insert($0).inserted }
        return Mentions(
            all: mention["all"]?.integer == 1 || mention["all"]?.boolean == true, users: Array(users))
    }

    // MARK: Writing

    /// Payload that stands in place of a recalled message.
    package static let withdrawnPayload = Array(#"{"type":1006}"#.utf8)
    /// Content types of what cannot be read, and of what only the devices of its people can read.
    private static let (unreadableType, encryptedType) = (Int64(97), Int64(98))

    /// Writes a content as a payload, and says of which kind it is.
    package static func encode(_ content: Content) -> (kind: MessageKind, body: [UInt8]) {
        let members = self.members(of: content, depth: 0)
        let type = members.first?.value.integer ?? Self.unreadableType
        return (self.kind(contentType: Int(clamping: type)), JSONValue.object(members).serialized())
    }

    /// Members of a payload, `type` first.
    private static func members(of content: Content, depth: Int) -> [JSONValue.Member] {
        let text = content.text ?? ""
        let caption: [(String, JSONValue?)] = [("content", text.isEmpty ? nil : .string(text))]
        let named: (type: Int64, members: [(String, JSONValue?)]) =
            switch content.form {
            case .text, .richText: (1, [("content", .string(text))])
            case .picture(let file): (2, self.members(of: file) + caption)
            case .animation(let file), .sticker(let file): (3, self.members(of: file) + caption)
            case .voice(let file): (4, [("timeTrad", self.seconds(file))] + self.members(of: file) + caption)
            case .video(let file): (5, [("second", self.seconds(file))] + self.members(of: file) + caption)
            case .file(let file): (8, self.members(of: file) + caption)
            case .place(let place): (6, self.members(of: place))
            case .card(let card): (7, [("uid", .string(card.user ?? "")), ("name", .string(card.name ?? ""))])
            case .forwarded(let messages): self.members(of: messages, depth: depth + 1)
            case .call(let call): (9_989, [("second", self.seconds(FileContent(seconds: call.seconds)))])
            case .systemMessage(let line): self.members(of: line, template: text)
            case .custom(let custom): self.members(of: custom)
            case .withdrawn: (1_006, [])
            case .encrypted: (Self.encryptedType, [])
            case .unreadable where !text.isEmpty: (1, [("content", .string(text))])
            // What came from another protocol must not be a command: people may write there what only servers send here.
            case .unreadable, .command: (Self.unreadableType, [])
            }
        var members = [JSONValue.Member("type", .integer(named.type))]
        members += named.members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }
        if Self.isBare(named.type) { return members }
        if let reply = content.reply { members.append(JSONValue.Member("reply", self.value(of: reply))) }
        if !content.mentions.isEmpty { members.append(JSONValue.Member("mention", self.value(of: content.mentions))) }
        return members
    }

    /// Tells a payload that stands in the place of something else, and has nothing of it.
    private static func isBare(_ type: Int64) -> Bool {
        type == 1_006 || type == self.unreadableType || type == self.encryptedType
    }

    private static func members(of file: FileContent) -> [(String, JSONValue?)] {
        [
            ("url", .string(file.url ?? "")), ("name", file.name.map { .string($0) }),
            ("size", file.bytes.map { .integer($0) }), ("width", file.width.map { .integer($0) }),
            ("height", file.height.map { .integer($0) }),
        ]
    }

    /// Whole seconds of something that plays for less than a day.
    private static func seconds(_ file: FileContent) -> JSONValue? {
        file.seconds.map { .integer(Int64(min($0.rounded(), 86_399))) }
    }

    private static func members(of place: PlaceContent) -> [(String, JSONValue?)] {
        [
            ("lat", place.latitude.map { .double($0) }), ("lng", place.longitude.map { .double($0) }),
            ("title", .string(place.title ?? "")), ("address", .string(place.address ?? "")),
        ]
    }

    private static func members(of line: SystemMessageContent, template: String) -> (Int64, [(String, JSONValue?)]) {
        let extra = line.people.map { JSONValue.object([JSONValue.Member("name", .string($0))]) }
        return (line.isAboutTeam ? 1_005 : 2_000, [("content", .string(template)), ("extra", .array(extra))])
    }

    private static func members(of custom: CustomContent) -> (Int64, [(String, JSONValue?)]) {
        if custom.isShared { return (Int64(custom.kind.rawValue), [("content", custom.text.map { .string($0) })]) }
        guard let words = custom.fallback else { return (self.unreadableType, []) }
        return (1, [("content", .string(words))])
    }

    private static func members(
        of messages: [ForwardedContent], depth: Int
    ) -> (Int64, [(String, JSONValue?)]) {
        guard depth <= Content.maximumForwardedDepth else { return (self.unreadableType, []) }
        var users: [JSONValue] = []
        var rows: [JSONValue] = []
        for message in messages.prefix(Content.maximumForwarded) {
            let uid = JSONValue.Member("uid", .string(message.sender ?? ""))
            let user = JSONValue.object([uid, JSONValue.Member("name", .string(message.senderName ?? ""))])
            if message.senderName != nil, !users.contains(user) { users.append(user) }
            rows.append(
                .object([
                    JSONValue.Member("from_uid", .string(message.sender ?? "")),
                    JSONValue.Member("timestamp", .integer(message.sentAtSeconds ?? 0)),
                    JSONValue.Member("payload", .object(self.members(of: message.content, depth: depth))),
                ]))
        }
        return (11, [("users", .array(users)), ("msgs", .array(rows))])
    }

    private static func value(of reply: ReplyContent) -> JSONValue {
        .object([
            JSONValue.Member("message_id", .string(reply.message.map { String($0.rawValue) } ?? "")),
            JSONValue.Member("from_uid", .string(reply.sender ?? "")),
            JSONValue.Member("from_name", .string(reply.senderName ?? "")),
            JSONValue.Member(
                "payload",
                .object([JSONValue.Member("type", .integer(1)), JSONValue.Member("content", .string(reply.words))])),
        ])
    }

    private static func value(of mentions: Mentions) -> JSONValue {
        let uids = JSONValue.Member("uids", .array(mentions.users.map { .string($0.text) }))
        return .object(mentions.all ? [JSONValue.Member("all", .integer(1)), uids] : [uids])
    }
}
