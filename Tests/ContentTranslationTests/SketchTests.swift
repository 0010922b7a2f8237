import ChatModel
import ContentTranslation
import Testing

import WuKongTranslation

struct SketchTests {
    private static func sketch(_ body: String, flags: MessageFlags = []) -> MessageSketch {
        var content = Translation.content(
            payload: Array(body.utf8), header: .init(), setting: [], topic: nil, expire: 0)
        content.flags.formUnion(flags)
        return MessageSketch(of: content)
    }

    @Test(
        "a body becomes what people read, whatever numbers it has",
        arguments: [
            (#"{"type":1,"content":"hi"}"#, .text, "hi"), (#"{"type":2,"url":"u"}"#, .image, ""),
            (#"{"type":3}"#, .animation, ""), (#"{"type":4}"#, .voice, ""), (#"{"type":5}"#, .video, ""),
            (#"{"type":6,"title":"Tower","address":"x"}"#, .location, "Tower"),
            (#"{"type":7,"uid":"t","name":"Tom"}"#, .card, "Tom"), (#"{"type":8,"name":"a.pdf"}"#, .file, "a.pdf"),
            (#"{"type":11}"#, .forwarded, ""), (#"{"type":12}"#, .sticker, ""), (#"{"type":13}"#, .sticker, ""),
            (#"{"type":14,"content":"r"}"#, .richText, "r"), (#"{"type":98}"#, .unknown, ""),
            (#"{"type":99,"cmd":"typing"}"#, .command, "typing"), (#"{"type":1006}"#, .withdrawn, ""),
            (
                #"{"type":1002,"content":"{0},{1}!{2}{","extra":[{"uid":"a","name":"{1}"},{"uid":"b"}]}"#, .teamNotice,
                "{1},b!{2}{"
            ),
            (#"{"type":2000,"content":"t"}"#, .tip, "t"), (#"{"type":9989}"#, .voiceCall, ""),
            (#"{"type":500,"content":"own"}"#, .custom, "own"), (#"{"type":-1}"#, .unknown, ""),
            (#"{"type":1,"content":7}"#, .text, ""), ("no JSON", .unknown, ""), ("", .unknown, ""),
        ] as [(String, MessageSketch.Form, String)])
    func forms(body: String, form: MessageSketch.Form, words: String) {
        let sketch = Self.sketch(body)
        #expect(sketch.form == form)
        #expect(sketch.words == words)
    }

    @Test(
        "the characters of a message are those of its text, however long, and of nothing else in it",
        arguments: [
            (#"{"type":1,"content":"\u8336茶🍵","x":"long long"}"#, 3), (#"{"type":2,"url":"long long"}"#, 0),
            (#"{"_lctype":-1,"_lctext":"four"}"#, 4), ("", 0),
        ] as [(String, Int)])
    func characters(_ body: String, _ count: Int) {
        var content = Translation.content(
            payload: Array(body.utf8), header: .init(), setting: [], topic: nil, expire: 0)
        #expect(Content.readableCharacters(of: content) == count)
        content.flags.insert(.endToEndEncrypted)
        #expect(Content.readableCharacters(of: content) == 0)
        let long = #"{"type":1,"content":"\#(String(repeating: "x", count: 20_000))"}"#
        content = Translation.content(
            payload: Array(long.utf8), header: .init(), setting: [], topic: nil, expire: 0)
        #expect(Content.readableCharacters(of: content) == 20_000)
        let plain = MessageContent(kind: .text, flags: [], wire: .native, body: Array("plain 茶".utf8))
        #expect(Content.readableCharacters(of: plain) == 7)
    }

    @Test(
        "the kinds of content in a message are those that a setting names; kinds of apps have none",
        arguments: [
            (#"{"type":1,"content":"t"}"#, [.text]), (#"{"type":14,"content":"t"}"#, [.text, .picture]),
            (#"{"type":2}"#, [.picture]), (#"{"type":3}"#, [.picture]), (#"{"type":12}"#, [.picture]),
            (#"{"type":4}"#, [.voice]), (#"{"type":5}"#, [.video]), (#"{"type":6}"#, [.place]),
            (#"{"type":7}"#, [.card]), (#"{"type":8}"#, [.file]), (#"{"type":500}"#, []), (#"{"type":9989}"#, []),
            (#"{"type":11,"msgs":[{"payload":{"type":2}},{"payload":{"type":1}}]}"#, [.picture, .text]),
            // Some SDK takes each of these for a picture.
            (#"{"type":2.0}"#, [.picture]), (#"{"type":2.5}"#, [.picture]), (#"{"type":"2"}"#, [.picture]),
            (#"{"type":11,"msgs":[{"payload":{"type":2.0}}]}"#, [.picture]),
            (#"{"type":11,"msgs":[{"payload":{"type":"2"}}]}"#, [.picture]),
        ] as [(String, Set<ContentKind>)])
    func kinds(_ body: String, _ kinds: Set<ContentKind>) {
        var content = Translation.content(
            payload: Array(body.utf8), header: .init(), setting: [], topic: nil, expire: 0)
        #expect(Content.kinds(of: content) == kinds)
        // An edit is stored without a kind: its body says it.
        content.kind = .none
        #expect(Content.kinds(of: content) == kinds)
    }

    @Test(
        "the kinds of content in a typed message are those of its type",
        arguments: [
            ("plain", [.text]), (#"{"_lctype":-1,"_lctext":"t"}"#, [.text]), (#"{"_lctype":-2}"#, [.picture]),
            (#"{"_lctype":-3}"#, [.voice]), (#"{"_lctype":-6}"#, [.file]), (#"{"_lctype":5}"#, []),
        ] as [(String, Set<ContentKind>)])
    func typedKinds(_ body: String, _ kinds: Set<ContentKind>) {
        let flags: MessageFlags = body.hasPrefix("{") ? [.bodyIsJSONObject] : []
        let content = MessageContent(kind: .none, flags: flags, wire: .leanCloud, body: Array(body.utf8))
        #expect(Content.kinds(of: content) == kinds)
    }

    @Test("lengths and sizes are taken when they can be true")
    func amounts() {
        #expect(Self.sketch(#"{"type":4,"timeTrad":7}"#).seconds == 7)
        #expect(Self.sketch(#"{"type":4,"timeTrad":7.9}"#).seconds == 7)
        #expect(Self.sketch(#"{"type":4,"timeTrad":-1}"#).seconds == nil)
        #expect(Self.sketch(#"{"type":5,"second":1e300}"#).seconds == nil)
        #expect(Self.sketch(#"{"type":8,"size":1536}"#).bytes == 1536)
        #expect(Self.sketch(#"{"type":8,"size":-1}"#).bytes == nil)
    }

    @Test("an answer names what it answers")
    func quotes() {
        let body =
            #"{"type":1,"content":"y","reply":{"from_uid":"t","from_name":"Tom","payload":{"type":8,"name":"f"}}}"#
        #expect(Self.sketch(body).quote == .init(sender: "Tom", form: .file, words: "f"))
        #expect(Self.sketch(#"{"type":1,"content":"y","reply":{"payload":"x"}}"#).quote == nil)
    }

    @Test("what is recalled or encrypted shows nothing of its body")
    func closed() {
        let body = #"{"type":1,"content":"secret"}"#
        #expect(Self.sketch(body, flags: .withdrawn) == MessageSketch(.withdrawn, kind: .text))
        #expect(Self.sketch(body, flags: .endToEndEncrypted) == MessageSketch(.encrypted, kind: .text))
    }

    @Test("words are bounded and end with a whole character")
    func bounded() {
        let words = Self.sketch(#"{"type":1,"content":""# + String(repeating: "茶", count: 5_000) + #""}"#).words
        #expect(words.utf8.count == MessageSketch.maximumWordBytes - MessageSketch.maximumWordBytes % 3)
        #expect(words.allSatisfy { $0 == "茶" })
    }
}
