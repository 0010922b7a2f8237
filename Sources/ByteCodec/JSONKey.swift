import Glibc

/// A key inside `JSONReader.readObject`, compared without making a `String` of it.
///
/// SAFETY: points into the buffer of its reader; it must not leave the closure that is given it.
package struct JSONKey {
    private let token: JSONStringToken

    init(_ token: JSONStringToken) {
        self.token = token
    }

    /// The key as a string of its own.
    package var text: String {
        guard self.token.hasEscapes else { return String(decoding: self.token.raw, as: UTF8.self) }
        return String(decoding: self.token.decoded(), as: UTF8.self)
    }

    /// The key's UTF-8 bytes, escapes resolved.
    var utf8: [UInt8] { self.token.decoded() }

    package static func == (key: JSONKey, name: StaticString) -> Bool {
        name.withUTF8Buffer { key.matches(UnsafeRawBufferPointer($0)) }
    }

    /// The same for keys of the same text, and mostly different for others: the last eight bytes and the length.
    var fingerprint: UInt64 {
        guard !self.token.hasEscapes else { return self.utf8.withUnsafeBytes(Self.fingerprint) }
        return Self.fingerprint(of: self.token.raw)
    }

    private static func fingerprint(of utf8: UnsafeRawBufferPointer) -> UInt64 {
        let length = UInt64(truncatingIfNeeded: utf8.count) &* 0x9E37_79B9_7F4A_7C15
        if utf8.count >= 8 { return length ^ utf8.loadUnaligned(fromByteOffset: utf8.count - 8, as: UInt64.self) }
        return utf8.reduce(length) { $0 << 8 ^ UInt64($1) }
    }

    func hasSameText(as other: JSONKey) -> Bool {
        guard !other.token.hasEscapes else { return self.utf8 == other.utf8 }
        return self.matches(other.token.raw)
    }

    private func matches(_ utf8: UnsafeRawBufferPointer) -> Bool {
        if self.token.hasEscapes { return self.utf8.elementsEqual(utf8) }
        let raw = self.token.raw
        guard raw.count == utf8.count else { return false }
        guard let left = raw.baseAddress, let right = utf8.baseAddress, raw.count > 0 else { return true }
        return memcmp(left, right, raw.count) == 0
    }
}

/// The keys that one object has shown so far.
///
/// Usual objects fit into a few fields on the stack; a larger one costs a set, so that time stays linear in its size.
struct JSONKeySet {
    private static let few = 12

    private var keys = InlineArray<12, JSONKey?>(repeating: nil)
    private var fingerprints = InlineArray<12, UInt64>(repeating: 0)
    private var count = 0

    /// `false` when the key was there before. `overflow` starts empty and is the caller's, because a struct that owns
    /// nothing costs nothing to throw away.
    mutating func insert(_ key: JSONKey, overflow: inout Set<[UInt8]>) -> Bool {
        guard self.count < Self.few else { return self.insertIntoSet(key, &overflow) }
        let fingerprint = key.fingerprint
        for index in 0..<self.count where self.fingerprints[index] == fingerprint {
            if let seen = self.keys[index], seen.hasSameText(as: key) { return false }
        }
        self.keys[self.count] = key
        self.fingerprints[self.count] = fingerprint
        self.count += 1
        return true
    }

    private func insertIntoSet(_ key: JSONKey, _ overflow: inout Set<[UInt8]>) -> Bool {
        if overflow.isEmpty {
            for index in 0..<self.count {
                if let seen = self.keys[index] { overflow.insert(seen.utf8) }
            }
        }
        return overflow.insert(key.utf8).inserted
    }
}
