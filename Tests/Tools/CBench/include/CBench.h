#pragma once
// The C side of the benchmark: the reference server, and system calls that Swift cannot make comfortably.
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What the reference server does wrong on purpose, so that tests can see the checker go red.
enum cbench_fault {
    CBENCH_FAULT_NONE,
    /// Acknowledges a message and delivers it to nobody.
    CBENCH_FAULT_LOSE,
    /// Delivers a message twice.
    CBENCH_FAULT_REPEAT,
    /// Delivers a one-to-one message after the one that follows it.
    CBENCH_FAULT_SWAP,
};

/// A reference server: one thread, one epoll, JSON-RPC text over WebSocket. Everyone who is signed in is a member of
/// every group; any token is right; nothing is kept for people who are away.
struct cbench_server {
    /// A listening, non-blocking socket.
    int listener;
    /// The server returns when this becomes readable; -1 for never.
    int stop;
    /// An empty file, opened for appending: every message is written and `fdatasync`ed, one batch per loop turn,
    /// before it is acknowledged or delivered. -1 stores nothing.
    int log;
    enum cbench_fault fault;
    /// The fault hits every so many messages.
    uint32_t fault_every;
};

/// Serves until `stop` is readable. Returns 0, or the `errno` of the call that failed. One server per process at a
/// time: its memory is static.
int cbench_serve(const struct cbench_server *_Nonnull server);

/// A non-blocking TCP listener on 127.0.0.1; `port` in and out (0 picks a free one). -1 and `errno` on failure.
int cbench_listen(uint16_t *_Nonnull port);
/// Starts a non-blocking TCP connection from `source` (host order; 0 leaves the choice to the kernel) to
/// `address`:`port`, with TCP_NODELAY. -1 and `errno` on failure.
int cbench_connect(uint32_t address, uint16_t port, uint32_t source);
/// The pending error of a socket whose connection attempt ended: 0 when it is connected.
int cbench_connect_result(int descriptor);

/// Starts a program with its standard output on a pipe, whose reading end goes to `output` (NULL: the output is
/// dropped) and its standard error appended to the file `errors`. The child gets SIGKILL when this process dies.
/// Returns its process id, or -1 and `errno`.
pid_t cbench_spawn(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments, int *_Nullable output,
    const char *_Nonnull errors);

/// Removes a folder and everything in it, without following symbolic links. Returns 0, or -1 and `errno`.
int cbench_remove_folder(const char *_Nonnull path);

/// Raises RLIMIT_NOFILE as far as allowed and returns the new limit.
uint64_t cbench_raise_file_limit(void);
