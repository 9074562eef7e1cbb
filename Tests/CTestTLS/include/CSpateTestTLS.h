// The few calls of OpenSSL's libssl.so.3 that a test server needs, found when they are first wanted: neither a header nor
// the library has to be there for the tests to be built and run.
#ifndef SPATE_CTESTTLS_H
#define SPATE_CTESTTLS_H

#include <stddef.h>

typedef void *SpateTLSContext;
typedef void *SpateTLSSession;

/// Why there is no TLS here; NULL where there is. To be called before any other of these.
const char *spate_tls_missing(void);

/// A server's certificate and key, in PEM files. NULL where a file is of no use.
SpateTLSContext spate_tls_context(const char *certificate, const char *key);
void spate_tls_context_free(SpateTLSContext context);
/// Later sessions choose HTTP/2 if the client offers it. If it does not, they end if HTTP/2 is demanded.
void spate_tls_speak_http2(SpateTLSContext context, int demands);

/// Later sessions ask their clients for a certificate of an authority in this PEM file, and end without one if they demand
/// it. 0 where the file is of no use.
int spate_tls_ask_clients(SpateTLSContext context, const char *authorities, int demands);

/// The server's side of one connection. It reads and writes memory: what the peer has sent is given to it, and what the
/// peer is to get is taken from it. For one thread at a time.
SpateTLSSession spate_tls_session(SpateTLSContext context);
void spate_tls_session_free(SpateTLSSession session);

/// Takes all the bytes that came from the peer; 0 when out of memory.
int spate_tls_give(SpateTLSSession session, const void *bytes, int count);
/// How many of the bytes that go to the peer were put into the buffer; 0 or less when there are none.
int spate_tls_take(SpateTLSSession session, void *buffer, int count);

enum {
    /// The peer has to send more first.
    SPATE_TLS_WANTS_MORE = -1,
    /// The peer has said that it won't send more, or what it sent is no TLS.
    SPATE_TLS_ENDED = -2,
};

/// Returns 1 once it is done, or one of the numbers above.
int spate_tls_handshake(SpateTLSSession session);
/// Once the handshake is done: whether HTTP/2 was chosen.
int spate_tls_speaks_http2(SpateTLSSession session);
/// Once the handshake is done: puts the subject of the client's certificate into the buffer, such as `/CN=ann`, or nothing if
/// it has shown none.
void spate_tls_client(SpateTLSSession session, char *buffer, int count);
/// How many bytes there were, at least 1, or one of the numbers above.
int spate_tls_read(SpateTLSSession session, void *buffer, int count);
/// How many bytes were taken, or one of the numbers above.
int spate_tls_write(SpateTLSSession session, const void *bytes, int count);
/// Says that no more will be sent.
void spate_tls_close_notify(SpateTLSSession session);

#endif
