#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "CSpateCurl.h"

// libcurl's prototypes in its stable ABI, with int for enums.
extern int curl_global_init(long flags);
extern char *curl_version(void);
extern const char *curl_easy_strerror(int code);
extern void *curl_easy_init(void);
extern void curl_easy_reset(void *easy);
extern void curl_easy_cleanup(void *easy);
extern int curl_easy_setopt(void *easy, int option, ...);
extern int curl_easy_pause(void *easy, int bitmask);
extern int curl_easy_getinfo(void *easy, int info, ...);
extern struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text);
extern void curl_slist_free_all(struct curl_slist *list);
extern void *curl_url(void);
extern void curl_url_cleanup(void *url);
extern int curl_url_set(void *url, int part, const char *value, unsigned int flags);
extern void *curl_multi_init(void);
extern int curl_multi_cleanup(void *multi);
extern int curl_multi_setopt(void *multi, int option, ...);
extern int curl_multi_add_handle(void *multi, void *easy);
extern int curl_multi_remove_handle(void *multi, void *easy);
extern int curl_multi_perform(void *multi, int *running);
extern int curl_multi_poll(void *multi, void *extra, unsigned int extra_count, int milliseconds, int *count);
extern int curl_multi_wakeup(void *multi);
extern const char *curl_multi_strerror(int code);

struct spate_curl_message {
    int kind;
    void *easy;
    union {
        void *pointer;
        int code;
    } data;
};
extern struct spate_curl_message *curl_multi_info_read(void *multi, int *left);

int spate_curl_global_init(void) { return curl_global_init(SPATE_CURL_GLOBAL_DEFAULT); }
const char *spate_curl_version(void) { return curl_version(); }
const char *spate_curl_error_text(int code) { return curl_easy_strerror(code); }

SpateCurlEasy spate_curl_easy_init(void) { return curl_easy_init(); }
void spate_curl_easy_reset(SpateCurlEasy easy) { curl_easy_reset(easy); }
void spate_curl_easy_cleanup(SpateCurlEasy easy) { curl_easy_cleanup(easy); }

int spate_curl_easy_go_on(SpateCurlEasy easy) { return curl_easy_pause(easy, SPATE_CURLPAUSE_CONT); }

int spate_curl_set_long(SpateCurlEasy easy, int option, long value) { return curl_easy_setopt(easy, option, value); }
int spate_curl_set_string(SpateCurlEasy easy, int option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
int spate_curl_set_pointer(SpateCurlEasy easy, int option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
int spate_curl_set_receiver(SpateCurlEasy easy, int option, SpateCurlReceiver value) {
    return curl_easy_setopt(easy, option, value);
}
int spate_curl_set_observer(SpateCurlEasy easy, SpateCurlObserver value) {
    return curl_easy_setopt(easy, SPATE_CURLOPT_XFERINFOFUNCTION, value);
}

// libcurl's struct curl_sockaddr.
struct spate_curl_address {
    int family;
    int type;
    int protocol;
    unsigned int length;
    // At least its beginning; libcurl has room for each family.
    struct sockaddr address;
};

int spate_curl_open_socket(const struct spate_curl_address *address) {
    return socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
}

int spate_curl_read_address(const struct spate_curl_address *address, unsigned char *octets) {
    const void *whole = &address->address;
    switch (address->family) {
    case AF_INET:
        memcpy(octets, &((const struct sockaddr_in *)whole)->sin_addr, 4);
        return 4;
    case AF_INET6:
        memcpy(octets, &((const struct sockaddr_in6 *)whole)->sin6_addr, 16);
        return 16;
    default:
        return 0;
    }
}

static int open_any_socket(void *context, int purpose, struct spate_curl_address *address) {
    return spate_curl_open_socket(address);
}

int spate_curl_set_close_on_exec(SpateCurlEasy easy) {
    return curl_easy_setopt(easy, SPATE_CURLOPT_OPENSOCKETFUNCTION, open_any_socket);
}
int spate_curl_set_socket_opener(SpateCurlEasy easy, SpateCurlSocketOpener value) {
    return curl_easy_setopt(easy, SPATE_CURLOPT_OPENSOCKETFUNCTION, value);
}
int spate_curl_set_connection_judge(SpateCurlEasy easy, SpateCurlConnectionJudge value) {
    return curl_easy_setopt(easy, SPATE_CURLOPT_PREREQFUNCTION, value);
}
int spate_curl_set_fields(SpateCurlEasy easy, struct curl_slist *fields) {
    return curl_easy_setopt(easy, SPATE_CURLOPT_HTTPHEADER, fields);
}
int spate_curl_get_long(SpateCurlEasy easy, int info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
int spate_curl_get_offset(SpateCurlEasy easy, int info, int64_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
int spate_curl_get_pointer(SpateCurlEasy easy, int info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

struct curl_slist *spate_curl_slist_append(struct curl_slist *list, const char *text) {
    return curl_slist_append(list, text);
}
void spate_curl_slist_free(struct curl_slist *list) { curl_slist_free_all(list); }

SpateCurlURL spate_curl_url_init(void) { return curl_url(); }
void spate_curl_url_cleanup(SpateCurlURL url) { curl_url_cleanup(url); }
int spate_curl_url_set(SpateCurlURL url, int part, const char *value) { return curl_url_set(url, part, value, 0); }

SpateCurlMulti spate_curl_multi_init(void) { return curl_multi_init(); }
int spate_curl_multi_cleanup(SpateCurlMulti multi) { return curl_multi_cleanup(multi); }
int spate_curl_multi_set_long(SpateCurlMulti multi, int option, long value) {
    return curl_multi_setopt(multi, option, value);
}
int spate_curl_multi_add(SpateCurlMulti multi, SpateCurlEasy easy) { return curl_multi_add_handle(multi, easy); }
int spate_curl_multi_remove(SpateCurlMulti multi, SpateCurlEasy easy) { return curl_multi_remove_handle(multi, easy); }
int spate_curl_multi_perform(SpateCurlMulti multi, int *running) { return curl_multi_perform(multi, running); }
int spate_curl_multi_poll(SpateCurlMulti multi, int milliseconds) {
    return curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
int spate_curl_multi_wakeup(SpateCurlMulti multi) { return curl_multi_wakeup(multi); }
const char *spate_curl_multi_error_text(int code) { return curl_multi_strerror(code); }

SpateCurlEasy spate_curl_multi_next_done(SpateCurlMulti multi, int *code) {
    int left = 0;
    struct spate_curl_message *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->kind == SPATE_CURLMSG_DONE) {
            *code = message->data.code;
            return message->easy;
        }
    }
    return NULL;
}
