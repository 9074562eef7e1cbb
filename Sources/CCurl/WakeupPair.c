#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "CSpateCurl.h"

// A multi handle has a socket pair for wake-ups. libcurl before 8.8 opens it without close-on-exec, and does not tell
// which descriptors it is. They are found by what they do: with each wake-up, one end holds one byte more to read, and
// the other more bytes that are not yet read. A program that another thread starts before that still inherits them, and
// one that starts during a name lookup inherits the two ends of that lookup's pair, which lead to no server.

struct candidate {
    int descriptor;
    int unread, unsent;
    int is_end;
};

static int is_inherited_stream(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD), domain = 0, type = 0;
    if (flags < 0 || (flags & FD_CLOEXEC)) return 0;
    socklen_t size = sizeof(int);
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) || domain != AF_UNIX) return 0;
    return !getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM;
}

// The sockets without close-on-exec whose queues are empty. The caller frees the list.
static struct candidate *empty_streams(int *count) {
    struct candidate *found = NULL;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct candidate next = { .descriptor = atoi(entry->d_name), .is_end = 1 };
        if (!is_inherited_stream(next.descriptor)) continue;
        if (ioctl(next.descriptor, SIOCINQ, &next.unread) || ioctl(next.descriptor, SIOCOUTQ, &next.unsent)) continue;
        if (next.unread || next.unsent) continue;
        struct candidate *longer = realloc(found, (*count + 1) * sizeof(next));
        if (!longer) break;
        found = longer;
        found[(*count)++] = next;
    }
    if (folder) closedir(folder);
    return found;
}

int spate_curl_multi_close_on_exec(SpateCurlMulti multi) {
    int count = 0, code = SPATE_CURLM_OK;
    struct candidate *candidates = empty_streams(&count);
    for (int step = 1; code == SPATE_CURLM_OK && step <= 2; step++) {
        // A handle that was made when there was no descriptor left has no pair.
        code = spate_curl_multi_wakeup(multi);
        for (struct candidate *each = candidates; each < candidates + count; each++) {
            int unread = 0, unsent = 0;
            if (ioctl(each->descriptor, SIOCINQ, &unread) || ioctl(each->descriptor, SIOCOUTQ, &unsent)) each->is_end = 0;
            int is_reader = unread == step && !unsent, is_writer = !unread && unsent > each->unsent;
            if (!is_reader && !is_writer) each->is_end = 0;
            each->unsent = unsent;
        }
    }
    for (int index = 0; index < count; index++) {
        if (candidates[index].is_end) fcntl(candidates[index].descriptor, F_SETFD, FD_CLOEXEC);
    }
    free(candidates);
    return code;
}
