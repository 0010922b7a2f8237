import CSodium

/// The few functions of libsodium that are used, over arrays.
enum Sodium {
    private static let isReady: Bool = sodium_init() >= 0

    /// Makes the library ready; cheap after the first time.
    static func start() { precondition(Self.isReady, "libsodium cannot start: no source of random bytes") }

    /// Bytes nobody can foresee.
    static func randomBytes(_ count: Int) -> [UInt8] {
        Self.start()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            randombytes_buf(buffer.baseAddress!, count)
            initialized = count
        }
    }

    /// BLAKE2b-256.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        Self.start()
        let count = Self.hashBytes
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            crypto_generichash(buffer.baseAddress!, count, bytes, UInt64(bytes.count), nil, 0)
            initialized = count
        }
    }

    /// BLAKE2b-256 under a key of 16...64 bytes.
    static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        Self.start()
        let count = Self.hashBytes
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            crypto_generichash(buffer.baseAddress!, count, bytes, UInt64(bytes.count), key, key.count)
            initialized = count
        }
    }

    static let hashBytes = 32

    /// Compares in a time that says nothing about where the first difference is.
    static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }

    /// Base64 without padding: for URLs, or with the alphabet of argon2id strings.
    static func base64(_ bytes: [UInt8], forURLs: Bool = true) -> String {
        let variant = forURLs ? sodium_base64_VARIANT_URLSAFE_NO_PADDING : sodium_base64_VARIANT_ORIGINAL_NO_PADDING
        var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
        sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// Sealing: XSalsa20 and Poly1305.
extension Sodium {
    static let sealingKeyBytes = 32
    /// By how much a sealed text is longer: a number used once, and the proof that nobody changed it.
    static let sealBytes = 24 + 16

    /// Encrypts under a key of 32 bytes, so that a change is noticed.
    static func seal(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(key.count == Self.sealingKeyBytes, "a key to seal with has 32 bytes")
        let nonce = Self.randomBytes(Int(crypto_secretbox_NONCEBYTES))
        let count = bytes.count + Int(crypto_secretbox_MACBYTES)
        return nonce
            + [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                crypto_secretbox_easy(buffer.baseAddress!, bytes, UInt64(bytes.count), nonce, key)
                initialized = count
            }
    }

    /// - Returns: `nil` when it was sealed with another key, or changed.
    static func open(_ sealed: [UInt8], key: [UInt8]) -> [UInt8]? {
        precondition(key.count == Self.sealingKeyBytes, "a key to seal with has 32 bytes")
        guard sealed.count >= Self.sealBytes else { return nil }
        let nonce = Array(sealed.prefix(Int(crypto_secretbox_NONCEBYTES)))
        let box = Array(sealed.dropFirst(nonce.count))
        var isRight = false
        let opened = [UInt8](unsafeUninitializedCapacity: sealed.count - Self.sealBytes) { buffer, initialized in
            // A buffer without elements may have no address; libsodium then only checks.
            isRight = crypto_secretbox_open_easy(buffer.baseAddress, box, UInt64(box.count), nonce, key) == 0
            initialized = isRight ? sealed.count - Self.sealBytes : 0
        }
        return isRight ? opened : nil
    }
}
