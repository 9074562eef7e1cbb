// The digests of OpenSSL's libcrypto, which is loaded at run time: OpenSSL 3, or 1.1.
#ifndef SPATE_CCRYPTO_H
#define SPATE_CCRYPTO_H

#include <stddef.h>

enum { SPATE_LONGEST_DIGEST = 64 }; // EVP_MAX_MD_SIZE

/// The method of an algorithm ("SHA256"), for `spate_digest_new`. It stays valid until the process ends. NULL if libcrypto
/// is missing, or refuses the algorithm.
const void *spate_digest_method(const char *algorithm);

/// A digest that has begun. NULL if there is no memory.
void *spate_digest_new(const void *method);
void spate_digest_free(void *digest);

/// 1, or 0 if libcrypto fails.
int spate_digest_update(void *digest, const void *bytes, size_t count);

/// Writes the digest to `result`, which has SPATE_LONGEST_DIGEST bytes, and returns its length; 0 if libcrypto fails.
unsigned int spate_digest_finish(void *digest, unsigned char *result);

#endif
