#pragma once
// Checksums that processors have instructions for, which Swift cannot call.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli: polynomial 0x1EDC6F41 reflected, start and end inverted, as in iSCSI, ext4 and Btrfs) of
/// `count` bytes, going on from `crc`, which is 0 for a first piece. By the processor's instruction where it has one
/// (x86-64 with SSE 4.2, ARMv8 with the CRC extension), else by tables.
uint32_t cchecksum_crc32c(uint32_t crc, const void *_Nullable bytes, size_t count);
/// The same by tables alone, for comparison.
uint32_t cchecksum_crc32c_by_table(uint32_t crc, const void *_Nullable bytes, size_t count);
/// True when `cchecksum_crc32c` uses an instruction of the processor.
bool cchecksum_crc32c_has_instruction(void);
