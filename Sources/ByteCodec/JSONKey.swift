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
    private var first = InlineArray<12, JSONKey?>(repeating: nil)
    private var count = 0
    private var all: Set<[UInt8]> = []

    /// `false` when the key was there before.
    mutating func insert(_ key: JSONKey) -> Bool {
        if self.count < self.first.count {
            for index in 0..<self.count {
                if let seen = self.first[index], seen.hasSameText(as: key) { return false }
            }
            self.first[self.count] = key
            self.count += 1
            return true
        }
        if self.all.isEmpty {
            for index in 0..<self.count {
                if let seen = self.first[index] { self.all.insert(seen.utf8) }
            }
        }
        return self.all.insert(key.utf8).inserted
    }
}
