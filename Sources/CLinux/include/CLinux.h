#pragma once
// What the Swift overlay of glibc leaves out: variadic calls, macros, unions and GNU extensions.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

/// A non-blocking, close-on-exec event counter; -1 and `errno` on failure.
int clinux_eventfd(void);
/// Adds one to an event counter: wakes whoever polls it.
void clinux_eventfd_signal(int descriptor);
/// Sets an event counter back to zero.
void clinux_eventfd_clear(int descriptor);

/// `epoll_ctl` with the 64-bit user value in place of the C union. Returns 0, or -1 and `errno`.
int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);
/// The 64-bit user value of an event that `epoll_wait` filled in.
uint64_t clinux_epoll_token(const struct epoll_event *_Nonnull event);
/// The event bits of an event that `epoll_wait` filled in.
uint32_t clinux_epoll_events(const struct epoll_event *_Nonnull event);

/// `accept4` with SOCK_NONBLOCK | SOCK_CLOEXEC.
int clinux_accept(int listener, struct sockaddr *_Nullable address, socklen_t *_Nullable length);
/// The peer of a Unix socket, from SO_PEERCRED. Returns 0, or -1 and `errno`.
int clinux_peer_credentials(int descriptor, pid_t *_Nonnull process, uid_t *_Nonnull user, gid_t *_Nonnull group);

/// The supplementary groups of the peer of a Unix socket, from SO_PEERGROUPS. Returns how many, or -1 and `errno`:
/// ERANGE when there are more than `maximum`.
int clinux_peer_groups(int descriptor, gid_t *_Nonnull groups, int maximum);

/// A descriptor that reports SIGTERM, SIGINT and SIGHUP; the signals are blocked for the calling thread, and for
/// every thread it makes afterwards. SIGPIPE is ignored. -1 and `errno` on failure.
int clinux_signal_descriptor(void);
/// The next signal number that waits in `descriptor`, or 0 when none does.
int clinux_next_signal(int descriptor);

/// Names the calling thread for `top -H`, debuggers and crash reports; at most 15 bytes are kept.
void clinux_name_thread(const char *_Nonnull name);
/// `open` with a mode, which is variadic in C.
int clinux_open(const char *_Nonnull path, int flags, mode_t mode);
/// Gives the blocks of a part of a file back to the file system: it reads as zeros, and the file keeps its length. 0, or -1 and
/// `errno`: EOPNOTSUPP where files have no holes.
int clinux_punch_hole(int descriptor, int64_t offset, int64_t length);
/// `fcntl(F_SETFL, O_NONBLOCK)`; 0, or -1 and `errno`.
int clinux_set_nonblocking(int descriptor);
/// The kind of file system behind `path`, a number from `linux/magic.h`; 0, or -1 and `errno`.
int clinux_file_system(const char *_Nonnull path, uint32_t *_Nonnull magic);
/// Whether the kernel counts its clock as synchronised: 1 or 0, or -1 and `errno` when it does not tell.
int clinux_clock_is_synchronised(void);
/// Nanoseconds of CLOCK_MONOTONIC.
int64_t clinux_monotonic_nanoseconds(void);
/// Milliseconds since 1970 of CLOCK_REALTIME.
int64_t clinux_wall_milliseconds(void);
/// How many words the process was started with, its own name included; they are taken where the kernel left them, so
/// that `/proc` need not be there.
int clinux_argument_count(void);
/// The word at `index`, below `clinux_argument_count`.
const char *_Nonnull clinux_argument(int index);
/// Keeps the calling thread, and every thread and program it starts, from ever getting more rights than it has; 0, or -1 and
/// `errno`.
int clinux_no_new_privileges(void);
/// The version of Landlock that the kernel has; 0 when it has none or may not be asked.
int clinux_landlock_version(void);
/// A set of rules that denies `rights` (LANDLOCK_ACCESS_FS_*) wherever no rule allows them; -1 and `errno` on failure.
int clinux_landlock_rules(uint64_t rights);
/// Allows `rights` below a folder, or for a file those of them that a file has. Returns 0, or -1 and `errno`.
int clinux_landlock_allow(int rules, uint64_t rights, const char *_Nonnull path);
/// Puts the calling thread, and every thread it starts afterwards, under the rules for good; 0, or -1 and `errno`.
int clinux_landlock_enforce(int rules);
/// `errno` of the calling thread.
int clinux_errno(void);
