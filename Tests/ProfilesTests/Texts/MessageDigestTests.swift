import ChatModel
import Localization
import Profiles
import Testing

struct MessageDigestTests {
    static let chinese = MessageDigest(Texts(embedded: .chinese))
    static let english = MessageDigest(Texts(embedded: .english))

    @Test(
        "each form has its digest in both languages",
        arguments: [
            (.text, "hi", "hi"), (.tip, "hi", "hi"), (.voice, "[语音]", "[voice message]"), (.image, "[图片]", "[image]"),
            (.animation, "[动图]", "[animation]"), (.video, "[视频]", "[video]"), (.location, "[位置]", "[location]"),
            (.file, "[文件]", "[file]"), (.card, "[名片]", "[contact card]"), (.voiceCall, "[网络通话]", "[voice call]"),
            (.videoCall, "[视频聊天]", "[video call]"), (.custom, "[未知消息]", "[unknown message]"),
            (.unknown, "[未知消息]", "[unknown message]"), (.teamNotice, "[群信息更新]", "[group updated]"),
            (.richText, "hi", "hi"), (.sticker, "[表情]", "[sticker]"), (.forwarded, "[聊天记录]", "[chat history]"),
            (.withdrawn, "[消息已撤回]", "[message recalled]"), (.command, "[指令]", "[command]"),
            (.encrypted, "[端到端加密消息]", "[encrypted between the devices]"),
        ] as [(MessageSketch.Form, String, String)])
    func forms(form: MessageSketch.Form, inChinese: String, inEnglish: String) {
        let sketch = MessageSketch(form, words: "hi")
        #expect(Self.chinese.line(sketch) == inChinese)
        #expect(Self.english.line(sketch) == inEnglish)
    }

    @Test("teams have their own notices, and an app's own kinds their titles")
    func teamsAndTitles() {
        #expect(Self.chinese.line(MessageSketch(.teamNotice), in: .normal) == "[讨论组信息更新]")
        #expect(Self.chinese.line(MessageSketch(.teamNotice), in: .large) == "[超大群信息更新]")
        var registered = MessageSketch(.custom, kind: MessageKind(rawValue: 500), words: "w")
        registered.line = "[红包]\u{1B}"
        #expect(Self.chinese.line(registered) == "[红包]")
        #expect(Self.chinese.detailed(registered) == "[红包]")
        #expect(Self.chinese.line(registered, from: "阿兰", isGroup: true) == "阿兰 : [红包]")
        #expect(
            Self.chinese.notification(registered, from: "Tom", isGroup: false, callsReader: false) == "Tom：[红包]")
        registered.summary = "收到一个红包"
        #expect(
            Self.chinese.notification(registered, from: "Tom", isGroup: false, callsReader: false) == "Tom：收到一个红包")
    }

    @Test("lists show who said it in groups alone, and never for tips; drafts replace, mentions precede")
    func lists() {
        let text = MessageSketch(.text, words: "你好")
        #expect(Self.chinese.line(text, from: "阿兰", isGroup: true) == "阿兰 : 你好")
        #expect(Self.chinese.line(text, from: "阿兰", isGroup: false) == "你好")
        #expect(Self.chinese.line(MessageSketch(.tip, words: "x"), from: "阿兰", isGroup: true) == "x")
        #expect(Self.chinese.listed("d", draft: "还没\n写完", isMentioned: true) == "[草稿] 还没 写完")
        #expect(Self.chinese.listed("d", draft: " \n", isMentioned: true) == "[有人@你] d")
        #expect(Self.chinese.listed("d") == "d")
    }

    @Test("a quoted line names who and what")
    func quotes() {
        var sketch = MessageSketch(.text, words: "yes", quote: .init(sender: "Tom", form: .image, words: ""))
        #expect(Self.chinese.quoted(sketch) == "Tom: [图片]")
        sketch.quote?.form = .custom
        #expect(Self.chinese.quoted(sketch) == "Tom: [自定义消息]")
        #expect(Self.chinese.quoted(MessageSketch(.text)) == nil)
    }

    @Test(
        "notifications say what came",
        arguments: [
            (.image, "Tom发来了一张图片"), (.voice, "Tom发来了一段语音"), (.video, "Tom发来了一段视频"),
            (.location, "Tom发来了一条位置信息"), (.text, "Tom：hi"), (.file, "Tom：[文件]"),
        ] as [(MessageSketch.Form, String)])
    func notifications(form: MessageSketch.Form, text: String) {
        let sketch = MessageSketch(form, words: "hi")
        #expect(Self.chinese.notification(sketch, from: "Tom", isGroup: false, callsReader: true) == text)
        #expect(Self.chinese.notification(sketch, from: "Tom", isGroup: true, callsReader: false) == "[群消息]\(text)")
        #expect(Self.chinese.notification(sketch, from: "Tom", isGroup: true, callsReader: true) == "[群消息]Tom在群里@了你")
    }

    @Test("who has a line and no picture is told name, length and size")
    func details() {
        #expect(Self.english.detailed(MessageSketch(.voice, seconds: 7)) == "[voice message] 0:07")
        #expect(Self.english.detailed(MessageSketch(.file, words: "a\nb", bytes: 1536)) == "[file] a b (1.5 KB)")
        #expect(Self.chinese.detailed(MessageSketch(.card, words: "Tom")) == "[名片] Tom")
    }

    @Test(
        "words become one line that obeys nobody",
        arguments: [
            ("a\u{1B}[2Jb", "a[2Jb"), ("a\u{202E}b\u{2066}", "ab"), (" a\r\n\t b ", "a b"), ("\u{9B}x", "x"), ("", ""),
            ("a" + String(repeating: "\u{301}", count: 50), "a" + String(repeating: "\u{301}", count: 4)),
            ("👨‍👩‍👧‍👦👍🏽🇨🇳", "👨‍👩‍👧‍👦👍🏽🇨🇳"), ("e\u{301}龙井❤️", "e\u{301}龙井❤️"), ("a\u{200B}\u{FEFF}\u{3164}b", "a b"),
            ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"), ("x\u{E0041}y", "xy"),
        ])
    func hostile(text: String, line: String) {
        #expect(Array(PlainLine.of(text, maximum: 20).unicodeScalars) == Array(line.unicodeScalars))
    }

    @Test("the bound counts what people see as one character")
    func bound() {
        let family = String(repeating: "👨‍👩‍👧‍👦", count: 5)
        #expect(PlainLine.of(family, maximum: 5) == family)
        #expect(PlainLine.of(family + "x", maximum: 5) == String(repeating: "👨‍👩‍👧‍👦", count: 4) + "…")
    }
}

struct AmountsTests {
    @Test("badges, sizes and lengths")
    func amounts() {
        #expect([0, 1, 99, 100].map { Amounts.badge($0) } == ["", "1", "99", "···"])
        #expect(
            [0, 1023, 1024, 1535, 10_240, 1_048_575, 1_048_576, .max].map { Amounts.size(bytes: $0) } == [
                "0 B", "1023 B", "1.0 KB", "1.4 KB", "10 KB", "1023 KB", "1.0 MB", "8388607 TB",
            ])
        #expect([7, 60, 3_723, -1].map { Amounts.duration(seconds: $0) } == ["0:07", "1:00", "1:02:03", "0:00"])
    }

    @Test("a transfer says how far it is and what is left")
    func transfers() {
        let (english, chinese) = (Texts(embedded: .english), Texts(embedded: .chinese))
        #expect(
            [0, 1, 59, 60, 61].map { Amounts.remaining(seconds: $0, english) } == [
                "1 second left", "1 second left", "59 seconds left", "1 minute left", "2 minutes left",
            ])
        #expect(Amounts.remaining(seconds: 3_541, english) == "1 hour left")
        #expect(
            Amounts.progress(done: 1024, total: 10_240, bytesPerSecond: 2048, remainingSeconds: 5, chinese)
                == "1.0 KB/10 KB，2.0 KB/s，剩余5秒")
        for state in TransferState.allCases { #expect(!Amounts.state(state, english).contains(".")) }
    }
}
