#include "CAssets.h"

// The compiler does not see what `.incbin` reads. Asking for the files names them as dependencies, so that a changed text
// is built in.
#if !__has_include("lang/en.json") || !__has_include("lang/zh-Hans.json") || !__has_include("notices.txt")
#error "assets is incomplete"
#endif
#if !__has_include("page/api.js") || !__has_include("page/chat.js") || !__has_include("page/composer.js")              \
    || !__has_include("page/card.js") || !__has_include("page/invite.js")                                              \
    || !__has_include("page/dom.js") || !__has_include("page/sign-in.js") || !__has_include("page/en.json")            \
    || !__has_include("page/feed.js") || !__has_include("page/i18n.js") || !__has_include("page/icon.svg")             \
    || !__has_include("page/index.html") || !__has_include("page/list.js") || !__has_include("page/main.js")           \
    || !__has_include("page/media.js") || !__has_include("page/model.js") || !__has_include("page/page.css")           \
    || !__has_include("page/parts.js") || !__has_include("page/people.js") || !__has_include("page/search.js")         \
    || !__has_include("page/select.js") || !__has_include("page/uploads.js")                                           \
    || !__has_include("page/zh.json") || !__has_include("page/options.js") || !__has_include("page/record.js")         \
    || !__has_include("page/secure.js") || !__has_include("page/kinds.js") || !__has_include("page/theme.js")          \
    || !__has_include("page/en-more.json") || !__has_include("page/zh-more.json")                                      \
    || !__has_include("page/notices.js") || !__has_include("page/worker.js")                                           \
    || !__has_include("page/app.webmanifest") || !__has_include("page/icon.png")
#error "assets/page is incomplete"
#endif

#define INCLUDE(name, file)                                                                                            \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global cassets_" #name "_begin\ncassets_" #name "_begin:\n.incbin \"" file "\"\n"                        \
            ".global cassets_" #name "_end\ncassets_" #name "_end:\n.byte 0\n.popsection\n");                          \
    extern const char cassets_##name##_begin[], cassets_##name##_end[];

#define EMBED(name, file)                                                                                              \
    INCLUDE(name, file)                                                                                                \
    const char *cassets_##name(size_t *length) {                                                                       \
        *length = (size_t)(cassets_##name##_end - cassets_##name##_begin);                                            \
        return cassets_##name##_begin;                                                                                 \
    }

EMBED(english, "lang/en.json")
EMBED(chinese, "lang/zh-Hans.json")
EMBED(notices, "notices.txt")

// X(symbol, name): the files of the page. A test holds this list against the folder.
#define PAGE_FILES(X)                                                                                                  \
    X(api, "api.js") X(card, "card.js") X(invite, "invite.js")                                                         \
    X(chat, "chat.js") X(composer, "composer.js") X(dom, "dom.js") X(sign_in, "sign-in.js")                            \
    X(en, "en.json") X(feed, "feed.js") X(i18n, "i18n.js") X(icon, "icon.svg") X(index, "index.html")                  \
    X(list, "list.js") X(main, "main.js") X(media, "media.js") X(model, "model.js") X(page, "page.css")                \
    X(parts, "parts.js") X(people, "people.js") X(search, "search.js") X(select, "select.js")                          \
    X(uploads, "uploads.js") X(zh, "zh.json")                                                                          \
    X(options, "options.js") X(record, "record.js") X(secure, "secure.js") X(kinds, "kinds.js") X(theme, "theme.js")   \
    X(en_more, "en-more.json") X(zh_more, "zh-more.json")                                                              \
    X(notices, "notices.js") X(worker, "worker.js") X(manifest, "app.webmanifest") X(icon_png, "icon.png")

#define PAGE_INCLUDE(name, file) INCLUDE(page_##name, "page/" file)
#define PAGE_ENTRY(name, file) {file, cassets_page_##name##_begin, cassets_page_##name##_end},

PAGE_FILES(PAGE_INCLUDE)

static const struct {
    const char *name, *begin, *end;
} page_files[] = {PAGE_FILES(PAGE_ENTRY)};

size_t cassets_page_count(void) { return sizeof page_files / sizeof page_files[0]; }

const char *cassets_page_name(size_t index) { return page_files[index].name; }

const char *cassets_page_content(size_t index, size_t *length) {
    *length = (size_t)(page_files[index].end - page_files[index].begin);
    return page_files[index].begin;
}
