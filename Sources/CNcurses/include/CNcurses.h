#pragma once
// The few things the console needs of ncurses, whose own header is macros and variadic functions.
#include <stdint.h>

/// What `cncurses_next` found.
enum cncurses_kind {
    CNCURSES_NONE,
    /// A character: `code` is its Unicode scalar.
    CNCURSES_CHARACTER,
    /// A key without a character: `code` is a `cncurses_key`, or `CNCURSES_FUNCTION` and the number of the F key.
    CNCURSES_KEY,
    /// `code` is a `cncurses_button`.
    CNCURSES_MOUSE,
    CNCURSES_RESIZE,
    /// What comes was pasted, until the next such event: `code` is 1 at its beginning, 0 at its end.
    CNCURSES_PASTE,
};

enum cncurses_key {
    CNCURSES_UP = 1,
    CNCURSES_DOWN,
    CNCURSES_LEFT,
    CNCURSES_RIGHT,
    CNCURSES_PAGE_UP,
    CNCURSES_PAGE_DOWN,
    CNCURSES_HOME,
    CNCURSES_END,
    CNCURSES_INSERT,
    CNCURSES_DELETE,
    CNCURSES_BACKSPACE,
    CNCURSES_BACK_TAB,
    CNCURSES_ENTER,
    CNCURSES_FUNCTION = 64,
};

enum cncurses_button { CNCURSES_CLICK = 1, CNCURSES_WHEEL_UP, CNCURSES_WHEEL_DOWN };

struct cncurses_event {
    int32_t kind;
    int32_t code;
    /// Of a mouse event.
    int32_t row, column;
};

/// How a cell looks; added together.
enum cncurses_look { CNCURSES_BOLD = 1, CNCURSES_DIM = 2, CNCURSES_REVERSE = 4, CNCURSES_UNDERLINE = 8 };

/// Takes the terminal of standard input and output: keys come at once and unseen. Characters are UTF-8, whatever the
/// locale says. A terminal whose description is not installed is taken for xterm-256color, as all that are in use now
/// understand. Returns 0, 1 when it did that, or -1 when there is no description at all.
int cncurses_start(void);
/// Gives the terminal back.
void cncurses_end(void);
/// Gives the terminal back, stops the process as Ctrl-Z does, and takes the terminal again when it goes on.
void cncurses_suspend(void);
void cncurses_size(int32_t *_Nonnull rows, int32_t *_Nonnull columns);
/// 0 for a terminal without colours.
int32_t cncurses_colours(void);
/// Gives a pair, 1 and up, its colours; -1 is the terminal's own.
void cncurses_pair(int32_t pair, int32_t foreground, int32_t background);
void cncurses_erase(void);
/// Writes one character: its first scalar, then what joins it. When the system counts other cells for it than `width`, a
/// question mark and spaces stand there instead, so that nothing behind it moves.
void cncurses_put(
    int32_t row, int32_t column, const uint32_t *_Nonnull scalars, int32_t count, int32_t width, uint32_t look,
    int32_t pair);
/// Shows the cursor at a place; hides it when `row` is negative.
void cncurses_cursor(int32_t row, int32_t column);
/// Sends what changed to the terminal.
void cncurses_refresh(void);
/// The next `cncurses_refresh` sends everything.
void cncurses_repaint(void);
void cncurses_beep(void);
void cncurses_mouse(int32_t on);
/// The next thing that was typed, without waiting.
struct cncurses_event cncurses_next(void);
