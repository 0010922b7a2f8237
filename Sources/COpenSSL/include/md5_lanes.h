#pragma once
#include <stddef.h>
#include <stdint.h>

/// How many texts `copenssl_md5_lanes` takes.
#define COPENSSL_MD5_LANES 8

/// The MD5 of eight texts of the same length at once. OpenSSL takes them one by one, and one MD5 leaves most of the
/// processor idle, because each of its steps waits for the one before.
///
/// `texts` holds the eight one behind the other, `count` bytes each: a multiple of 64, because the padding that MD5 adds
/// is part of them. `digests` is room for eight times 16 bytes.
void copenssl_md5_lanes(const uint8_t *_Nonnull texts, size_t count, uint8_t *_Nonnull digests);
