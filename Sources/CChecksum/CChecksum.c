#include "CChecksum.h"

#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif

// The table of one byte, and seven more for bytes further ahead, so that eight bytes go in one step.
static uint32_t tables[8][256];
static bool has_instruction;

// Once, before `main` and before any thread.
__attribute__((constructor)) static void prepare(void) {
    for (uint32_t index = 0; index < 256; index++) {
        uint32_t value = index;
        for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0);
        tables[0][index] = value;
    }
    for (uint32_t index = 0; index < 256; index++) {
        for (int table = 1; table < 8; table++) {
            uint32_t before = tables[table - 1][index];
            tables[table][index] = before >> 8 ^ tables[0][before & 0xFF];
        }
    }
#if defined(__x86_64__)
    __builtin_cpu_init();
    has_instruction = __builtin_cpu_supports("sse4.2");
#elif defined(__aarch64__)
    has_instruction = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#endif
}

uint32_t cchecksum_crc32c_by_table(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    uint32_t value = ~crc;
    for (; count >= 8; count -= 8, at += 8) {
        value ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        value = tables[7][value & 0xFF] ^ tables[6][value >> 8 & 0xFF] ^ tables[5][value >> 16 & 0xFF]
            ^ tables[4][value >> 24] ^ tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^ tables[0][at[7]];
    }
    for (; count > 0; count--, at++) value = value >> 8 ^ tables[0][(value ^ *at) & 0xFF];
    return ~value;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *at, size_t count) {
    uint64_t value = ~crc;
    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        value = __builtin_ia32_crc32di(value, word);
    }
    uint32_t rest = (uint32_t)value;
    for (; count > 0; count--, at++) rest = __builtin_ia32_crc32qi(rest, *at);
    return ~rest;
}
#elif defined(__aarch64__)
__attribute__((target("+crc"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *at, size_t count) {
    uint32_t value = ~crc;
    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        value = __crc32cd(value, word);
    }
    for (; count > 0; count--, at++) value = __crc32cb(value, *at);
    return ~value;
}
#else
static uint32_t by_instruction(uint32_t crc, const uint8_t *at, size_t count) {
    return cchecksum_crc32c_by_table(crc, at, count);
}
#endif

uint32_t cchecksum_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return has_instruction ? by_instruction(crc, bytes, count) : cchecksum_crc32c_by_table(crc, bytes, count);
}

bool cchecksum_crc32c_has_instruction(void) { return has_instruction; }
