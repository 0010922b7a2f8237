import Broker
import ByteCodec
import CLinux
import Glibc
import TeahouseTesting
import Testing

@testable import Hooks

@Suite("Delivery round")
struct DeliveryRoundTests {
    private static func parcel(_ lane: Int, at time: Int64 = 100, events: Int64 = 1) -> Parcel {
        Parcel(lane: lane, event: .messages, id: "", body: [], newestAtMilliseconds: time, events: events)
    }

    @Test("lanes go side by side, parcels of one lane one after the other")
    func lanes() {
        var round = DeliveryRound([Self.parcel(0), Self.parcel(1), Self.parcel(0), Self.parcel(1)])
        #expect(round.beginAttempt() == [0, 1])
        #expect(round.delivered(1) == 3)
        #expect(round.delivered(0) == 2)
        #expect(round.delivered(2) == nil)
        #expect(!round.isDone)
        #expect(round.delivered(3) == nil)
        #expect(round.isDone)
    }

    @Test("a failure stops its lane alone, and the next attempt begins where it stopped")
    func failure() {
        var round = DeliveryRound([Self.parcel(0), Self.parcel(1), Self.parcel(0)])
        #expect(round.beginAttempt() == [0, 1])
        round.failed(0)
        #expect(!round.isQuiet)
        #expect(round.delivered(1) == nil)
        #expect(round.isQuiet && !round.isDone)
        #expect(round.beginAttempt() == [0])
        #expect(round.delivered(0) == 2)
        #expect(round.delivered(2) == nil)
        #expect(round.isDone)
    }

    @Test("what is too old is given up")
    func dropping() {
        var round = DeliveryRound([Self.parcel(0, at: 10, events: 7), Self.parcel(0, at: 30), Self.parcel(1, at: 10)])
        #expect(round.dropParcels(before: 20) == 8)
        #expect(round.beginAttempt() == [1])
    }

    @Test("an empty page is done at once")
    func empty() {
        var round = DeliveryRound([])
        #expect(round.beginAttempt() == [])
        #expect(round.isDone)
    }
}

@Suite("Backoff")
struct BackoffTests {
    @Test("doubles up to its bound, spread by a quarter, and begins anew after a success")
    func doubles() {
        var backoff = Backoff(firstMilliseconds: 1_000, lastMilliseconds: 60_000)
        let waits = (0..<8).map { _ in backoff.failed(spread: 0.5) }
        #expect(waits == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
        for _ in 0..<100 { _ = backoff.failed(spread: 0.5) }
        #expect(backoff.failed(spread: 0) == 45_000)
        #expect(backoff.failed(spread: 1) == 75_000)
        backoff.succeeded()
        #expect(backoff.failed(spread: 0.5) == 1_000)
    }
}

@Suite("Secret")
struct HookSecretTests {
    private func file(_ text: String, mode: mode_t) -> (TemporaryFolder, String) {
        let folder = TemporaryFolder()
        let path = folder.path + "/secret"
        let descriptor = clinux_open(path, O_CREAT | O_WRONLY, 0o600)
        _ = write(descriptor, text, text.utf8.count)
        close(descriptor)
        chmod(path, mode)
        return (folder, path)
    }

    @Test("is the file without the line's end", arguments: [mode_t(0o600), 0o400, 0o640])
    func reads(mode: mode_t) throws {
        let (folder, path) = self.file("0123456789abcdef \n", mode: mode)
        #expect(try HookSecret.read(path) == Array("0123456789abcdef".utf8))
        withExtendedLifetime(folder) {}
    }

    @Test("is refused when others may read it", arguments: [mode_t(0o644), 0o604, 0o620])
    func exposed(mode: mode_t) {
        let (folder, path) = self.file("0123456789abcdef", mode: mode)
        #expect(throws: HookSecretError.exposed(path: path)) { try HookSecret.read(path) }
        withExtendedLifetime(folder) {}
    }

    @Test("is refused when it is too short, too long, or not there")
    func bounds() {
        for text in ["0123456789abcde\n", String(repeating: "x", count: 1025)] {
            let (folder, path) = self.file(text, mode: 0o600)
            #expect(throws: HookSecretError.tooShort(path: path)) { try HookSecret.read(path) }
            withExtendedLifetime(folder) {}
        }
        #expect(throws: HookSecretError.unreadable(path: "/nowhere", code: ENOENT)) { try HookSecret.read("/nowhere") }
    }
}

@Suite("Answers of cloud functions")
struct VerdictTests {
    private static func verdict(_ text: String, wasBinary: Bool = false) throws -> HookVerdict {
        LeanCloudHooks.verdict(try JSONValue(parsing: text), wasBinary: wasBinary)
    }

    @Test("what is true in the function's language refuses", arguments: ["true", "1", #""yes""#, "{}"])
    func truth(_ value: String) throws {
        for name in ["drop", "reject"] {
            let verdict = try Self.verdict(#"{"\#(name)":\#(value),"code":7,"detail":"no"}"#)
            #expect(verdict == .rejected(code: 7, detail: "no"))
        }
    }

    @Test("anything else lets it pass", arguments: ["false", "0", #""""#, "null"])
    func untruth(_ value: String) throws {
        #expect(try Self.verdict(#"{"drop":\#(value),"reject":\#(value)}"#) == .allowed(.none))
    }

    @Test("content is base64 where the message was binary, unless the answer says otherwise")
    func binary() throws {
        func content(_ text: String, wasBinary: Bool) throws -> [UInt8]? {
            guard case .allowed(let changes) = try Self.verdict(text, wasBinary: wasBinary) else { return nil }
            return changes.content
        }
        #expect(try content(#"{"content":"AAE="}"#, wasBinary: true) == [0, 1])
        #expect(try content(#"{"content":"AAE="}"#, wasBinary: false) == Array("AAE=".utf8))
        #expect(try content(#"{"bin":true,"content":"AAE="}"#, wasBinary: false) == [0, 1])
        #expect(try content(#"{"bin":false,"content":"AAE="}"#, wasBinary: true) == Array("AAE=".utf8))
    }
}
