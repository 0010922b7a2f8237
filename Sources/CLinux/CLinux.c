#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void clinux_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    // The counter can only be full after 2^64 - 2 signals, so the write cannot fail for a live descriptor.
    ssize_t ignored = write(descriptor, &one, sizeof one);
    (void)ignored;
}

void clinux_eventfd_clear(int descriptor) {
    uint64_t count;
    ssize_t ignored = read(descriptor, &count, sizeof count);
    (void)ignored;
}

int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

uint64_t clinux_epoll_token(const struct epoll_event *event) { return event->data.u64; }
uint32_t clinux_epoll_events(const struct epoll_event *event) { return event->events; }

int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_peer_credentials(int descriptor, pid_t *process, uid_t *user, gid_t *group) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *process = credentials.pid;
    *user = credentials.uid;
    *group = credentials.gid;
    return 0;
}

int clinux_peer_groups(int descriptor, gid_t *groups, int maximum) {
    socklen_t length = (socklen_t)maximum * sizeof(gid_t);
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return -1;
    return (int)(length / sizeof(gid_t));
}

int clinux_signal_descriptor(void) {
    signal(SIGPIPE, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    int failure = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (failure != 0) {
        errno = failure;
        return -1;
    }
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_next_signal(int descriptor) {
    struct signalfd_siginfo info;
    ssize_t count = read(descriptor, &info, sizeof info);
    return count == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

void clinux_name_thread(const char *name) {
    char short_name[16];
    strncpy(short_name, name, sizeof short_name - 1);
    short_name[sizeof short_name - 1] = 0;
    pthread_setname_np(pthread_self(), short_name);
}

int clinux_open(const char *path, int flags, mode_t mode) { return open(path, flags | O_CLOEXEC, mode); }

int clinux_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int clinux_file_system(const char *path, uint32_t *magic) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    *magic = (uint32_t)status.f_type;
    return 0;
}

int clinux_clock_is_synchronised(void) {
    struct timex answer = {.modes = 0};
    int state = adjtimex(&answer);
    if (state < 0) return -1;
    return state != TIME_ERROR && (answer.status & STA_UNSYNC) == 0;
}

static int64_t in_units(clockid_t clock, int64_t per_second) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * per_second + (int64_t)now.tv_nsec / (1000000000 / per_second);
}

int64_t clinux_monotonic_nanoseconds(void) { return in_units(CLOCK_MONOTONIC, 1000000000); }
int64_t clinux_wall_milliseconds(void) { return in_units(CLOCK_REALTIME, 1000); }
int clinux_errno(void) { return errno; }

static int argument_count;
static char **argument_words;

// glibc hands constructors what it hands `main`.
__attribute__((constructor)) static void keep_arguments(int count, char **words, char **environment) {
    (void)environment;
    argument_count = count;
    argument_words = words;
}

int clinux_punch_hole(int descriptor, int64_t offset, int64_t length) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int clinux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// Landlock, by numbers: the C library has no functions for it, and older headers have no names.
// Source: linux/landlock.h; the system calls have the same numbers on every architecture.
enum { landlock_create = 444, landlock_add = 445, landlock_restrict = 446 };
// Execute, write, read, truncate: the rights of `LANDLOCK_ACCESS_FS_*` that a file can have.
static const uint64_t landlock_of_files = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14;

int clinux_landlock_version(void) {
    long version = syscall(landlock_create, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    return version > 0 ? (int)version : 0;
}

int clinux_landlock_rules(uint64_t rights) { return (int)syscall(landlock_create, &rights, sizeof rights, 0); }

int clinux_landlock_allow(int rules, uint64_t rights, const char *path) {
    struct __attribute__((packed)) {
        uint64_t rights;
        int32_t parent;
    } below = {.rights = rights, .parent = open(path, O_PATH | O_CLOEXEC)};
    if (below.parent < 0) return -1;
    struct stat status;
    long result = fstat(below.parent, &status);
    if (result == 0) {
        if (!S_ISDIR(status.st_mode)) below.rights &= landlock_of_files;
        result = syscall(landlock_add, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &below, 0);
    }
    int failure = errno;
    close(below.parent);
    errno = failure;
    return (int)result;
}

int clinux_landlock_enforce(int rules) { return (int)syscall(landlock_restrict, rules, 0); }

int clinux_argument_count(void) { return argument_count; }
const char *clinux_argument(int index) { return argument_words[index]; }
