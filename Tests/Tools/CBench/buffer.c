#include <stdlib.h>
#include <string.h>

#include "reference.h"

/// Blocks that nobody uses, at most POOL_SIZE of them.
#define POOL_SIZE 1024
#define SMALLEST_BLOCK 4096
#define LARGEST_POOLED_BLOCK (256 * 1024)

static struct {
    char *bytes;
    size_t capacity;
} pool[POOL_SIZE];
static size_t pooled;

char *buffer_room(struct buffer *buffer, size_t room) {
    if (buffer->capacity - buffer->used >= room) return buffer->bytes + buffer->used;
    if (buffer->capacity == 0 && pooled > 0) {
        pooled--;
        buffer->bytes = pool[pooled].bytes;
        buffer->capacity = pool[pooled].capacity;
        if (buffer->capacity >= room) return buffer->bytes;
    }
    size_t capacity = buffer->capacity < SMALLEST_BLOCK ? SMALLEST_BLOCK : buffer->capacity;
    while (capacity - buffer->used < room) capacity *= 2;
    buffer->bytes = realloc(buffer->bytes, capacity);
    if (buffer->bytes == NULL) abort();
    buffer->capacity = capacity;
    return buffer->bytes + buffer->used;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length) {
    memcpy(buffer_room(buffer, length), bytes, length);
    buffer->used += length;
}

void buffer_release(struct buffer *buffer) {
    if (buffer->capacity == 0) return;
    if (pooled < POOL_SIZE && buffer->capacity <= LARGEST_POOLED_BLOCK) {
        pool[pooled].bytes = buffer->bytes;
        pool[pooled].capacity = buffer->capacity;
        pooled++;
    } else {
        free(buffer->bytes);
    }
    buffer->bytes = NULL;
    buffer->used = 0;
    buffer->capacity = 0;
}

void buffer_pool_empty(void) {
    while (pooled > 0) free(pool[--pooled].bytes);
}
