// For RTLD_DEFAULT.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "CSpateCurl.h"

extern int curl_easy_getinfo(void *easy, int info, ...);

struct spate_tls_session {
    int backend;
    void *internals;
};

typedef int (*spate_get_shutdown)(const void *ssl);

int spate_curl_tls_received_close_notify(SpateCurlEasy easy) {
    struct spate_tls_session *session = NULL;
    if (curl_easy_getinfo(easy, SPATE_CURLINFO_TLS_SSL_PTR, &session) != SPATE_CURLE_OK) return -1;
    if (!session || session->backend != SPATE_CURLSSLBACKEND_OPENSSL || !session->internals) return -1;
    // libcurl has loaded its TLS library. The symbol is missing if that is not OpenSSL.
    spate_get_shutdown get_shutdown = (spate_get_shutdown)dlsym(RTLD_DEFAULT, "SSL_get_shutdown");
    if (!get_shutdown) return -1;
    const int received_shutdown = 2;
    return (get_shutdown(session->internals) & received_shutdown) != 0;
}
