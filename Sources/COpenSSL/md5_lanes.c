#include "md5_lanes.h"
#include <string.h>

// A word of each of the eight texts. The compiler makes of it what the machine has: two registers of SSE2
// or NEON. (One of AVX2 was no faster: putting the words together takes as long.)
typedef uint32_t lanes_t __attribute__((vector_size(4 * COPENSSL_MD5_LANES)));

// Source: RFC 1321, section 3.4.
#define F(b, c, d) (d ^ (b & (c ^ d)))
#define G(b, c, d) (c ^ (d & (b ^ c)))
#define H(b, c, d) (b ^ c ^ d)
#define I(b, c, d) (c ^ (b | ~d))
#define STEP(f, a, b, c, d, index, constant, turn)   \
    a += f(b, c, d) + word[index] + (uint32_t)constant; \
    a = b + (a << turn | a >> (32 - turn));
#define FOUR(f, i, j, k, l, ci, cj, ck, cl, ti, tj, tk, tl) \
    STEP(f, a, b, c, d, i, ci, ti)                          \
    STEP(f, d, a, b, c, j, cj, tj)                          \
    STEP(f, c, d, a, b, k, ck, tk)                          \
    STEP(f, b, c, d, a, l, cl, tl)

void copenssl_md5_lanes(const uint8_t *texts, size_t count, uint8_t *digests) {
    lanes_t a0 = (lanes_t){} + 0x67452301, b0 = (lanes_t){} + 0xefcdab89;
    lanes_t c0 = (lanes_t){} + 0x98badcfe, d0 = (lanes_t){} + 0x10325476;
    for (size_t start = 0; start < count; start += 64) {
        lanes_t word[16];
        for (int index = 0; index < 16; index++)
            for (int lane = 0; lane < COPENSSL_MD5_LANES; lane++) {
                uint32_t value;
                memcpy(&value, texts + lane * count + start + 4 * index, 4);
                word[index][lane] = value;
            }
        lanes_t a = a0, b = b0, c = c0, d = d0;
        FOUR(F, 0, 1, 2, 3, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 7, 12, 17, 22)
        FOUR(F, 4, 5, 6, 7, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 7, 12, 17, 22)
        FOUR(F, 8, 9, 10, 11, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 7, 12, 17, 22)
        FOUR(F, 12, 13, 14, 15, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 7, 12, 17, 22)
        FOUR(G, 1, 6, 11, 0, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 5, 9, 14, 20)
        FOUR(G, 5, 10, 15, 4, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 5, 9, 14, 20)
        FOUR(G, 9, 14, 3, 8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 5, 9, 14, 20)
        FOUR(G, 13, 2, 7, 12, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 5, 9, 14, 20)
        FOUR(H, 5, 8, 11, 14, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 4, 11, 16, 23)
        FOUR(H, 1, 4, 7, 10, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 4, 11, 16, 23)
        FOUR(H, 13, 0, 3, 6, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 4, 11, 16, 23)
        FOUR(H, 9, 12, 15, 2, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 4, 11, 16, 23)
        FOUR(I, 0, 7, 14, 5, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 6, 10, 15, 21)
        FOUR(I, 12, 3, 10, 1, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 6, 10, 15, 21)
        FOUR(I, 8, 15, 6, 13, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 6, 10, 15, 21)
        FOUR(I, 4, 11, 2, 9, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391, 6, 10, 15, 21)
        a0 += a, b0 += b, c0 += c, d0 += d;
    }
    for (int lane = 0; lane < COPENSSL_MD5_LANES; lane++) {
        uint32_t digest[4] = {a0[lane], b0[lane], c0[lane], d0[lane]};
        memcpy(digests + 16 * lane, digest, 16);
    }
}
