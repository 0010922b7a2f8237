import CChecksum

/// The CRC-32C (Castagnoli) of bytes: by the processor's instruction where it has one, else by tables.
///
/// It finds every change of up to three bits in a record of ours, and every run of up to 32 changed bits.
/// Source: Koopman, "32-bit cyclic redundancy codes for internet applications", Hamming distance 4 up to 2^31 bits.
package enum CRC32C {
    /// Checksum of bytes, going on from that of the bytes before them; 0 when they are the first.
    package static func checksum(of bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
        cchecksum_crc32c(crc, bytes.baseAddress, bytes.count)
    }

    /// The same checksum without the processor's instruction, for comparison.
    package static func checksumByTable(of bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
        cchecksum_crc32c_by_table(crc, bytes.baseAddress, bytes.count)
    }

    /// True when this processor has an instruction for it.
    package static var hasInstruction: Bool { cchecksum_crc32c_has_instruction() }
}
