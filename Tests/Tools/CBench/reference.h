#pragma once
// The parts of the reference server, as they see each other.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CBench.h"

/// Bytes that grow at the end. Memory comes from a pool and goes back when the bytes are gone, so that an idle
/// connection holds none and a busy loop turn never calls malloc.
struct buffer {
    char *bytes;
    size_t used;
    size_t capacity;
};

struct user {
    char name[64];
    size_t name_length;
    struct connection *connection;
    /// The last message sequence of what this person was sent one-to-one.
    uint64_t direct_sequence;
};

struct connection {
    int descriptor;
    bool open;
    bool upgraded;
    /// Has unsent bytes that wait for the end of the loop turn.
    bool dirty;
    /// Has unsent bytes that wait for EPOLLOUT.
    bool blocked;
    /// Counts the sockets that this descriptor number has been.
    uint32_t generation;
    /// Place in `members`.
    uint32_t member;
    struct user *user;
    struct buffer unread;
    struct buffer unsent;
    size_t sent;
};

/// One server's whole state.
struct server {
    struct cbench_server config;
    int epoll;
    struct connection **connections;
    /// Also of `members` and `dirty`.
    size_t connection_capacity;
    /// Connections that are signed in: the members of every group.
    struct connection **members;
    size_t member_count;
    struct connection **dirty;
    size_t dirty_count;
    struct user **users;
    size_t user_count;
    size_t user_capacity;
    uint64_t group_sequence;
    uint64_t message_id;
    int64_t now_seconds;
    uint64_t message_count;
    /// What this turn received, as it will be written to the log; `pending` points into it.
    struct buffer log;
    struct pending *pending;
    size_t pending_count;
    size_t pending_capacity;
    /// The frame that CBENCH_FAULT_SWAP holds back, and for whom.
    struct buffer held;
    struct user *held_for;
};

/// A message that waits for the log.
struct pending {
    size_t offset;
    size_t length;
    struct connection *sender;
    uint32_t generation;
};

char *buffer_room(struct buffer *buffer, size_t room);
void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_release(struct buffer *buffer);
void buffer_pool_empty(void);

/// Puts bytes in line for `connection`; they leave at the end of the loop turn.
void connection_write(struct server *server, struct connection *connection, const void *bytes, size_t length);
void connection_close(struct server *server, struct connection *connection);

/// Handles one JSON text of a client.
void protocol_text(struct server *server, struct connection *connection, const char *text, size_t length);
/// Acknowledges and delivers one `send` text.
void protocol_send(struct server *server, struct connection *sender, const char *text, size_t length);
void protocol_sign_out(struct server *server, struct connection *connection);
void protocol_free_users(struct server *server);
