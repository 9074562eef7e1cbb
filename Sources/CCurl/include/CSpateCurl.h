// The libcurl declarations that Spate uses, so that it builds on a machine with only the runtime library.
//
// The ABI of soname 4 has been stable since 2006: numbers are never reused. CurlNumbers.h defines them.
// CurlNumbersCheck.c compares them with libcurl's own header if that is installed.
#ifndef SPATE_CCURL_H
#define SPATE_CCURL_H

#include <stddef.h>
#include <stdint.h>

#include "CurlNumbers.h"

typedef void *SpateCurlEasy;
typedef void *SpateCurlMulti;
typedef void *SpateCurlURL;
struct curl_slist;

/// libcurl's callback for header lines and body bytes. Returning another number than `count` ends the transfer.
typedef size_t (*SpateCurlReceiver)(char *bytes, size_t size, size_t count, void *context);

/// libcurl's progress callback, which also runs before the connection closes. Anything but 0 ends the transfer.
typedef int (*SpateCurlObserver)(void *context, int64_t, int64_t, int64_t, int64_t);

struct spate_curl_address;
/// libcurl's callback for a new connection. Returns a socket; without one, -1, libcurl tries the host's next address.
typedef int (*SpateCurlSocketOpener)(void *context, int purpose, struct spate_curl_address *address);

/// libcurl's callback before it sends a request on a new or an older connection. Anything but 0 ends the transfer.
typedef int (*SpateCurlConnectionJudge)(void *context, char *remote, char *local, int remote_port, int local_port);

int spate_curl_global_init(void);
const char *spate_curl_version(void);
const char *spate_curl_error_text(int code);

SpateCurlEasy spate_curl_easy_init(void);
void spate_curl_easy_reset(SpateCurlEasy easy);
void spate_curl_easy_cleanup(SpateCurlEasy easy);
/// Ends the pause that a receiver began by returning SPATE_CURL_WRITEFUNC_PAUSE. It may call the receiver again, with
/// the same bytes, before it returns.
int spate_curl_easy_go_on(SpateCurlEasy easy);

// Swift cannot call variadic functions such as curl_easy_setopt: one typed wrapper for each kind of value.
int spate_curl_set_long(SpateCurlEasy easy, int option, long value);
int spate_curl_set_string(SpateCurlEasy easy, int option, const char *value);
int spate_curl_set_pointer(SpateCurlEasy easy, int option, void *value);
int spate_curl_set_receiver(SpateCurlEasy easy, int option, SpateCurlReceiver value);
int spate_curl_set_observer(SpateCurlEasy easy, SpateCurlObserver value);
/// Makes the handle's connections close-on-exec, so that programs that this process starts do not keep them open.
int spate_curl_set_close_on_exec(SpateCurlEasy easy);
/// The same, for addresses that the program judges with the two functions below.
int spate_curl_set_socket_opener(SpateCurlEasy easy, SpateCurlSocketOpener value);
int spate_curl_open_socket(const struct spate_curl_address *address);
/// Copies an address to `octets`, and returns how many it has: 4, or 16 for IPv6, or 0 if it is neither.
int spate_curl_read_address(const struct spate_curl_address *address, unsigned char *octets);
int spate_curl_set_connection_judge(SpateCurlEasy easy, SpateCurlConnectionJudge value);
int spate_curl_set_fields(SpateCurlEasy easy, struct curl_slist *fields);
int spate_curl_get_long(SpateCurlEasy easy, int info, long *value);
int spate_curl_get_offset(SpateCurlEasy easy, int info, int64_t *value);
int spate_curl_get_pointer(SpateCurlEasy easy, int info, void **value);

/// Whether the transfer's TLS connection received a close_notify: 1 or 0, or -1 if unknown. Call it only while the
/// transfer has its connection.
int spate_curl_tls_received_close_notify(SpateCurlEasy easy);

struct curl_slist *spate_curl_slist_append(struct curl_slist *list, const char *text);
void spate_curl_slist_free(struct curl_slist *list);

/// A URL in parts; NULL if out of memory.
SpateCurlURL spate_curl_url_init(void);
void spate_curl_url_cleanup(SpateCurlURL url);
int spate_curl_url_set(SpateCurlURL url, int part, const char *value);

SpateCurlMulti spate_curl_multi_init(void);
int spate_curl_multi_cleanup(SpateCurlMulti multi);
int spate_curl_multi_set_long(SpateCurlMulti multi, int option, long value);
int spate_curl_multi_add(SpateCurlMulti multi, SpateCurlEasy easy);
int spate_curl_multi_remove(SpateCurlMulti multi, SpateCurlEasy easy);
int spate_curl_multi_perform(SpateCurlMulti multi, int *running);
int spate_curl_multi_poll(SpateCurlMulti multi, int milliseconds);
int spate_curl_multi_wakeup(SpateCurlMulti multi);

/// Keeps the handle's own descriptors from programs that this process starts. Call it right after
/// `spate_curl_multi_init`. The first poll returns at once. Anything but `SPATE_CURLM_OK` means that the handle cannot be
/// woken.
int spate_curl_multi_close_on_exec(SpateCurlMulti multi);
const char *spate_curl_multi_error_text(int code);

/// The easy handle of the next finished transfer, and its result in `code`; NULL if there is none.
SpateCurlEasy spate_curl_multi_next_done(SpateCurlMulti multi, int *code);

#endif
