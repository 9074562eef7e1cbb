#include <sys/socket.h>

#include "CSpateCurl.h"

extern int curl_easy_getinfo(void *easy, int info, ...);

int spate_curl_peer_has_left(SpateCurlEasy easy) {
    int connection = -1;
    if (curl_easy_getinfo(easy, SPATE_CURLINFO_ACTIVESOCKET, &connection) != SPATE_CURLE_OK || connection < 0) return 0;
    char byte;
    return recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}
