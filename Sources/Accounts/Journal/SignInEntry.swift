import ByteCodec
import COpenSSL
import ChatModel

/// Gateway at which somebody signs in.
package enum SignInGateway: String, Sendable, CaseIterable {
    /// WuKongIM's connections.
    case wuKong = "wukong"
    /// WuKongIM's HTTP API, and the one its apps expect.
    case wuKongAPI = "wukong_api"
    /// LeanCloud's connections.
    case leanCloud = "leancloud"
    /// LeanCloud's HTTP API.
    case leanCloudAPI = "leancloud_api"
    /// Our own HTTP API and the page.
    case native
}

/// An entry of the journal of sign-ins: one attempt, a sum of equal ones, or a fact about the journal.
package struct SignInEntry: Hashable, Sendable {
    /// Kind of an entry, as the journal writes it.
    package enum Kind: String, Sendable, CaseIterable {
        /// Opens a file; continues the chain of the file before.
        case begin
        /// One attempt.
        case attempt = "sign_in"
        /// Attempts like the ones before it, summed.
        case sum
        /// Attempts that no entry has: there were too many at once, or the disk refused them.
        case leftOut = "left_out"
        /// The end of a file was not whole after a power cut and was set aside.
        case mended
        /// Files that were removed for their age, or to make room.
        case removed
    }

    /// Kind of the entry.
    package var kind: Kind
    /// Number, 1 and up without a gap.
    package var number: Int64
    /// Time by the clock of the server, UTC milliseconds; the newest one of a sum.
    package var atMilliseconds: Int64
    /// Name that was given; `nil` where the credentials alone say who it is.
    package var user: String?
    /// Address of the peer.
    package var address: String?
    /// Class of the device; `nil` where the gateway cannot tell.
    package var device: String?
    /// Gateway.
    package var gateway: String?
    /// Kind of the credentials: `token`, `password`, `signature`, `session_token`, `none`.
    package var credentials: String?
    /// `signed_in`, or why not: `wrong_credentials`.
    package var result: String?
    /// Why the credentials were wrong: `unknown_token`; `nil` where the result says it.
    package var reason: String?
    /// Attempts of a sum, attempts left out, or bytes set aside.
    package var count: Int64?
    /// Number of the last entry that was removed.
    package var through: Int64?
    /// Hash of the last entry of the file before, or of the last entry that was removed; in hexadecimal.
    package var previous: String?

    init(_ kind: Kind, number: Int64 = 0, at: Int64) {
        self.kind = kind
        self.number = number
        self.atMilliseconds = at
    }

    /// The entry as one JSON object, for scripts and for the chain.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("number")
        json.integer(self.number)
        json.key("at")
        json.integer(self.atMilliseconds)
        json.key("kind")
        json.string(self.kind.rawValue)
        let texts: [(StaticString, String?)] = [
            ("user", self.user), ("address", self.address), ("device", self.device), ("gateway", self.gateway),
            ("with", self.credentials), ("result", self.result), ("reason", self.reason), ("previous", self.previous),
        ]
        for case (let key, let text?) in texts {
            json.key(key)
            json.string(text)
        }
        for case (let key, let number?) in [("count" as StaticString, self.count), ("through", self.through)] {
            json.key(key)
            json.integer(number)
        }
        json.endObject()
        return json.bytes
    }

    /// Reads what `json` wrote; `nil` for anything else.
    init?(json bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), let number = json["number"]?.integer,
            let at = json["at"]?.integer, let kind = json["kind"]?.string.flatMap({ Kind(rawValue: $0) })
        else { return nil }
        self.init(kind, number: number, at: at)
        self.user = json["user"]?.string
        self.address = json["address"]?.string
        self.device = json["device"]?.string
        self.gateway = json["gateway"]?.string
        self.credentials = json["with"]?.string
        self.result = json["result"]?.string
        self.reason = json["reason"]?.string
        self.previous = json["previous"]?.string
        self.count = json["count"]?.integer
        self.through = json["through"]?.integer
    }
}

/// The lines of the journal, and the chain that they form.
///
/// A line is a SHA-256 in hexadecimal, a space and a JSON object. The hash is of the hash of the line before (64 zeros before
/// the first line of all), a space and the object: `printf '%s %s' BEFORE OBJECT | sha256sum`.
enum SignInLine {
    /// Hash before the first line.
    static let start = String(repeating: "0", count: 64)
    /// Bytes of a line at most, its line feed included. Names and addresses are bounded where they come in.
    static let maximumBytes = 4_096

    private static let hashBytes = 64

    static func hash(_ object: [UInt8], after previous: String) -> String {
        let bytes = Array(previous.utf8) + [UInt8(ascii: " ")] + object
        var digest = [UInt8](repeating: 0, count: 32)
        let isMade = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
        precondition(isMade == 1, "OpenSSL has no SHA-256")
        return Hex.encode(digest)
    }

    /// A line with its line feed, and its hash.
    static func line(of entry: SignInEntry, after previous: String) -> (bytes: [UInt8], hash: String) {
        let object = entry.json
        let hash = Self.hash(object, after: previous)
        return (Array(hash.utf8) + [UInt8(ascii: " ")] + object + [UInt8(ascii: "\n")], hash)
    }

    /// Takes a line apart; `nil` for one that is none. The hash is not checked.
    static func read(_ line: ArraySlice<UInt8>) -> (entry: SignInEntry, object: [UInt8], hash: String)? {
        guard line.count > Self.hashBytes + 2, line.count < Self.maximumBytes,
            line[line.startIndex + Self.hashBytes] == UInt8(ascii: " ")
        else { return nil }
        let object = Array(line[(line.startIndex + Self.hashBytes + 1)...])
        guard let entry = SignInEntry(json: object) else { return nil }
        return (entry, object, String(decoding: line.prefix(Self.hashBytes), as: UTF8.self))
    }
}
