#include "CSpateTestHPACK.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

// The declarations of libnghttp2's stable ABI.
enum { INFLATE_FINAL = 1, INFLATE_EMIT = 2 };

struct field {
    uint8_t *name, *value;
    size_t name_count, value_count;
    uint8_t flags;
};

static struct {
    int (*create)(void **decoder);
    void (*destroy)(void *decoder);
    ssize_t (*inflate)(void *decoder, struct field *field, int *flags, const uint8_t *bytes, size_t count, int is_last);
    int (*end)(void *decoder);
} calls;

static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(void *library, const char *name, void *call) {
    void *found = dlsym(library, name);
    if (!found) missing = "libnghttp2.so.14 lacks a function";
    memcpy(call, &found, sizeof found);
}

static void load(void) {
    void *library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libnghttp2.so.14 cannot be loaded";
        return;
    }
    find(library, "nghttp2_hd_inflate_new", &calls.create);
    find(library, "nghttp2_hd_inflate_del", &calls.destroy);
    find(library, "nghttp2_hd_inflate_hd2", &calls.inflate);
    find(library, "nghttp2_hd_inflate_end_headers", &calls.end);
}

const char *spate_hpack_missing(void) {
    pthread_once(&once, load);
    return missing;
}

SpateHPACK spate_hpack_new(void) {
    void *decoder = NULL;
    return calls.create(&decoder) ? NULL : decoder;
}

void spate_hpack_free(SpateHPACK decoder) { calls.destroy(decoder); }

int spate_hpack_next(SpateHPACK decoder, const unsigned char **bytes, size_t *count, struct spate_hpack_field *field) {
    for (;;) {
        struct field found;
        int flags = 0;
        ssize_t used = calls.inflate(decoder, &found, &flags, *bytes, *count, 1);
        if (used < 0) return (int)used;
        *bytes += used;
        *count -= (size_t)used;
        if (flags & INFLATE_EMIT) {
            *field = (struct spate_hpack_field) {
                (const char *)found.name, (const char *)found.value, found.name_count, found.value_count,
            };
            return 1;
        }
        if (flags & INFLATE_FINAL) return calls.end(decoder);
        if (used == 0) return -1;
    }
}
