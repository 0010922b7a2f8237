import ByteCodec
import COpenSSL
import Glibc

/// Encrypts and signs one message for many sessions, eight at a time.
///
/// Parts that the sessions have in common are put together once: the padded payload, the signature, the packet but for
/// its encrypted parts. Eight message keys are made at once, which takes a sixth of the time of one after the other.
///
/// Exclusive access is not checked at run time: nothing in it calls back.
///
/// SAFETY: `memory` is one piece from calloc, owned by this object alone and freed with it; the offsets below lie in it
/// and do not overlap. Stays on the thread of its workspace.
package final class MessageSealer {
    private static let messageKeyBytes = 32
    /// From so many bytes of payload on, sessions are taken one by one: eight packets would need much memory and gain
    /// little.
    private static let largePayloadBytes = 8 * 1024
    /// Memory that is kept although the next message needs less.
    private static let keptBytes = 256 * 1024

    private let workspace: CryptoWorkspace
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var memoryBytes = 0

    /// How many packets there is room for: `add` takes so many sessions between `begin` or `removeAll` and `seal`.
    @exclusivity(unchecked) package private(set) var capacity = 0
    /// How many sessions have been added.
    @exclusivity(unchecked) package private(set) var count = 0

    /// For how many sessions the memory has what all share: most messages have one receiver.
    @exclusivity(unchecked) private var prepared = 0

    // The payload, padded; then the signature, the encrypted payload and their padding; then both on their way through
    // the cipher; then for each session the base64 of its signed text with MD5's padding, and its packet.
    @exclusivity(unchecked) private var plainBytes = 0
    @exclusivity(unchecked) private var signatureBytes = 0
    @exclusivity(unchecked) private var signedBytes = 0
    @exclusivity(unchecked) private var cipherStart = 0
    @exclusivity(unchecked) private var textStart = 0
    @exclusivity(unchecked) private var textBytes = 0
    @exclusivity(unchecked) private var textStride = 0
    @exclusivity(unchecked) private var packetStart = 0
    @exclusivity(unchecked) private var packetBytes = 0
    @exclusivity(unchecked) private var messageKeyOffset = 0

    package init(in workspace: CryptoWorkspace) { self.workspace = workspace }

    deinit { free(self.memory) }

    /// Bytes of the encrypted form of so many bytes of payload: base64 text.
    package static func encryptedCount(of payloadBytes: Int) -> Int {
        Base64.encodedCount(of: self.padded(payloadBytes))
    }

    /// With the padding of PKCS #7, which is never absent.
    private static func padded(_ count: Int) -> Int { (count / CipherBlock.bytes + 1) * CipherBlock.bytes }

    // MARK: One message

    /// Sets the message, and forgets the sessions.
    ///
    /// - Parameters:
    ///   - signature: the packet's fields, as `BinarySignature` puts them together.
    ///   - packet: what every session gets, with 32 bytes of room for the message key at `messageKeyOffset`, and
    ///     `encryptedCount` at its end.
    package func beginMessage(payload: [UInt8], signature: [UInt8], packet: [UInt8], messageKeyOffset: Int) {
        self.layOut(payload: payload.count, signature: signature.count, packet: packet.count)
        self.messageKeyOffset = messageKeyOffset
        precondition(
            messageKeyOffset + Self.messageKeyBytes + Self.encryptedCount(of: payload.count) <= packet.count,
            "a packet without room for message key and payload")
        self.put(payload, at: 0)
        self.pad(from: payload.count, to: self.plainBytes)
        self.put(signature, at: self.plainBytes)
        let signedCount = self.signatureBytes + Self.encryptedCount(of: payload.count)
        self.pad(from: self.plainBytes + signedCount, to: self.plainBytes + self.signedBytes)
        self.put(packet, at: self.packetStart)
        self.padForMD5(self.textStart)
        self.prepared = 1
    }

    private func layOut(payload: Int, signature: Int, packet: Int) {
        self.count = 0
        self.capacity = payload < Self.largePayloadBytes ? Int(COPENSSL_MD5_LANES) : 1
        self.plainBytes = Self.padded(payload)
        self.signatureBytes = signature
        self.signedBytes = Self.padded(signature + Base64.encodedCount(of: self.plainBytes))
        self.cipherStart = self.plainBytes + self.signedBytes
        self.textBytes = Base64.encodedCount(of: self.signedBytes)
        // MD5 adds a bit and eight bytes of length, and works on 64 bytes at a time.
        self.textStride = (self.textBytes + 9 + 63) / 64 * 64
        self.textStart = self.cipherStart + self.signedBytes
        self.packetStart = self.textStart + self.capacity * self.textStride
        self.packetBytes = packet
        let needed = self.packetStart + self.capacity * packet
        guard self.memoryBytes < needed || self.memoryBytes > max(needed, Self.keptBytes) else { return }
        free(self.memory)
        self.memoryBytes = max(needed, 16 * 1024)
        self.memory = calloc(self.memoryBytes, 1)
    }

    private func at(_ offset: Int) -> UnsafeMutableRawPointer {
        guard let memory = self.memory else { fatalError("out of memory for \(self.memoryBytes) bytes of messages") }
        return memory + offset
    }

    private func put(_ bytes: [UInt8], at offset: Int) {
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(self.at(offset), start, $0.count) } }
    }

    private func pad(from start: Int, to end: Int) { memset(self.at(start), Int32(end - start), end - start) }

    /// RFC 1321, sections 3.1 and 3.2.
    private func padForMD5(_ text: Int) {
        memset(self.at(text + self.textBytes), 0, self.textStride - self.textBytes)
        self.at(text + self.textBytes).storeBytes(of: 0x80, as: UInt8.self)
        self.at(text + self.textStride - 8).storeBytes(of: UInt64(8 * self.textBytes).littleEndian, as: UInt64.self)
    }

    // MARK: Its receivers

    /// Encrypts the message for one more session; there must be room.
    package func add(_ keys: SessionKeys) {
        precondition(self.count < self.capacity, "more sessions than there is room for")
        if self.count == self.prepared { self.prepareNext() }
        let encryptedBytes = Base64.encodedCount(of: self.plainBytes)
        let end = self.packetStart + (self.count + 1) * self.packetBytes
        let payload = self.at(end - encryptedBytes)
        Base64.encode(
            self.encrypted(0, self.plainBytes, keys),
            to: UnsafeMutableRawBufferPointer(start: payload, count: encryptedBytes))
        memcpy(self.at(self.plainBytes + self.signatureBytes), payload, encryptedBytes)
        Base64.encode(
            self.encrypted(self.plainBytes, self.signedBytes, keys),
            to: UnsafeMutableRawBufferPointer(
                start: self.at(self.textStart + self.count * self.textStride), count: self.textBytes))
        self.count += 1
    }

    private func prepareNext() {
        // Its key and payload are still another's; they are about to be written.
        let packet = self.at(self.packetStart + self.prepared * self.packetBytes)
        memcpy(packet, self.at(self.packetStart), self.packetBytes)
        self.padForMD5(self.textStart + self.prepared * self.textStride)
        self.prepared += 1
    }

    /// A text that is the same for all, encrypted for one.
    private func encrypted(_ start: Int, _ count: Int, _ keys: SessionKeys) -> UnsafeRawBufferPointer {
        let (text, cipher) = (self.at(start), self.at(self.cipherStart))
        let first = CipherBlock(at: text)
        keys.encrypt(text, count: count, to: cipher)
        first.store(at: text)
        return UnsafeRawBufferPointer(start: cipher, count: count)
    }

    /// Writes the message keys of all sessions that were added.
    package func seal() {
        // Eight at once take as long as one and a half.
        guard self.count > 1 else {
            if self.count == 1 {
                let digest = self.workspace.md5(
                    UnsafeRawBufferPointer(start: self.at(self.textStart), count: self.textBytes))
                digest.span.withUnsafeBytes { self.writeMessageKey(0, $0) }
            }
            return
        }
        withUnsafeTemporaryAllocation(byteCount: 16 * Int(COPENSSL_MD5_LANES), alignment: 16) { digests in
            copenssl_md5_lanes(
                self.at(self.textStart).assumingMemoryBound(to: UInt8.self), self.textStride,
                digests.assumingMemoryBound(to: UInt8.self).baseAddress!)
            for lane in 0..<self.count {
                self.writeMessageKey(lane, UnsafeRawBufferPointer(rebasing: digests[(16 * lane)..<(16 * lane + 16)]))
            }
        }
    }

    private func writeMessageKey(_ lane: Int, _ digest: UnsafeRawBufferPointer) {
        let room = self.at(self.packetStart + lane * self.packetBytes + self.messageKeyOffset)
        Hex.write(digest, to: UnsafeMutableRawBufferPointer(start: room, count: Self.messageKeyBytes))
    }

    /// The packet of the session that was added as the `index`-th: whole after `seal`, and valid until the next change.
    package func packet(_ index: Int) -> UnsafeRawBufferPointer {
        precondition(index < self.count, "there is no packet \(index)")
        return UnsafeRawBufferPointer(
            start: self.at(self.packetStart + index * self.packetBytes), count: self.packetBytes)
    }

    /// Forgets the sessions and keeps the message.
    package func removeAll() { self.count = 0 }
}
