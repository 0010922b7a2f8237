#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CBench.h"

static struct sockaddr_in address_of(uint32_t address, uint16_t port) {
    struct sockaddr_in result;
    memset(&result, 0, sizeof result);
    result.sin_family = AF_INET;
    result.sin_addr.s_addr = htonl(address);
    result.sin_port = htons(port);
    return result;
}

static int close_keeping_errno(int descriptor) {
    int failure = errno;
    close(descriptor);
    errno = failure;
    return -1;
}

int cbench_listen(uint16_t *port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    int one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in name = address_of(INADDR_LOOPBACK, *port);
    socklen_t length = sizeof name;
    if (bind(listener, (struct sockaddr *)&name, sizeof name) != 0 || listen(listener, 4096) != 0 ||
        getsockname(listener, (struct sockaddr *)&name, &length) != 0) {
        return close_keeping_errno(listener);
    }
    *port = ntohs(name.sin_port);
    return listener;
}

int cbench_connect(uint32_t address, uint16_t port, uint32_t source) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    int one = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (source != 0) {
        // The port is chosen at connect time, when the whole four-tuple is known.
        setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
        struct sockaddr_in name = address_of(source, 0);
        if (bind(descriptor, (struct sockaddr *)&name, sizeof name) != 0) return close_keeping_errno(descriptor);
    }
    struct sockaddr_in name = address_of(address, port);
    if (connect(descriptor, (struct sockaddr *)&name, sizeof name) != 0 && errno != EINPROGRESS) {
        return close_keeping_errno(descriptor);
    }
    return descriptor;
}

int cbench_connect_result(int descriptor) {
    int failure = 0;
    socklen_t length = sizeof failure;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length) != 0) return errno;
    return failure;
}

static void become(const char *path, char *const *arguments, int output, const char *errors) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    int null = open("/dev/null", O_RDWR);
    int log = open(errors, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(null, STDIN_FILENO);
    dup2(output >= 0 ? output : null, STDOUT_FILENO);
    dup2(log >= 0 ? log : null, STDERR_FILENO);
    execv(path, arguments);
    dprintf(STDERR_FILENO, "cannot be started: %s\n", strerror(errno));
    _exit(127);
}

pid_t cbench_spawn(const char *path, char *const *arguments, int *output, const char *errors) {
    int ends[2] = {-1, -1};
    if (output != NULL && pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child == 0) become(path, arguments, ends[1], errors);
    if (output != NULL) {
        int failure = errno;
        close(ends[1]);
        if (child < 0) close(ends[0]);
        *output = child < 0 ? -1 : ends[0];
        errno = failure;
    }
    return child;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

int cbench_remove_folder(const char *path) { return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

uint64_t cbench_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}
