#pragma once
#include <stddef.h>

/// Files of `assets/`, carried inside the binary.
const char *_Nonnull cassets_english(size_t *_Nonnull length);
const char *_Nonnull cassets_chinese(size_t *_Nonnull length);
