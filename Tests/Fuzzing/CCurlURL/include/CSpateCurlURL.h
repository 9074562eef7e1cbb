// libcurl's URL parser, to compare with ours. In libcurl since 7.62; the numbers are part of its ABI.
#ifndef SPATE_CCURLURL_H
#define SPATE_CCURLURL_H

typedef struct Curl_URL CURLU;

enum {
    SPATE_CURLUPART_URL = 0,
    SPATE_CURLUPART_SCHEME = 1,
    SPATE_CURLUPART_USER = 2,
    SPATE_CURLUPART_HOST = 5,
    SPATE_CURLUPART_PORT = 6,
    SPATE_CURLUPART_PATH = 7,
    SPATE_CURLUPART_QUERY = 8,
    SPATE_CURLUPART_ZONEID = 10,

    /// The default port if the URL has none.
    SPATE_CURLU_DEFAULT_PORT = 1,
};

CURLU *curl_url(void);
void curl_url_cleanup(CURLU *handle);
int curl_url_set(CURLU *handle, int part, const char *text, unsigned int flags);
int curl_url_get(const CURLU *handle, int part, char **text, unsigned int flags);
void curl_free(void *text);

#endif
