// Records what a program does to its data folder and what it tells its peers, in one order, so that powercut.py can
// build the disk as any power cut would have left it.
//
//   gcc -O2 -shared -fPIC -o recorder.so recorder.c -ldl
//   REC_ROOT=/abs/folder REC_LOG=/abs/log LD_PRELOAD=recorder.so teahouse serve --data /abs/folder ...
//
// REC_KILL_AFTER=N kills the process by SIGKILL when it has written N records: a kill from outside could fall between a
// call and its record. REC_FAST=1 leaves the real fsync out: the images are built from the log, not from the disk.
//
// Limits: calls that go through the C library's symbols (SQLite linked from its archive does); no memory maps, which
// the store does not write through (the -shm file is rebuilt by SQLite and left out of the images); no vectored reads.
//
// Every record is a packed header followed by the path and the data (powercut.py has the other half):
//   C create name of inode        W write offset bytes      T truncate to offset     F allocate up to offset
//   S sync of a file (offset = length of the log when the call began: only what was written before it is safe)
//   D sync of a folder (offset likewise)                    U unlink    R rename path -> data    L link path -> data
//   M make folder                 X remove folder           A bytes sent on the connection numbered `inode`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAXIMUM_DESCRIPTORS 65536
#define REAL(name) ((__typeof__(&name))real(#name))

struct __attribute__((packed)) header {
    char operation;
    uint64_t inode;
    uint64_t offset;
    uint32_t path_length;
    uint64_t data_length;
};

// A descriptor is a file or folder below the root (inode > 0), an accepted connection (connection > 0), or neither.
struct descriptor {
    uint64_t inode;
    uint64_t connection;
    bool folder;
    char *path;
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct descriptor table[MAXIMUM_DESCRIPTORS];
static int log_descriptor = -1;
static uint64_t log_length;
static uint64_t connections;
static const char *root;
static size_t root_length;
static bool fast;
static long records_left = -1;  // until the kill; below 0 there is none

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "recorder: no %s in the C library\n", name);
        abort();
    }
    return found;
}

static void start(void) {
    root = getenv("REC_ROOT");
    const char *path = getenv("REC_LOG");
    fast = getenv("REC_FAST") != NULL;
    const char *kill_after = getenv("REC_KILL_AFTER");
    if (kill_after) records_left = atol(kill_after);
    if (!root || !path) return;
    root_length = strlen(root);
    log_descriptor = REAL(open64)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct stat status;
    if (log_descriptor < 0 || fstat(log_descriptor, &status) != 0) {
        perror("recorder: cannot open REC_LOG");
        abort();
    }
    log_length = (uint64_t)status.st_size;
    connections = log_length;  // a number no connection of an earlier process had
}

static bool recording(void) {
    pthread_once(&once, start);
    return log_descriptor >= 0;
}

static bool below_root(const char *path) {
    return recording() && strncmp(path, root, root_length) == 0 &&
           (path[root_length] == '/' || path[root_length] == 0);
}

// Called with `order` held. A log that cannot be written would make every later check worthless.
static void put(const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t written = REAL(write)(log_descriptor, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            perror("recorder: cannot write REC_LOG");
            abort();
        }
        at += written;
        count -= (size_t)written;
        log_length += (size_t)written;
    }
}

static void record(char operation, uint64_t inode, uint64_t offset, const char *path, const void *data, size_t length) {
    int saved = errno;
    struct header header = {operation, inode, offset, (uint32_t)strlen(path), length};
    size_t total = sizeof header + header.path_length + length;
    char *bytes = malloc(total);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, path, header.path_length);
    if (length > 0) memcpy(bytes + sizeof header + header.path_length, data, length);
    put(bytes, total);
    free(bytes);
    if (records_left >= 0 && records_left-- == 0) kill(getpid(), SIGKILL);
    errno = saved;
}

// The part of `count` bytes that lies in the vector, as one buffer.
static char *gathered(const struct iovec *vector, int parts, size_t count) {
    char *bytes = malloc(count > 0 ? count : 1);
    size_t at = 0;
    for (int part = 0; part < parts && at < count; part++) {
        size_t take = vector[part].iov_len < count - at ? vector[part].iov_len : count - at;
        memcpy(bytes + at, vector[part].iov_base, take);
        at += take;
    }
    return bytes;
}

static struct descriptor *known(int descriptor) {
    if (!recording() || descriptor < 0 || descriptor >= MAXIMUM_DESCRIPTORS) return NULL;
    struct descriptor *entry = &table[descriptor];
    return entry->inode > 0 || entry->connection > 0 ? entry : NULL;
}

static void forget(int descriptor) {
    if (descriptor < 0 || descriptor >= MAXIMUM_DESCRIPTORS) return;
    free(table[descriptor].path);
    memset(&table[descriptor], 0, sizeof table[descriptor]);
}

// An absolute path for a call that may be relative to a folder or to the working folder.
static bool absolute(int folder, const char *path, char result[PATH_MAX]) {
    if (path[0] == '/') return snprintf(result, PATH_MAX, "%s", path) < PATH_MAX;
    char base[PATH_MAX];
    if (folder == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return false;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length < 0) return false;
        base[length] = 0;
    }
    return snprintf(result, PATH_MAX, "%s/%s", base, path) < PATH_MAX;
}

// MARK: opening and closing

static int opened(int folder, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    if (!recording() || !absolute(folder, path, full) || !below_root(full)) {
        int descriptor = REAL(openat64)(folder, path, flags, mode);
        pthread_mutex_lock(&order);
        forget(descriptor);
        pthread_mutex_unlock(&order);
        return descriptor;
    }
    pthread_mutex_lock(&order);
    struct stat status;
    bool existed = stat(full, &status) == 0;
    int descriptor = REAL(openat64)(folder, path, flags, mode);
    int saved = errno;
    forget(descriptor);
    if (descriptor >= 0 && descriptor < MAXIMUM_DESCRIPTORS && fstat(descriptor, &status) == 0) {
        struct descriptor *entry = &table[descriptor];
        entry->inode = status.st_ino;
        entry->folder = S_ISDIR(status.st_mode);
        entry->path = strdup(full);
        bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
        if ((flags & O_CREAT) && !existed) record('C', entry->inode, 0, full, NULL, 0);
        if (unnamed) record('C', entry->inode, 0, "", NULL, 0);
        if ((flags & O_TRUNC) && existed) record('T', entry->inode, 0, full, NULL, 0);
    }
    errno = saved;
    pthread_mutex_unlock(&order);
    return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
    return (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                         \
    int name(const char *path, int flags, ...) {           \
        va_list arguments;                                 \
        va_start(arguments, flags);                        \
        mode_t mode = mode_of(flags, arguments);           \
        va_end(arguments);                                 \
        return opened(AT_FDCWD, path, flags, mode);        \
    }
#define OPENAT(name)                                       \
    int name(int folder, const char *path, int flags, ...) { \
        va_list arguments;                                 \
        va_start(arguments, flags);                        \
        mode_t mode = mode_of(flags, arguments);           \
        va_end(arguments);                                 \
        return opened(folder, path, flags, mode);          \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int descriptor) {
    if (!recording()) return REAL(close)(descriptor);
    pthread_mutex_lock(&order);
    forget(descriptor);
    int result = REAL(close)(descriptor);
    pthread_mutex_unlock(&order);
    return result;
}

static int accepted(int descriptor) {
    if (descriptor < 0 || descriptor >= MAXIMUM_DESCRIPTORS || !recording()) return descriptor;
    pthread_mutex_lock(&order);
    forget(descriptor);
    table[descriptor].connection = ++connections;
    pthread_mutex_unlock(&order);
    return descriptor;
}

int accept(int listener, struct sockaddr *restrict address, socklen_t *restrict length) {
    return accepted(REAL(accept)(listener, address, length));
}

int accept4(int listener, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
    return accepted(REAL(accept4)(listener, address, length, flags));
}

// MARK: writing; the call and its record are one step, so that the log has the order of the disk and of the wire

static void wrote(int descriptor, const void *bytes, ssize_t count, uint64_t offset) {
    struct descriptor *entry = known(descriptor);
    if (!entry || count <= 0) return;
    if (entry->connection > 0) record('A', entry->connection, 0, "", bytes, (size_t)count);
    else record('W', entry->inode, offset, entry->path, bytes, (size_t)count);
}

static void wrote_vector(int descriptor, const struct iovec *vector, int parts, ssize_t count, uint64_t offset) {
    if (!known(descriptor) || count <= 0) return;
    char *bytes = gathered(vector, parts, (size_t)count);
    wrote(descriptor, bytes, count, offset);
    free(bytes);
}

// Where a write without an offset lands, once it has been made.
static uint64_t landed(int descriptor, ssize_t count) {
    int saved = errno;
    off64_t end = lseek64(descriptor, 0, SEEK_CUR);
    errno = saved;
    return end >= count && count > 0 ? (uint64_t)(end - count) : 0;
}

#define STEP(descriptor, result, call, afterwards)     \
    if (!known(descriptor)) return call;               \
    pthread_mutex_lock(&order);                        \
    result = call;                                     \
    afterwards;                                        \
    pthread_mutex_unlock(&order);                      \
    return result;

ssize_t write(int descriptor, const void *bytes, size_t count) {
    ssize_t done;
    STEP(descriptor, done, REAL(write)(descriptor, bytes, count),
         wrote(descriptor, bytes, done, landed(descriptor, done)))
}

ssize_t writev(int descriptor, const struct iovec *vector, int parts) {
    ssize_t done;
    STEP(descriptor, done, REAL(writev)(descriptor, vector, parts),
         wrote_vector(descriptor, vector, parts, done, landed(descriptor, done)))
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    ssize_t done;
    STEP(descriptor, done, REAL(pwrite)(descriptor, bytes, count, offset),
         wrote(descriptor, bytes, done, (uint64_t)offset))
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    ssize_t done;
    STEP(descriptor, done, REAL(pwrite64)(descriptor, bytes, count, offset),
         wrote(descriptor, bytes, done, (uint64_t)offset))
}

ssize_t pwritev(int descriptor, const struct iovec *vector, int parts, off_t offset) {
    ssize_t done;
    STEP(descriptor, done, REAL(pwritev)(descriptor, vector, parts, offset),
         wrote_vector(descriptor, vector, parts, done, (uint64_t)offset))
}

ssize_t pwritev64(int descriptor, const struct iovec *vector, int parts, off64_t offset) {
    ssize_t done;
    STEP(descriptor, done, REAL(pwritev64)(descriptor, vector, parts, offset),
         wrote_vector(descriptor, vector, parts, done, (uint64_t)offset))
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    ssize_t done;
    STEP(descriptor, done, REAL(send)(descriptor, bytes, count, flags), wrote(descriptor, bytes, done, 0))
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    ssize_t done;
    STEP(descriptor, done, REAL(sendmsg)(descriptor, message, flags),
         wrote_vector(descriptor, message->msg_iov, (int)message->msg_iovlen, done, 0))
}

static void sized(char operation, int descriptor, bool succeeded, uint64_t size) {
    struct descriptor *entry = known(descriptor);
    if (entry && entry->inode > 0 && succeeded) record(operation, entry->inode, size, entry->path, NULL, 0);
}

int ftruncate(int descriptor, off_t size) {
    int result;
    STEP(descriptor, result, REAL(ftruncate)(descriptor, size), sized('T', descriptor, result == 0, (uint64_t)size))
}

int ftruncate64(int descriptor, off64_t size) {
    int result;
    STEP(descriptor, result, REAL(ftruncate64)(descriptor, size), sized('T', descriptor, result == 0, (uint64_t)size))
}

#define ALLOCATE(name, offset_type)                                                    \
    int name(int descriptor, int mode, offset_type offset, offset_type length) {      \
        int result;                                                                    \
        STEP(descriptor, result, REAL(name)(descriptor, mode, offset, length),         \
             if (mode == 0) sized('F', descriptor, result == 0, (uint64_t)(offset + length))) \
    }
ALLOCATE(fallocate, off_t)
ALLOCATE(fallocate64, off64_t)

#define POSIX_ALLOCATE(name, offset_type)                                              \
    int name(int descriptor, offset_type offset, offset_type length) {                \
        int result;                                                                    \
        STEP(descriptor, result, REAL(name)(descriptor, offset, length),               \
             sized('F', descriptor, result == 0, (uint64_t)(offset + length)))         \
    }
POSIX_ALLOCATE(posix_fallocate, off_t)
POSIX_ALLOCATE(posix_fallocate64, off64_t)

// MARK: syncing; not inside the lock, since other threads go on writing meanwhile

static int synced(int descriptor, int (*sync)(int)) {
    if (!known(descriptor)) return sync(descriptor);
    pthread_mutex_lock(&order);
    uint64_t before = log_length;
    pthread_mutex_unlock(&order);
    int result = fast ? 0 : sync(descriptor);
    pthread_mutex_lock(&order);
    struct descriptor *entry = known(descriptor);
    if (result == 0 && entry && entry->inode > 0)
        record(entry->folder ? 'D' : 'S', entry->inode, before, entry->path, NULL, 0);
    pthread_mutex_unlock(&order);
    return result;
}

int fsync(int descriptor) { return synced(descriptor, REAL(fsync)); }
int fdatasync(int descriptor) { return synced(descriptor, REAL(fdatasync)); }

// MARK: names

static void renamed(int descriptor_from, const char *from, int descriptor_to, const char *to, char operation) {
    char first[PATH_MAX], second[PATH_MAX];
    if (!absolute(descriptor_from, from, first) || !absolute(descriptor_to, to, second)) return;
    if (!below_root(second)) return;
    struct stat status;
    uint64_t inode = stat(second, &status) == 0 ? status.st_ino : 0;
    record(operation, inode, 0, first, second, strlen(second));
}

static void named(char operation, int folder, const char *path) {
    char full[PATH_MAX];
    if (absolute(folder, path, full) && below_root(full)) record(operation, 0, 0, full, NULL, 0);
}

#define NAMED(call, afterwards)           \
    if (!recording()) return call;        \
    pthread_mutex_lock(&order);           \
    int result = call;                    \
    if (result == 0) afterwards;          \
    pthread_mutex_unlock(&order);         \
    return result;

int rename(const char *from, const char *to) {
    NAMED(REAL(rename)(from, to), renamed(AT_FDCWD, from, AT_FDCWD, to, 'R'))
}

int renameat(int folder, const char *from, int other, const char *to) {
    NAMED(REAL(renameat)(folder, from, other, to), renamed(folder, from, other, to, 'R'))
}

int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
    NAMED(REAL(renameat2)(folder, from, other, to, flags), renamed(folder, from, other, to, 'R'))
}

int link(const char *from, const char *to) {
    NAMED(REAL(link)(from, to), renamed(AT_FDCWD, from, AT_FDCWD, to, 'L'))
}

int linkat(int folder, const char *from, int other, const char *to, int flags) {
    NAMED(REAL(linkat)(folder, from, other, to, flags), renamed(folder, from, other, to, 'L'))
}

int unlink(const char *path) { NAMED(REAL(unlink)(path), named('U', AT_FDCWD, path)) }

int unlinkat(int folder, const char *path, int flags) {
    NAMED(REAL(unlinkat)(folder, path, flags), named((flags & AT_REMOVEDIR) ? 'X' : 'U', folder, path))
}

int mkdir(const char *path, mode_t mode) { NAMED(REAL(mkdir)(path, mode), named('M', AT_FDCWD, path)) }

int mkdirat(int folder, const char *path, mode_t mode) {
    NAMED(REAL(mkdirat)(folder, path, mode), named('M', folder, path))
}

int rmdir(const char *path) { NAMED(REAL(rmdir)(path), named('X', AT_FDCWD, path)) }
