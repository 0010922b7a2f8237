import ByteCodec
import LeanCloudWire
import Testing

struct SubprotocolTests {
    static let names = ["lc.protobuf2.1", "lc.protobuf2.3", "lc.proto2base64.1", "lc.proto2base64.3"]

    @Test("each known name is chosen and echoed as it is", arguments: Self.names)
    func echoes(name: String) {
        #expect(LeanCloudSubprotocol.chosen(from: [name])?.name == name)
    }

    @Test("the names say format and version")
    func meaning() {
        #expect(LeanCloudSubprotocol(name: "lc.protobuf2.1") == LeanCloudSubprotocol(.binary, .pushesMissedMessages))
        #expect(
            LeanCloudSubprotocol(name: "lc.proto2base64.3") == LeanCloudSubprotocol(.base64, .countsMissedMessages))
    }

    @Test("the first known one of several is chosen")
    func first() {
        let offered = ["lc.json.3", "chat", "lc.proto2base64.1", "lc.protobuf2.3"]
        #expect(LeanCloudSubprotocol.chosen(from: offered)?.name == "lc.proto2base64.1")
        #expect(LeanCloudSubprotocol.chosen(from: offered.reversed())?.name == "lc.protobuf2.3")
    }

    @Test(
        "nothing is chosen for other names",
        arguments: [
            "lc.json.3", "lc.protobuf2.2", "lc.protobuf2", "lc.protobuf2.", "LC.protobuf2.3", " lc.protobuf2.3", "",
            "lc.protobuf2.3.3",
        ])
    func unknown(name: String) {
        #expect(LeanCloudSubprotocol.chosen(from: [name]) == nil)
    }

    // MARK: Frames

    static let binary = LeanCloudSubprotocol(.binary, .countsMissedMessages)
    static let base64 = LeanCloudSubprotocol(.base64, .countsMissedMessages)

    static func read(_ text: String, limits: WireLimits = WireLimits()) throws -> GenericCommand {
        try Array(text.utf8).withUnsafeBytes { try Self.base64.decode($0, isText: true, limits: limits) }
    }

    @Test("a command goes through either format")
    func frames() throws {
        let command = GoldenFrames.opens[0].command
        #expect(Self.binary.encode(command) == GoldenFrames.javaScriptOpen)
        let read = try GoldenFrames.javaScriptOpen.withUnsafeBytes { try Self.binary.decode($0, isText: false) }
        #expect(read == command)
        let text = Self.base64.encode(command)
        #expect(text == Base64.encode(GoldenFrames.javaScriptOpen))
        #expect(try Self.read(String(decoding: text, as: UTF8.self)) == command)
    }

    @Test(
        "base64 is read in both alphabets, padded or not",
        arguments: [
            // peerId "~~?", which is 7e7e3f: the command has 5 bytes.
            "IgN+fj8=", "IgN-fj8=", "IgN+fj8", "IgN-fj8",
        ])
    func alphabets(text: String) throws {
        #expect(try Self.read(text) == GenericCommand { $0.peerId = "~~?" })
    }

    @Test(
        "other text is no base64",
        arguments: ["IgN+fj8==", "IgN+fj=", "IgN+fj8=\n", "I", "=", "====", "IgN+ fj8", "IgN+fj9"])
    func invalid(text: String) {
        #expect(throws: LeanCloudWireError(.invalidBase64, at: 0)) { try Self.read(text) }
    }

    @Test("the kind of frame is the subprotocol's")
    func kind() {
        let frame = GoldenFrames.javaScriptOpen
        #expect(throws: LeanCloudWireError(.wrongFrameKind(expectsText: false), at: 0)) {
            try frame.withUnsafeBytes { try Self.binary.decode($0, isText: true) }
        }
        #expect(throws: LeanCloudWireError(.wrongFrameKind(expectsText: true), at: 0)) {
            try frame.withUnsafeBytes { try Self.base64.decode($0, isText: false) }
        }
    }

    @Test("the bound holds for the bytes inside of the text", arguments: [30, 31, 32, 33])
    func bound(count: Int) throws {
        let command = GenericCommand { $0.peerId = String(repeating: "a", count: count - 2) }
        #expect(command.encoded().count == count)
        let text = String(decoding: Self.base64.encode(command), as: UTF8.self)
        #expect(try Self.read(text, limits: WireLimits(frameBytes: count)) == command)
        for limit in [count - 1, 4] {
            let error = #expect(throws: LeanCloudWireError.self) {
                try Self.read(text, limits: WireLimits(frameBytes: limit))
            }
            guard case .frameTooLong(_, limit) = error?.reason else {
                Issue.record("\(limit) bytes: \(String(describing: error))")
                continue
            }
        }
    }

    // MARK: IDs

    @Test("message IDs are 22 characters of either alphabet")
    func messageID() throws {
        let id = LeanCloudMessageID(high: 0xFBFB_FBFB_FBFB_FBFB, low: 0xFBFB_FBFB_FBFB_FBFB)
        #expect(id.description == "-_v7-_v7-_v7-_v7-_v7-w")
        #expect(LeanCloudMessageID(id.description) == id)
        #expect(LeanCloudMessageID("+/v7+/v7+/v7+/v7+/v7+w") == id)
        for text in ["", "-_v7-_v7-_v7-_v7-_v7-", "-_v7-_v7-_v7-_v7-_v7-_v7", "-_v7-_v7-_v7-_v7-_v7-x"] {
            #expect(LeanCloudMessageID(text) == nil, "\(text)")
        }
    }

    @Test("object IDs are 24 hexadecimal digits")
    func objectID() {
        let text = "5a0b1c2d3e4f5061728394a5"
        #expect(LeanCloudObjectID(text)?.description == text)
        #expect(LeanCloudObjectID(text.uppercased())?.description == text)
        for text in ["", "_tmp:5a0b1c2d3e4f5061728394", "5a0b1c2d3e4f5061728394a", "5a0b1c2d3e4f5061728394g5"] {
            #expect(LeanCloudObjectID(text) == nil, "\(text)")
        }
    }
}
