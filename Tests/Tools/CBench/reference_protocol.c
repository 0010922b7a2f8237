#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "reference.h"

/// A piece of a client's text.
struct slice {
    const char *bytes;
    size_t length;
};

/// A JSON key to look for. Texts of one kind have it at the same place, so that place is tried first.
struct key {
    const char *name;
    size_t length;
    size_t hint;
};
#define KEY(text) {text, sizeof(text) - 1, 0}

static const char *after_key(struct key *key, const char *text, size_t length) {
    if (key->hint + key->length <= length && memcmp(text + key->hint, key->name, key->length) == 0) {
        return text + key->hint + key->length;
    }
    const char *found = memmem(text, length, key->name, key->length);
    if (found == NULL) return NULL;
    key->hint = (size_t)(found - text);
    return found + key->length;
}

/// The text of a string member without escapes; `key` ends with the opening quote.
static struct slice string_member(struct key *key, const char *text, size_t length) {
    struct slice result = {NULL, 0};
    const char *start = after_key(key, text, length);
    if (start == NULL) return result;
    const char *end = memchr(start, '"', (size_t)(text + length - start));
    if (end == NULL) return result;
    result.bytes = start;
    result.length = (size_t)(end - start);
    return result;
}

// Writing

static char *put(char *out, const char *bytes, size_t length) {
    memcpy(out, bytes, length);
    return out + length;
}
#define PUT(out, text) put(out, text, sizeof(text) - 1)

static char *put_number(char *out, uint64_t value) {
    char digits[20];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return put(out, digits + sizeof digits - count, count);
}

/// Room that `begin_frame` leaves for the longest header of a server's text frame.
#define FRAME_HEADER 4

/// Writes the header in front of the text that starts at `text`; returns where the frame starts.
static char *begin_frame(char *text, const char *end) {
    size_t length = (size_t)(end - text);
    if (length < 126) {
        text[-2] = (char)0x81;
        text[-1] = (char)length;
        return text - 2;
    }
    text[-4] = (char)0x81;
    text[-3] = 126;
    text[-2] = (char)(length >> 8);
    text[-1] = (char)length;
    return text - 4;
}

static void write_text(struct server *server, struct connection *connection, char *text, const char *end) {
    char *frame = begin_frame(text, end);
    connection_write(server, connection, frame, (size_t)(end - frame));
}

/// Decodes base64 without line breaks; returns the bytes written, or 0 for text that is not base64.
static size_t decode_base64(char *out, struct slice text) {
    static signed char values[256];
    static bool ready;
    if (!ready) {
        memset(values, -1, sizeof values);
        const char *alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (int i = 0; i < 64; i++) values[(unsigned char)alphabet[i]] = (signed char)i;
        ready = true;
    }
    char *start = out;
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < text.length && text.bytes[i] != '='; i++) {
        int value = values[(unsigned char)text.bytes[i]];
        if (value < 0) return 0;
        bits = bits << 6 | (uint32_t)value;
        count += 6;
        if (count >= 8) {
            count -= 8;
            *out++ = (char)(bits >> count);
        }
    }
    return (size_t)(out - start);
}

// Users

static size_t hash(struct slice name) {
    uint64_t value = 14695981039346656037ull;
    for (size_t i = 0; i < name.length; i++) value = (value ^ (unsigned char)name.bytes[i]) * 1099511628211ull;
    return (size_t)(value ^ value >> 32);
}

static struct user **user_slot(struct server *server, struct slice name) {
    size_t mask = server->user_capacity - 1;
    size_t i = hash(name) & mask;
    for (;; i = (i + 1) & mask) {
        struct user *user = server->users[i];
        if (user == NULL) return &server->users[i];
        if (user->name_length == name.length && memcmp(user->name, name.bytes, name.length) == 0) {
            return &server->users[i];
        }
    }
}

static void grow_users(struct server *server) {
    struct user **old = server->users;
    size_t old_capacity = server->user_capacity;
    server->user_capacity = old_capacity == 0 ? 1024 : old_capacity * 2;
    server->users = calloc(server->user_capacity, sizeof *server->users);
    if (server->users == NULL) abort();
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i] == NULL) continue;
        *user_slot(server, (struct slice){old[i]->name, old[i]->name_length}) = old[i];
    }
    free(old);
}

static struct user *find_user(struct server *server, struct slice name) {
    return server->user_capacity == 0 ? NULL : *user_slot(server, name);
}

static struct user *make_user(struct server *server, struct slice name) {
    if (2 * server->user_count >= server->user_capacity) grow_users(server);
    struct user **slot = user_slot(server, name);
    if (*slot == NULL) {
        struct user *user = calloc(1, sizeof *user);
        if (user == NULL) abort();
        memcpy(user->name, name.bytes, name.length);
        user->name_length = name.length;
        *slot = user;
        server->user_count++;
    }
    return *slot;
}

void protocol_free_users(struct server *server) {
    for (size_t i = 0; i < server->user_capacity; i++) free(server->users[i]);
    free(server->users);
}

void protocol_sign_out(struct server *server, struct connection *connection) {
    if (connection->user == NULL) return;
    if (connection->user->connection == connection) connection->user->connection = NULL;
    connection->user = NULL;
    struct connection *last = server->members[--server->member_count];
    server->members[connection->member] = last;
    last->member = connection->member;
}

// Methods

static struct key id_key = KEY("\"id\":\"");

static void handle_connect(struct server *server, struct connection *connection, const char *text, size_t length) {
    static struct key uid_key = KEY("\"uid\":\"");
    struct slice id = string_member(&id_key, text, length);
    struct slice uid = string_member(&uid_key, text, length);
    if (id.bytes == NULL || id.length > 64 || uid.length == 0 || uid.length > sizeof((struct user *)0)->name) {
        return connection_close(server, connection);
    }
    protocol_sign_out(server, connection);
    connection->user = make_user(server, uid);
    connection->user->connection = connection;
    connection->member = (uint32_t)server->member_count;
    server->members[server->member_count++] = connection;

    char reply[256];
    char *out = PUT(reply + FRAME_HEADER, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    out = put(out, id.bytes, id.length);
    out = PUT(out, "\",\"result\":{\"serverVersion\":5,\"timeDiff\":0,\"reasonCode\":1,\"nodeId\":1}}");
    write_text(server, connection, reply + FRAME_HEADER, out);
}

static void handle_ping(struct server *server, struct connection *connection, const char *text, size_t length) {
    struct slice id = string_member(&id_key, text, length);
    if (id.bytes == NULL || id.length > 64) return connection_close(server, connection);
    char reply[128];
    char *out = PUT(reply + FRAME_HEADER, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    out = put(out, id.bytes, id.length);
    out = PUT(out, "\",\"result\":{}}");
    write_text(server, connection, reply + FRAME_HEADER, out);
}

/// Says that a message was accepted (`sequence` > 0), or that its addressee is not there.
static void write_result(
    struct server *server, struct connection *sender, struct slice id, uint64_t message_id, uint64_t sequence) {
    if (!sender->open) return;
    char reply[256];
    char *out = PUT(reply + FRAME_HEADER, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    out = put(out, id.bytes, id.length);
    out = PUT(out, "\",\"result\":{\"messageId\":\"");
    out = put_number(out, message_id);
    out = PUT(out, "\",\"messageSeq\":");
    out = put_number(out, sequence);
    out = sequence > 0 ? PUT(out, ",\"reasonCode\":1}}") : PUT(out, ",\"reasonCode\":7}}");
    write_text(server, sender, reply + FRAME_HEADER, out);
}

static void deliver(
    struct server *server, struct connection *sender, struct user *receiver, const char *frame, size_t length) {
    if (receiver != NULL) {
        if (receiver->connection != NULL) connection_write(server, receiver->connection, frame, length);
        return;
    }
    for (size_t i = 0; i < server->member_count; i++) {
        if (server->members[i] != sender) connection_write(server, server->members[i], frame, length);
    }
}

/// Delivers a message whose turn it is to go wrong.
static void deliver_wrongly(
    struct server *server, struct connection *sender, struct user *receiver, const char *frame, size_t length) {
    switch (server->config.fault) {
    case CBENCH_FAULT_NONE: deliver(server, sender, receiver, frame, length); break;
    case CBENCH_FAULT_LOSE: break;
    case CBENCH_FAULT_REPEAT:
        deliver(server, sender, receiver, frame, length);
        deliver(server, sender, receiver, frame, length);
        break;
    case CBENCH_FAULT_SWAP:
        if (receiver == NULL || server->held_for != NULL) {
            deliver(server, sender, receiver, frame, length);
        } else {
            buffer_append(&server->held, frame, length);
            server->held_for = receiver;
        }
        break;
    }
}

static void deliver_all(
    struct server *server, struct connection *sender, struct user *receiver, const char *frame, size_t length) {
    server->message_count++;
    if (server->config.fault == CBENCH_FAULT_NONE) return deliver(server, sender, receiver, frame, length);
    if (server->message_count % server->config.fault_every == 0) {
        deliver_wrongly(server, sender, receiver, frame, length);
        return;
    }
    deliver(server, sender, receiver, frame, length);
    if (server->held_for != NULL && server->held_for == receiver) {
        deliver(server, sender, receiver, server->held.bytes, server->held.used);
        buffer_release(&server->held);
        server->held_for = NULL;
    }
}

void protocol_send(struct server *server, struct connection *sender, const char *text, size_t length) {
    static struct key channel_key = KEY("\"channelId\":\"");
    static struct key type_key = KEY("\"channelType\":");
    static struct key number_key = KEY("\"clientMsgNo\":\"");
    static struct key payload_key = KEY("\"payload\":\"");
    struct slice id = string_member(&id_key, text, length);
    struct slice channel = string_member(&channel_key, text, length);
    struct slice number = string_member(&number_key, text, length);
    struct slice payload = string_member(&payload_key, text, length);
    const char *type = after_key(&type_key, text, length);
    if (id.length > 64 || channel.length > 64 || number.length > 64 || payload.length > 32768 || !payload.bytes ||
        !type || !sender->user) {
        return connection_close(server, sender);
    }
    bool direct = *type == '1';
    struct user *receiver = direct ? find_user(server, channel) : NULL;
    uint64_t message_id = ++server->message_id;
    if (direct && receiver == NULL) return write_result(server, sender, id, message_id, 0);
    uint64_t sequence = direct ? ++receiver->direct_sequence : ++server->group_sequence;

    // What the addressee sees as the channel of a one-to-one message is its sender.
    struct slice from = {sender->user->name, sender->user->name_length};
    struct slice shown = direct ? from : channel;
    static char space[65536];
    char *start = space + FRAME_HEADER;
    char *out = PUT(start, "{\"jsonrpc\":\"2.0\",\"method\":\"recv\",\"params\":{\"header\":{\"redDot\":true},");
    out = PUT(out, "\"messageId\":\"");
    out = put_number(out, message_id);
    out = PUT(out, "\",\"messageSeq\":");
    out = put_number(out, sequence);
    out = PUT(out, ",\"timestamp\":");
    out = put_number(out, (uint64_t)server->now_seconds);
    out = PUT(out, ",\"channelId\":\"");
    out = put(out, shown.bytes, shown.length);
    out = direct ? PUT(out, "\",\"channelType\":1,\"fromUid\":\"") : PUT(out, "\",\"channelType\":2,\"fromUid\":\"");
    out = put(out, from.bytes, from.length);
    out = PUT(out, "\",\"clientMsgNo\":\"");
    out = put(out, number.bytes, number.length);
    out = PUT(out, "\",\"payload\":");
    out += decode_base64(out, payload);
    out = PUT(out, "}}");
    char *frame = begin_frame(start, out);

    write_result(server, sender, id, message_id, sequence);
    deliver_all(server, sender, receiver, frame, (size_t)(out - frame));
}

static void store(struct server *server, struct connection *sender, const char *text, size_t length) {
    if (server->pending_count == server->pending_capacity) {
        server->pending_capacity = server->pending_capacity == 0 ? 4096 : server->pending_capacity * 2;
        server->pending = realloc(server->pending, server->pending_capacity * sizeof *server->pending);
        if (server->pending == NULL) abort();
    }
    uint32_t prefix = (uint32_t)length;
    buffer_append(&server->log, &prefix, sizeof prefix);
    struct pending waiting = {server->log.used, length, sender, sender->generation};
    server->pending[server->pending_count++] = waiting;
    buffer_append(&server->log, text, length);
}

void protocol_text(struct server *server, struct connection *connection, const char *text, size_t length) {
    // Two keys, because an acknowledgement and a request carry the method at different places.
    static struct key request_key = KEY("\"method\":\"");
    static struct key notice_key = KEY("\"method\":\"recvack\"");
    if (notice_key.hint + notice_key.length <= length &&
        memcmp(text + notice_key.hint, notice_key.name, notice_key.length) == 0) {
        return;
    }
    const char *method = after_key(&request_key, text, length);
    size_t left = method == NULL ? 0 : (size_t)(text + length - method);
    if (left >= 8 && memcmp(method, "recvack\"", 8) == 0) {
        notice_key.hint = request_key.hint;
    } else if (left >= 5 && memcmp(method, "send\"", 5) == 0) {
        if (server->config.log >= 0) {
            store(server, connection, text, length);
        } else {
            protocol_send(server, connection, text, length);
        }
    } else if (left >= 8 && memcmp(method, "connect\"", 8) == 0) {
        handle_connect(server, connection, text, length);
    } else if (left >= 5 && memcmp(method, "ping\"", 5) == 0) {
        handle_ping(server, connection, text, length);
    } else {
        connection_close(server, connection);
    }
}
