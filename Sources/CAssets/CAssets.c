#include "CAssets.h"

// The compiler does not see what `.incbin` reads. Asking for the files names them as dependencies, so that a changed text
// is built in.
#if !__has_include("lang/en.json") || !__has_include("lang/zh-Hans.json")
#error "assets/lang is incomplete"
#endif

#define EMBED(name, file)                                                                                              \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global cassets_" #name "_begin\ncassets_" #name "_begin:\n.incbin \"" file "\"\n"                        \
            ".global cassets_" #name "_end\ncassets_" #name "_end:\n.byte 0\n.popsection\n");                          \
    extern const char cassets_##name##_begin[], cassets_##name##_end[];                                               \
    const char *cassets_##name(size_t *length) {                                                                       \
        *length = (size_t)(cassets_##name##_end - cassets_##name##_begin);                                            \
        return cassets_##name##_begin;                                                                                 \
    }

EMBED(english, "lang/en.json")
EMBED(chinese, "lang/zh-Hans.json")
