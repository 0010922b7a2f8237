#pragma once
#include <stddef.h>

/// Files of `assets/`, carried inside the binary.
const char *_Nonnull cassets_english(size_t *_Nonnull length);
const char *_Nonnull cassets_chinese(size_t *_Nonnull length);
/// Copyright notices and licences of the libraries inside the binary.
const char *_Nonnull cassets_notices(size_t *_Nonnull length);

/// Number of files of `assets/page`, the page in the browser.
size_t cassets_page_count(void);
/// Name of one of them, without the folder; `index` is less than the number.
const char *_Nonnull cassets_page_name(size_t index);
/// Content of one of them; `index` is less than the number.
const char *_Nonnull cassets_page_content(size_t index, size_t *_Nonnull length);
