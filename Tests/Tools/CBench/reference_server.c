#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "reference.h"

#define READ_SIZE (256 * 1024)
#define LARGEST_FRAME 65536
#define LARGEST_UNSENT (64 * 1024 * 1024)
#define EVENTS 512

/// Tokens of the two descriptors that are no connection.
#define LISTENER_TOKEN UINT64_MAX
#define STOP_TOKEN (UINT64_MAX - 1)

/// The one read buffer: what a read leaves over is copied to the connection.
static char read_space[READ_SIZE + LARGEST_FRAME];

// Connections

static bool watch(struct server *server, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(server->epoll, operation, descriptor, &event) == 0;
}

void connection_close(struct server *server, struct connection *connection) {
    if (!connection->open) return;
    connection->open = false;
    protocol_sign_out(server, connection);
    buffer_release(&connection->unread);
    buffer_release(&connection->unsent);
    close(connection->descriptor);
}

void connection_write(struct server *server, struct connection *connection, const void *bytes, size_t length) {
    if (!connection->open) return;
    if (connection->unsent.used + length > LARGEST_UNSENT) return connection_close(server, connection);
    buffer_append(&connection->unsent, bytes, length);
    if (connection->dirty) return;
    connection->dirty = true;
    server->dirty[server->dirty_count++] = connection;
}

static void flush(struct server *server, struct connection *connection) {
    if (!connection->open || connection->unsent.used == 0) return;
    size_t left = connection->unsent.used - connection->sent;
    ssize_t count = send(connection->descriptor, connection->unsent.bytes + connection->sent, left, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN) return connection_close(server, connection);
    if (count > 0) connection->sent += (size_t)count;
    bool blocked = connection->sent < connection->unsent.used;
    if (!blocked) {
        connection->sent = 0;
        buffer_release(&connection->unsent);
    }
    if (blocked != connection->blocked) {
        uint32_t events = blocked ? EPOLLIN | EPOLLOUT : EPOLLIN;
        watch(server, EPOLL_CTL_MOD, connection->descriptor, events, (uint64_t)connection->descriptor);
        connection->blocked = blocked;
    }
}

static void grow_lists(struct server *server, size_t needed) {
    size_t capacity = server->connection_capacity == 0 ? 1024 : server->connection_capacity;
    while (capacity <= needed) capacity *= 2;
    server->connections = realloc(server->connections, capacity * sizeof *server->connections);
    server->members = realloc(server->members, capacity * sizeof *server->members);
    server->dirty = realloc(server->dirty, capacity * sizeof *server->dirty);
    if (server->connections == NULL || server->members == NULL || server->dirty == NULL) abort();
    size_t added = capacity - server->connection_capacity;
    memset(server->connections + server->connection_capacity, 0, added * sizeof *server->connections);
    server->connection_capacity = capacity;
}

static void accept_all(struct server *server) {
    for (;;) {
        int descriptor = accept4(server->config.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) return;
        int one = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if ((size_t)descriptor >= server->connection_capacity) grow_lists(server, (size_t)descriptor);
        struct connection *connection = server->connections[descriptor];
        if (connection == NULL) {
            connection = calloc(1, sizeof *connection);
            if (connection == NULL) abort();
            server->connections[descriptor] = connection;
        }
        connection->descriptor = descriptor;
        connection->open = true;
        connection->upgraded = false;
        connection->blocked = false;
        connection->sent = 0;
        connection->generation++;
        if (!watch(server, EPOLL_CTL_ADD, descriptor, EPOLLIN, (uint64_t)descriptor)) {
            connection_close(server, connection);
        }
    }
}

// Reading

/// Answers the upgrade request. The generator always offers the sample key of RFC 6455 section 1.3, so the answer is
/// the one printed there and needs no SHA-1.
static size_t upgrade(struct server *server, struct connection *connection, const char *bytes, size_t length) {
    static const char key[] = "dGhlIHNhbXBsZSBub25jZQ==";
    static const char answer[] =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    const char *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    size_t used = (size_t)(end - bytes) + 4;
    if (memmem(bytes, used, key, sizeof key - 1) == NULL) {
        connection_close(server, connection);
        return 0;
    }
    connection->upgraded = true;
    connection_write(server, connection, answer, sizeof answer - 1);
    return used;
}

static void unmask(unsigned char *bytes, size_t length, const unsigned char *mask) {
    uint32_t four;
    memcpy(&four, mask, 4);
    uint64_t eight = (uint64_t)four << 32 | four;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        word ^= eight;
        memcpy(bytes + i, &word, 8);
    }
    for (; i < length; i++) bytes[i] ^= mask[i & 3];
}

/// Handles one frame; returns its bytes, or 0 when it is not whole yet or the connection was closed.
static size_t read_frame(struct server *server, struct connection *connection, unsigned char *bytes, size_t length) {
    if (length < 6) return 0;
    size_t header = 6;
    size_t size = bytes[1] & 0x7f;
    if (size == 126) {
        header = 8;
        if (length < header) return 0;
        size = (size_t)bytes[2] << 8 | bytes[3];
    }
    bool text = bytes[0] == 0x81;
    bool closing = (bytes[0] & 0x0f) == 8;
    if ((bytes[1] & 0x80) == 0 || (bytes[1] & 0x7f) == 127 || !(text || closing)) {
        connection_close(server, connection);
        return 0;
    }
    if (length < header + size) return 0;
    if (closing) {
        connection_close(server, connection);
        return 0;
    }
    unmask(bytes + header, size, bytes + header - 4);
    protocol_text(server, connection, (const char *)bytes + header, size);
    return header + size;
}

static void read_from(struct server *server, struct connection *connection) {
    size_t have = connection->unread.used;
    if (have > 0) memcpy(read_space, connection->unread.bytes, have);
    ssize_t count = recv(connection->descriptor, read_space + have, READ_SIZE, 0);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return connection_close(server, connection);
    if (count < 0) return;
    buffer_release(&connection->unread);
    size_t length = have + (size_t)count;
    size_t used = 0;
    while (connection->open && used < length) {
        size_t step = connection->upgraded
                          ? read_frame(server, connection, (unsigned char *)read_space + used, length - used)
                          : upgrade(server, connection, read_space + used, length - used);
        if (step == 0) break;
        used += step;
    }
    if (!connection->open || used == length) return;
    if (length - used > LARGEST_FRAME) return connection_close(server, connection);
    buffer_append(&connection->unread, read_space + used, length - used);
}

// The loop

/// Writes this turn's messages to the log, waits for the disk, then acknowledges and delivers them.
static int commit(struct server *server) {
    if (server->pending_count == 0) return 0;
    size_t written = 0;
    while (written < server->log.used) {
        ssize_t count = write(server->config.log, server->log.bytes + written, server->log.used - written);
        if (count < 0) return errno;
        written += (size_t)count;
    }
    if (fdatasync(server->config.log) != 0) return errno;
    for (size_t i = 0; i < server->pending_count; i++) {
        struct pending *waiting = &server->pending[i];
        if (!waiting->sender->open || waiting->sender->generation != waiting->generation) continue;
        protocol_send(server, waiting->sender, server->log.bytes + waiting->offset, waiting->length);
    }
    server->pending_count = 0;
    server->log.used = 0;
    return 0;
}

static void handle(struct server *server, const struct epoll_event *event) {
    if (event->data.u64 == LISTENER_TOKEN) return accept_all(server);
    struct connection *connection = server->connections[event->data.u64];
    if (!connection->open) return;
    if (event->events & EPOLLOUT) flush(server, connection);
    if (connection->open && event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_from(server, connection);
}

static int run(struct server *server) {
    struct epoll_event events[EVENTS];
    for (;;) {
        int count = epoll_wait(server->epoll, events, EVENTS, -1);
        if (count < 0 && errno != EINTR) return errno;
        server->now_seconds = time(NULL);
        for (int i = 0; i < count; i++) {
            if (events[i].data.u64 == STOP_TOKEN) return 0;
            handle(server, &events[i]);
        }
        int failure = commit(server);
        if (failure != 0) return failure;
        for (size_t i = 0; i < server->dirty_count; i++) {
            server->dirty[i]->dirty = false;
            flush(server, server->dirty[i]);
        }
        server->dirty_count = 0;
    }
}

int cbench_serve(const struct cbench_server *config) {
    struct server server = {.config = *config, .message_id = 7000000000000000000ull};
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (server.epoll < 0) return errno;
    grow_lists(&server, 0);
    bool watched = watch(&server, EPOLL_CTL_ADD, config->listener, EPOLLIN, LISTENER_TOKEN) &&
                   (config->stop < 0 || watch(&server, EPOLL_CTL_ADD, config->stop, EPOLLIN, STOP_TOKEN));
    int failure = watched ? run(&server) : errno;

    for (size_t i = 0; i < server.connection_capacity; i++) {
        if (server.connections[i] == NULL) continue;
        connection_close(&server, server.connections[i]);
        free(server.connections[i]);
    }
    protocol_free_users(&server);
    buffer_release(&server.log);
    buffer_release(&server.held);
    buffer_pool_empty();
    free(server.pending);
    free(server.connections);
    free(server.members);
    free(server.dirty);
    close(server.epoll);
    return failure;
}
