// The few calls of libnghttp2.so.14 that decode the headers of a request (RFC 7541), found when they are first wanted.
// libcurl needs that library, too.
#ifndef SPATE_CTESTHPACK_H
#define SPATE_CTESTHPACK_H

#include <stddef.h>

typedef void *SpateHPACK;

/// A field; not terminated, and valid until the next call.
struct spate_hpack_field {
    const char *name;
    const char *value;
    size_t name_count;
    size_t value_count;
};

/// Why no headers can be decoded here; NULL if they can. Call it before the others.
const char *spate_hpack_missing(void);

/// The decoder of a connection's headers; NULL if out of memory.
SpateHPACK spate_hpack_new(void);
void spate_hpack_free(SpateHPACK decoder);

/// Decodes the next field of a whole block and advances `bytes` and `count`. Returns 1 for a field, 0 at the end of the
/// block, and less for an invalid block.
int spate_hpack_next(SpateHPACK decoder, const unsigned char **bytes, size_t *count, struct spate_hpack_field *field);

#endif
