#include "CSpateTestTLS.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// The numbers of OpenSSL 3's stable ABI.
enum { FILE_TYPE_PEM = 1, ERROR_WANT_READ = 2, VERIFY_PEER = 1, VERIFY_FAIL_IF_NO_PEER_CERT = 2 };

typedef int (*SelectProtocol)(
    void *session, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned offeredLength,
    void *argument);

#define FUNCTIONS(X) \
    X(const void *, TLS_server_method, (void)) \
    X(void *, SSL_CTX_new, (const void *method)) \
    X(void, SSL_CTX_free, (void *context)) \
    X(int, SSL_CTX_use_certificate_chain_file, (void *context, const char *file)) \
    X(int, SSL_CTX_use_PrivateKey_file, (void *context, const char *file, int type)) \
    X(void, SSL_CTX_set_alpn_select_cb, (void *context, SelectProtocol select, void *argument)) \
    X(int, SSL_CTX_load_verify_locations, (void *context, const char *file, const char *folder)) \
    X(void, SSL_CTX_set_verify, (void *context, int mode, void *callback)) \
    X(int, SSL_CTX_set_session_id_context, (void *context, const unsigned char *bytes, unsigned count)) \
    X(void *, SSL_get1_peer_certificate, (const void *session)) \
    X(void *, X509_get_subject_name, (const void *certificate)) \
    X(char *, X509_NAME_oneline, (const void *name, char *buffer, int count)) \
    X(void, X509_free, (void *certificate)) \
    X(void *, SSL_new, (void *context)) \
    X(void, SSL_free, (void *session)) \
    X(void, SSL_get0_alpn_selected, (const void *session, const unsigned char **chosen, unsigned *length)) \
    X(void, SSL_set_bio, (void *session, void *reading, void *writing)) \
    X(void *, SSL_get_rbio, (const void *session)) \
    X(void *, SSL_get_wbio, (const void *session)) \
    X(void, SSL_set_accept_state, (void *session)) \
    X(int, SSL_do_handshake, (void *session)) \
    X(int, SSL_read, (void *session, void *buffer, int count)) \
    X(int, SSL_write, (void *session, const void *bytes, int count)) \
    X(int, SSL_shutdown, (void *session)) \
    X(int, SSL_get_error, (const void *session, int result)) \
    X(const void *, BIO_s_mem, (void)) \
    X(void *, BIO_new, (const void *method)) \
    X(int, BIO_free, (void *bio)) \
    X(int, BIO_read, (void *bio, void *buffer, int count)) \
    X(int, BIO_write, (void *bio, const void *bytes, int count)) \
    X(void, ERR_clear_error, (void))

#define FIELD(result, name, parameters) result (*name) parameters;
static struct { FUNCTIONS(FIELD) } tls;

static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // What libssl itself needs is searched too, and BIO and ERR are there.
    void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        missing = "libssl.so.3 cannot be loaded";
        return;
    }
#define FIND(result, name, parameters) \
    { \
        void *found = dlsym(library, #name); \
        if (found == NULL) { \
            missing = "libssl.so.3 has no " #name; \
            return; \
        } \
        memcpy(&tls.name, &found, sizeof found); \
    }
    FUNCTIONS(FIND)
}

const char *spate_tls_missing(void) {
    pthread_once(&once, load);
    return missing;
}

SpateTLSContext spate_tls_context(const char *certificate, const char *key) {
    void *context = tls.SSL_CTX_new(tls.TLS_server_method());
    if (context == NULL) return NULL;
    if (tls.SSL_CTX_use_certificate_chain_file(context, certificate) != 1
        || tls.SSL_CTX_use_PrivateKey_file(context, key, FILE_TYPE_PEM) != 1) {
        tls.SSL_CTX_free(context);
        return NULL;
    }
    return context;
}

static const unsigned char http2[] = { 2, 'h', '2' };

// Returns the numbers of OpenSSL: 0 for a choice, 2 to end the handshake, and 3 for no choice.
static int select_http2(
    void *session, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned offeredLength,
    void *demands) {
    (void)session;
    for (unsigned place = 0; place < offeredLength; place += 1 + offered[place]) {
        if (offered[place] != 2 || place + 2 >= offeredLength || memcmp(offered + place, http2, sizeof http2)) continue;
        *chosen = offered + place + 1;
        *length = 2;
        return 0;
    }
    return demands ? 2 : 3;
}

void spate_tls_speak_http2(SpateTLSContext context, int demands) {
    tls.SSL_CTX_set_alpn_select_cb(context, select_http2, demands ? context : NULL);
}

int spate_tls_speaks_http2(SpateTLSSession session) {
    const unsigned char *chosen = NULL;
    unsigned length = 0;
    tls.SSL_get0_alpn_selected(session, &chosen, &length);
    return length == 2 && !memcmp(chosen, http2 + 1, 2);
}

int spate_tls_ask_clients(SpateTLSContext context, const char *authorities, int demands) {
    // Without it, no session could be resumed.
    tls.SSL_CTX_set_session_id_context(context, (const unsigned char *)"test", 4);
    tls.SSL_CTX_set_verify(context, VERIFY_PEER | (demands ? VERIFY_FAIL_IF_NO_PEER_CERT : 0), NULL);
    return tls.SSL_CTX_load_verify_locations(context, authorities, NULL) == 1;
}

void spate_tls_context_free(SpateTLSContext context) { tls.SSL_CTX_free(context); }

SpateTLSSession spate_tls_session(SpateTLSContext context) {
    void *session = tls.SSL_new(context);
    if (session == NULL) return NULL;
    void *reading = tls.BIO_new(tls.BIO_s_mem());
    void *writing = tls.BIO_new(tls.BIO_s_mem());
    if (reading == NULL || writing == NULL) {
        tls.BIO_free(reading);
        tls.BIO_free(writing);
        tls.SSL_free(session);
        return NULL;
    }
    tls.SSL_set_bio(session, reading, writing);
    tls.SSL_set_accept_state(session);
    return session;
}

void spate_tls_session_free(SpateTLSSession session) { tls.SSL_free(session); }

int spate_tls_give(SpateTLSSession session, const void *bytes, int count) {
    return tls.BIO_write(tls.SSL_get_rbio(session), bytes, count) == count;
}

int spate_tls_take(SpateTLSSession session, void *buffer, int count) {
    return tls.BIO_read(tls.SSL_get_wbio(session), buffer, count);
}

/// What a call's result means. The error queue is the thread's and must be empty before each call.
static int meaning(SpateTLSSession session, int result) {
    if (result > 0) return result;
    return tls.SSL_get_error(session, result) == ERROR_WANT_READ ? SPATE_TLS_WANTS_MORE : SPATE_TLS_ENDED;
}

int spate_tls_handshake(SpateTLSSession session) {
    tls.ERR_clear_error();
    return meaning(session, tls.SSL_do_handshake(session));
}

void spate_tls_client(SpateTLSSession session, char *buffer, int count) {
    buffer[0] = 0;
    void *certificate = tls.SSL_get1_peer_certificate(session);
    if (certificate == NULL) return;
    tls.X509_NAME_oneline(tls.X509_get_subject_name(certificate), buffer, count);
    tls.X509_free(certificate);
}

int spate_tls_read(SpateTLSSession session, void *buffer, int count) {
    tls.ERR_clear_error();
    return meaning(session, tls.SSL_read(session, buffer, count));
}

int spate_tls_write(SpateTLSSession session, const void *bytes, int count) {
    tls.ERR_clear_error();
    return meaning(session, tls.SSL_write(session, bytes, count));
}

void spate_tls_close_notify(SpateTLSSession session) {
    tls.ERR_clear_error();
    tls.SSL_shutdown(session);
}
