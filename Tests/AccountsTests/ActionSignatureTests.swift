import Testing

@testable import Accounts

@Suite("Signatures of an app's own server") struct ActionSignatureTests {
    /// Made with Python's hmac and checked with openssl.
    static let appID = "teahouse-test-app-gzGzoHsz"
    static let masterKey = "MasterKeyForTeahouseTests01"
    static let conversation = "551260efe4b01608686c3e0f"
    static let keys = ApplicationKeys(
        appID: appID, appKeys: ["UtOCzqb67d3sN12Kts4URwy8"], masterKeys: [masterKey])

    struct Vector: Sendable {
        var action: SignedAction
        var timestamp: Int64 = 1_794_873_600_000
        var text: String
        var signature: String
    }

    static let vectors = [
        Vector(
            action: .open(client: "Tom"), text: "Tom::1794873600000:a1b2c3",
            signature: "e3cbde5464299023c8dfec99ad921a974c923acc"),
        Vector(
            action: .open(client: "Tom"), timestamp: 1_794_873_600, text: "Tom::1794873600:a1b2c3",
            signature: "abfa72ba1864bf3ddda5ccbcb029f4a32da8e9fe"),
        Vector(
            action: .start(client: "Tom", members: ["Jerry", "Tom", "Bob"]),
            text: "Tom:Bob:Jerry:Tom:1794873600000:a1b2c3", signature: "56037fed77c0c00aece28d9222a19a8f4221225a"),
        Vector(
            action: .invite(client: "Tom", conversation: conversation, members: ["Mary", "Harry"]),
            text: "Tom:551260efe4b01608686c3e0f:Harry:Mary:1794873600000:a1b2c3:invite",
            signature: "23c55dd1c1c3c1f1763b273366cd1b53bd375ba0"),
        Vector(
            action: .kick(client: "Tom", conversation: conversation, members: ["Harry"]),
            text: "Tom:551260efe4b01608686c3e0f:Harry:1794873600000:a1b2c3:kick",
            signature: "836f56eea4b853e9cc5625404b6322a55eb1fc40"),
        Vector(
            action: .block(client: "Tom", conversation: conversation, members: ["Harry"]),
            text: "Tom:551260efe4b01608686c3e0f:Harry:1794873600000:a1b2c3:conversation-block-clients",
            signature: "0f6e66c021e8a0615df3c80aa2754967bbee15b9"),
        Vector(
            action: .history(client: "Tom", conversation: conversation),
            text: "Tom:551260efe4b01608686c3e0f:a1b2c3:1794873600000",
            signature: "a016937f8ca6ea2a21b4a4c816bd8decfcd9173e"),
    ]

    @Test("what is signed, and the signature", arguments: vectors)
    func signed(_ vector: Vector) throws {
        let made = try #require(Self.keys.sign(vector.action, timestamp: vector.timestamp, nonce: "a1b2c3"))
        #expect(made.text == "\(Self.appID):\(vector.text)")
        #expect(made.signature == vector.signature)
    }

    @Test("a right signature is right in either case, for its action alone, with its own digits", arguments: vectors)
    func checked(_ vector: Vector) {
        let signature = ActionSignature(signature: vector.signature, timestamp: vector.timestamp, nonce: "a1b2c3")
        #expect(Self.keys.isRight(signature, for: vector.action))
        var other = signature
        other.signature = vector.signature.uppercased()
        #expect(Self.keys.isRight(other, for: vector.action))
        other.signature = String(vector.signature.dropLast()) + (vector.signature.hasSuffix("0") ? "1" : "0")
        #expect(!Self.keys.isRight(other, for: vector.action))
        for text in ["", "e3", vector.signature + "00", String(repeating: "g", count: 40)] {
            other.signature = text
            #expect(!Self.keys.isRight(other, for: vector.action))
        }
        other = signature
        other.nonce = "a1b2c4"
        #expect(!Self.keys.isRight(other, for: vector.action))
        other = signature
        other.timestamp += 1
        #expect(!Self.keys.isRight(other, for: vector.action))
        for strange in Self.vectors where strange.action != vector.action {
            #expect(!Self.keys.isRight(signature, for: strange.action))
        }
        #expect(!Self.keys.isRight(signature, for: .open(client: "tom")))
        #expect(!ApplicationKeys.none.isRight(signature, for: vector.action))
    }

    @Test(
        "the creator of a conversation may be signed with its members or not, and sent with them or not",
        arguments: [["Bob", "Jerry"], ["Bob", "Jerry", "Tom"]], [["Bob", "Jerry"], ["Jerry", "Tom", "Bob"]])
    func creator(_ signed: [String], _ sent: [String]) throws {
        let made = try #require(
            Self.keys.sign(.start(client: "Tom", members: signed), timestamp: 1_794_873_600, nonce: "n"))
        let signature = ActionSignature(signature: made.signature, timestamp: 1_794_873_600, nonce: "n")
        #expect(Self.keys.isRight(signature, for: .start(client: "Tom", members: sent)))
        #expect(!Self.keys.isRight(signature, for: .start(client: "Tom", members: sent + ["Eve"])))
        #expect(!Self.keys.isRight(signature, for: .start(client: "Bob", members: sent)))
    }

    @Test("members are sorted by their bytes, and none are an empty field")
    func members() throws {
        let sign = { Self.keys.sign(.start(client: "c", members: $0), timestamp: 1, nonce: "n")?.text }
        #expect(sign([]) == "\(Self.appID):c::1:n")
        // U+10000 comes after U+FFEE by bytes and before it in UTF-16; "é" in two scalars comes before "z", in one after.
        #expect(sign(["\u{10000}", "\u{FFEE}"]) == "\(Self.appID):c:\u{FFEE}:\u{10000}:1:n")
        #expect(sign(["z", "e\u{301}", "\u{E9}", "Z"]) == "\(Self.appID):c:Z:e\u{301}:z:\u{E9}:1:n")
    }

    @Test("a history may be signed with time and nonce the other way round, as the older sample does")
    func history() throws {
        let digest = try #require(
            Digest.hmacSHA1(
                Array("\(Self.appID):Tom:\(Self.conversation):1794873600000:a1b2c3".utf8),
                key: Array(Self.masterKey.utf8)))
        let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let signature = ActionSignature(signature: hex, timestamp: 1_794_873_600_000, nonce: "a1b2c3")
        #expect(Self.keys.isRight(signature, for: .history(client: "Tom", conversation: Self.conversation)))
    }

    @Test("the words of older SDKs count for the same actions, and joining is for oneself")
    func olderWords() throws {
        func isRight(_ word: String, _ members: String, for action: SignedAction) throws -> Bool {
            let digest = try #require(
                Digest.hmacSHA1(
                    Array("\(Self.appID):Tom:\(Self.conversation):\(members):1794873600:n:\(word)".utf8),
                    key: Array(Self.masterKey.utf8)))
            let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return Self.keys.isRight(
                ActionSignature(signature: hex, timestamp: 1_794_873_600, nonce: "n"), for: action)
        }
        func invite(_ member: String) -> SignedAction {
            .invite(client: "Tom", conversation: Self.conversation, members: [member])
        }
        #expect(try isRight("add", "Harry", for: invite("Harry")))
        #expect(try isRight("join", "Tom", for: invite("Tom")))
        #expect(try !isRight("join", "Harry", for: invite("Harry")))
        let kick = SignedAction.kick(client: "Tom", conversation: Self.conversation, members: ["Harry"])
        #expect(try isRight("remove", "Harry", for: kick))
        #expect(try !isRight("add", "Harry", for: kick) && !isRight("remove", "Harry", for: invite("Harry")))
    }

    @Test(
        "a time is in seconds or milliseconds by its size",
        arguments: [
            (Int64(0), Int64(0)), (1_794_873_600, 1_794_873_600_000), (99_999_999_999, 99_999_999_999_000),
            (100_000_000_000, 100_000_000_000), (1_794_873_600_000, 1_794_873_600_000), (-5, -5), (.min, .min),
            (.max, .max),
        ])
    func times(_ sent: Int64, _ milliseconds: Int64) {
        #expect(ActionSignature(signature: "", timestamp: sent, nonce: "").signedAtMilliseconds == milliseconds)
    }

    @Test("neither keys nor signatures print")
    func silence() {
        let signature = ActionSignature(signature: "e3cbde54", timestamp: 1, nonce: "a1b2c3")
        var printed =
            "\(signature) \(Self.keys) \(Credentials.signature(signature)) \(Credentials.sessionToken("st-text"))"
        dump(signature, to: &printed)
        dump(Self.keys, to: &printed)
        for secret in ["e3cbde54", Self.masterKey, "UtOCzqb67d3sN12Kts4URwy8", "st-text"] {
            #expect(!printed.contains(secret))
        }
    }

    // MARK: Keys over HTTP

    @Test("X-LC-Key is an app key, or a master key that says so")
    func restKey() {
        #expect(Self.keys.verifyRESTKey("UtOCzqb67d3sN12Kts4URwy8") == .client)
        #expect(Self.keys.verifyRESTKey("\(Self.masterKey),master") == .master)
        #expect(Self.keys.verifyRESTKey(" \(Self.masterKey) , master ") == .master)
        for wrong in [
            "", ",", Self.masterKey, "UtOCzqb67d3sN12Kts4URwy8,master", "\(Self.masterKey),admin",
            "\(Self.masterKey),master,master", "UtOCzqb67d3sN12Kts4URwy", "utoczqb67d3sn12kts4urwy8",
        ] {
            #expect(Self.keys.verifyRESTKey(wrong) == nil, "\(wrong)")
        }
        #expect(ApplicationKeys.none.verifyRESTKey("") == nil)
    }

    @Test("X-LC-Sign is the sample's, within ten minutes")
    func restSign() throws {
        // Source: LeanCloud REST guide, "Signing requests".
        let header = "d5bcbb897e19b2f6633c716dfdfaf9be,1453014943466"
        let time: Int64 = 1_453_014_943_466
        for distance in [-600_000, 0, 600_000] as [Int64] {
            #expect(Self.keys.verifyRESTSign(header, now: time + distance) == .client)
        }
        for distance in [-600_001, 600_001, 86_400_000] as [Int64] {
            #expect(Self.keys.verifyRESTSign(header, now: time + distance) == nil)
        }
        #expect(Self.keys.verifyRESTSign(header.uppercased(), now: time) == .client)
        let made = try #require(Self.keys.restSign(asMaster: true, timestamp: "1453014943466"))
        #expect(Self.keys.verifyRESTSign(made.header, now: time) == .master)
        #expect(!made.text.contains(Self.masterKey))
        for wrong in [
            header + ",master", header + ",x", header + "0", "d5bcbb897e19b2f6633c716dfdfaf9bf,1453014943466",
            "d5bcbb897e19b2f6633c716dfdfaf9be", ",1453014943466", "d5bcbb897e19b2f6633c716dfdfaf9be,",
            "d5bcbb897e19b2f6633c716dfdfaf9be,99999999999999999999", "", ",,,,,",
            String(made.header.dropLast(",master".count)),
        ] {
            #expect(Self.keys.verifyRESTSign(wrong, now: time) == nil, "\(wrong)")
        }
    }
}

@Suite("Signatures that were used") struct ReplayMemoryTests {
    private static func signature(_ number: Int) -> ActionSignature {
        ActionSignature(signature: "", timestamp: 1, nonce: String(number))
    }

    @Test("each is good for one use, of one action, by one client")
    func once() {
        var memory = ReplayMemory()
        let start = SignedAction.start(client: "Tom", members: ["Bob"])
        let uses: [(SignedAction, Int, Bool)] = [
            (.open(client: "Tom"), 1, true), (.open(client: "Tom"), 1, false), (.open(client: "Tom"), 2, true),
            (.open(client: "Bob"), 1, true), (start, 1, true), (start, 1, false),
            (.start(client: "Tom", members: []), 1, true), (.open(client: "Tom"), 2, false),
        ]
        for (action, number, isNew) in uses {
            let isTaken = memory.use(Self.signature(number), for: action)
            #expect(isTaken == isNew)
        }
    }

    @Test("beyond its bound the oldest is forgotten")
    func bound() {
        var memory = ReplayMemory(capacity: 3)
        let action = SignedAction.open(client: "Tom")
        // The fourth pushes the first out, which then pushes the second out, and so on.
        let uses = [
            (1, true), (2, true), (3, true), (4, true), (2, false), (3, false), (4, false), (1, true), (2, true),
            (4, false),
        ]
        for (number, isNew) in uses {
            let isTaken = memory.use(Self.signature(number), for: action)
            #expect(isTaken == isNew, "\(number)")
        }
    }
}
