// For wcwidth, and for the wide half of ncurses.
#define _XOPEN_SOURCE 700
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include "CNcurses.h"

#include <locale.h>
#include <ncursesw/ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

static SCREEN *screen;

// Bracketed paste. Source: xterm's control sequences, private mode 2004. Terminals without it ignore the mode. The codes
// lie above those that ncurses gives to keys that only a terminal's own description names.
enum { PASTE_BEGINS = 0x4000, PASTE_ENDS };

static void set_paste(int on) {
    const char *mode = on ? "\033[?2004h" : "\033[?2004l";
    if (write(STDOUT_FILENO, mode, 8) < 0) return;
}

int cncurses_start(void) {
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX < 4) setlocale(LC_CTYPE, "C.UTF-8");
    screen = newterm(NULL, stdout, stdin);
    const int is_fallback = screen == NULL;
    if (is_fallback) screen = newterm("xterm-256color", stdout, stdin);
    if (screen == NULL) return -1;
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    define_key("\033[200~", PASTE_BEGINS);
    define_key("\033[201~", PASTE_ENDS);
    set_paste(1);
    set_escdelay(25);
    curs_set(0);
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    return is_fallback;
}

void cncurses_end(void) {
    if (screen == NULL) return;
    set_paste(0);
    endwin();
    delscreen(screen);
    screen = NULL;
}

void cncurses_suspend(void) {
    set_paste(0);
    endwin();
    raise(SIGTSTP);
    clearok(stdscr, TRUE);
    refresh();
    set_paste(1);
}

void cncurses_size(int32_t *rows, int32_t *columns) { getmaxyx(stdscr, *rows, *columns); }

int32_t cncurses_colours(void) { return has_colors() ? COLORS : 0; }

void cncurses_pair(int32_t pair, int32_t foreground, int32_t background) {
    init_pair((short)pair, (short)foreground, (short)background);
}

void cncurses_erase(void) { erase(); }

void cncurses_put(
    int32_t row, int32_t column, const uint32_t *scalars, int32_t count, int32_t width, uint32_t look, int32_t pair) {
    attr_t attributes = A_NORMAL;
    if (look & CNCURSES_BOLD) attributes |= A_BOLD;
    if (look & CNCURSES_DIM) attributes |= A_DIM;
    if (look & CNCURSES_REVERSE) attributes |= A_REVERSE;
    if (look & CNCURSES_UNDERLINE) attributes |= A_UNDERLINE;

    wchar_t text[CCHARW_MAX + 1];
    int length = 0;
    for (; length < count && length < CCHARW_MAX; length++) text[length] = (wchar_t)scalars[length];
    text[length] = 0;
    cchar_t cell;
    if (length > 0 && wcwidth(text[0]) == width) {
        // What ncurses does not join to the first one is left out.
        if (setcchar(&cell, text, attributes, (short)pair, NULL) == ERR) {
            text[1] = 0;
            setcchar(&cell, text, attributes, (short)pair, NULL);
        }
        mvadd_wch(row, column, &cell);
        return;
    }
    for (int at = 0; at < width; at++) {
        wchar_t stand_in[2] = {at == 0 ? L'?' : L' ', 0};
        setcchar(&cell, stand_in, attributes, (short)pair, NULL);
        mvadd_wch(row, column + at, &cell);
    }
}

void cncurses_cursor(int32_t row, int32_t column) {
    curs_set(row >= 0);
    if (row >= 0) move(row, column);
}

void cncurses_refresh(void) { refresh(); }

void cncurses_repaint(void) { clearok(stdscr, TRUE); }

void cncurses_beep(void) { beep(); }

void cncurses_mouse(int32_t on) {
    mouseinterval(0);
    mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

static int32_t named_key(wint_t code) {
    switch (code) {
    case KEY_UP: return CNCURSES_UP;
    case KEY_DOWN: return CNCURSES_DOWN;
    case KEY_LEFT: return CNCURSES_LEFT;
    case KEY_RIGHT: return CNCURSES_RIGHT;
    case KEY_PPAGE: return CNCURSES_PAGE_UP;
    case KEY_NPAGE: return CNCURSES_PAGE_DOWN;
    case KEY_HOME: return CNCURSES_HOME;
    case KEY_END: return CNCURSES_END;
    case KEY_IC: return CNCURSES_INSERT;
    case KEY_DC: return CNCURSES_DELETE;
    case KEY_BACKSPACE: return CNCURSES_BACKSPACE;
    case KEY_BTAB: return CNCURSES_BACK_TAB;
    case KEY_ENTER: return CNCURSES_ENTER;
    default: return 0;
    }
}

static struct cncurses_event mouse_event(void) {
    struct cncurses_event event = {CNCURSES_NONE, 0, 0, 0};
    MEVENT mouse;
    if (getmouse(&mouse) != OK) return event;
    if (mouse.bstate & BUTTON1_PRESSED) event.code = CNCURSES_CLICK;
    if (mouse.bstate & BUTTON4_PRESSED) event.code = CNCURSES_WHEEL_UP;
    if (mouse.bstate & BUTTON5_PRESSED) event.code = CNCURSES_WHEEL_DOWN;
    if (event.code != 0) event.kind = CNCURSES_MOUSE;
    event.row = mouse.y;
    event.column = mouse.x;
    return event;
}

struct cncurses_event cncurses_next(void) {
    struct cncurses_event event = {CNCURSES_NONE, 0, 0, 0};
    wint_t code;
    // A key that means nothing here is passed over.
    for (int found = get_wch(&code); found != ERR; found = get_wch(&code)) {
        if (found == OK) {
            event.kind = CNCURSES_CHARACTER;
            event.code = (int32_t)code;
            return event;
        }
        if (code == KEY_RESIZE) {
            event.kind = CNCURSES_RESIZE;
            return event;
        }
        if (code == PASTE_BEGINS || code == PASTE_ENDS) {
            event.kind = CNCURSES_PASTE;
            event.code = code == PASTE_BEGINS;
            return event;
        }
        if (code == KEY_MOUSE) {
            event = mouse_event();
            if (event.kind != CNCURSES_NONE) return event;
            continue;
        }
        event.code = named_key(code);
        if (code > KEY_F0 && code <= KEY_F(24)) event.code = CNCURSES_FUNCTION + (int32_t)(code - KEY_F0);
        if (event.code != 0) {
            event.kind = CNCURSES_KEY;
            return event;
        }
    }
    return event;
}
