// Makes the n-th call fail that writes below a folder, so that faults.py can ask what a program does then.
//
//   gcc -O2 -shared -fPIC -o faults.so faults.c -ldl
//   FAULT_ROOT=/abs/folder FAULT_AT=7 FAULT_ERRNO=5 FAULT_LOG=/abs/log LD_PRELOAD=faults.so teahouse serve ...
//
// FAULT_AT counts from 1 over write, pwrite, pwritev, fsync, fdatasync, ftruncate, fallocate, rename, mkdir and the opens
// that may create a file, in the order in which they are made; 0 lets all of them pass. FAULT_MANY is how many fail from
// there on (1 unless set; -1 for all). At the end, and before each fault, FAULT_LOG gets a line: the number of the call,
// its name, and the path.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *root;
static size_t root_length;
static long fault_at, fault_many = 1;
static int fault_errno = EIO;
static int log_descriptor = -1;
static long calls;

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static void start(void) {
    const char *text = getenv("FAULT_ROOT");
    if (!text) return;
    const char *path = getenv("FAULT_LOG");
    if (path) log_descriptor = REAL(open64)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("FAULT_AT")) fault_at = atol(getenv("FAULT_AT"));
    if (getenv("FAULT_MANY")) fault_many = atol(getenv("FAULT_MANY"));
    if (getenv("FAULT_ERRNO")) fault_errno = atoi(getenv("FAULT_ERRNO"));
    root_length = strlen(text);
    root = text;
}

// Before the program runs: a server that has confined itself opens no file of ours any more.
__attribute__((constructor)) static void start_early(void) { pthread_once(&once, start); }

static void tell(long number, const char *name, const char *path) {
    if (log_descriptor < 0) return;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
    if (REAL(write)(log_descriptor, line, (size_t)length) < 0) abort();
}

// Counts a call on a path below the root; whether it has to fail.
static bool fails(const char *name, const char *path) {
    pthread_once(&once, start);
    if (!root || !path || strncmp(path, root, root_length) != 0) return false;
    if (path[root_length] != '/' && path[root_length] != 0) return false;
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (fault_at == 0 || number < fault_at) return false;
    if (fault_many >= 0 && number >= fault_at + fault_many) return false;
    int saved = fault_errno;
    tell(number, name, path);
    errno = saved;
    return true;
}

static bool descriptor_fails(const char *name, int descriptor) {
    pthread_once(&once, start);
    if (!root) return false;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return fails(name, path);
}

__attribute__((destructor)) static void finish(void) {
    if (root) tell(calls, "end", root);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return descriptor_fails("write", descriptor) ? -1 : REAL(write)(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return descriptor_fails("pwrite", descriptor) ? -1 : REAL(pwrite64)(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return descriptor_fails("pwrite", descriptor) ? -1 : REAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *vector, int parts, off_t offset) {
    return descriptor_fails("pwritev", descriptor) ? -1 : REAL(pwritev)(descriptor, vector, parts, offset);
}

int fsync(int descriptor) { return descriptor_fails("fsync", descriptor) ? -1 : REAL(fsync)(descriptor); }

int fdatasync(int descriptor) { return descriptor_fails("fdatasync", descriptor) ? -1 : REAL(fdatasync)(descriptor); }

int ftruncate64(int descriptor, off64_t size) {
    return descriptor_fails("ftruncate", descriptor) ? -1 : REAL(ftruncate64)(descriptor, size);
}

int ftruncate(int descriptor, off_t size) {
    return descriptor_fails("ftruncate", descriptor) ? -1 : REAL(ftruncate)(descriptor, size);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t size) {
    return descriptor_fails("fallocate", descriptor) ? -1 : REAL(fallocate64)(descriptor, mode, offset, size);
}

int fallocate(int descriptor, int mode, off_t offset, off_t size) {
    return descriptor_fails("fallocate", descriptor) ? -1 : REAL(fallocate)(descriptor, mode, offset, size);
}

// These two return the error and do not set errno.
int posix_fallocate64(int descriptor, off64_t offset, off64_t size) {
    return descriptor_fails("fallocate", descriptor) ? fault_errno : REAL(posix_fallocate64)(descriptor, offset, size);
}

int posix_fallocate(int descriptor, off_t offset, off_t size) {
    return descriptor_fails("fallocate", descriptor) ? fault_errno : REAL(posix_fallocate)(descriptor, offset, size);
}

int rename(const char *from, const char *to) { return fails("rename", to) ? -1 : REAL(rename)(from, to); }

int mkdir(const char *path, mode_t mode) { return fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode); }

#define OPEN(name)                                                       \
    int name(const char *path, int flags, ...) {                         \
        mode_t mode = 0;                                                 \
        if (flags & (O_CREAT | __O_TMPFILE)) {                           \
            va_list more;                                                \
            va_start(more, flags);                                       \
            mode = va_arg(more, mode_t);                                 \
            va_end(more);                                                \
        }                                                                \
        if ((flags & O_CREAT) && fails("open", path)) return -1;         \
        return REAL(name)(path, flags, mode);                            \
    }
OPEN(open)
OPEN(open64)
