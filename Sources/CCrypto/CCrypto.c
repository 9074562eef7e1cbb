// For RTLD_DEFAULT.
#define _GNU_SOURCE
#include "CSpateCrypto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

static struct {
    const void *(*get_by_name)(const char *name); // before OpenSSL 3
    void *(*fetch)(void *context, const char *name, const char *properties); // since OpenSSL 3
    void *(*create)(void);
    void (*destroy)(void *digest);
    int (*begin)(void *digest, const void *method, void *engine);
    int (*update)(void *digest, const void *bytes, size_t count);
    int (*finish)(void *digest, unsigned char *result, unsigned int *length);
} crypto;
static int is_loaded;

static int load_from(void *library) {
    crypto.get_by_name = dlsym(library, "EVP_get_digestbyname");
    crypto.fetch = dlsym(library, "EVP_MD_fetch");
    crypto.create = dlsym(library, "EVP_MD_CTX_new");
    crypto.destroy = dlsym(library, "EVP_MD_CTX_free");
    crypto.begin = dlsym(library, "EVP_DigestInit_ex");
    crypto.update = dlsym(library, "EVP_DigestUpdate");
    crypto.finish = dlsym(library, "EVP_DigestFinal_ex");
    return (crypto.fetch || crypto.get_by_name) && crypto.create && crypto.destroy && crypto.begin && crypto.update
        && crypto.finish;
}

// A process may exit while one of its threads computes a digest, or is just about to compute the first. So OpenSSL must
// not clean up at the exit, unless libcurl has begun to use it before: see ExitGate.
static void start(void *library) {
    const uint64_t no_atexit = 0x00080000;
    int (*init)(uint64_t options, const void *settings) = dlsym(library, "OPENSSL_init_crypto");
    if (init) init(no_atexit, NULL);
}

static void load(void) {
    // libcurl has loaded it, unless its TLS library is another one.
    if ((is_loaded = load_from(RTLD_DEFAULT))) return start(RTLD_DEFAULT);
    const char *names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_loaded; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library && (is_loaded = load_from(library))) start(library);
    }
}

const void *spate_digest_method(const char *algorithm) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!is_loaded) return NULL;
    // A fetched method outlives OpenSSL's clean-up at exit, when a thread may still compute a digest. One by name is
    // fetched again for each digest: 34 of 300 processes crashed at their exit then, and none with this.
    return crypto.fetch ? crypto.fetch(NULL, algorithm, NULL) : crypto.get_by_name(algorithm);
}

void *spate_digest_new(const void *method) {
    void *digest = crypto.create();
    if (!digest || crypto.begin(digest, method, NULL)) return digest;
    crypto.destroy(digest);
    return NULL;
}

void spate_digest_free(void *digest) {
    crypto.destroy(digest);
}

int spate_digest_update(void *digest, const void *bytes, size_t count) {
    return crypto.update(digest, bytes, count);
}

unsigned int spate_digest_finish(void *digest, unsigned char *result) {
    unsigned int length = 0;
    return crypto.finish(digest, result, &length) ? length : 0;
}
