#define _GNU_SOURCE
#include "CSpateSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

int spate_fallocate_keep_size(int fd, off_t offset, off_t length) {
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, offset, length);
}

ssize_t spate_copy_file_range(int from, int to, off_t offset, size_t length) {
    off_t to_offset = offset;
    return copy_file_range(from, &offset, to, &to_offset, length, 0);
}

int spate_open_unnamed(int directory) {
    return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

int spate_link_unnamed(int fd, int directory, const char *name) {
    if (linkat(fd, "", directory, name, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOENT) return -1;
    // Before Linux 6.10 that needs a capability, and without it fails so.
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
}

int spate_renameat_noreplace(int directory, const char *from, const char *to) {
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int spate_set_modified(int fd, time_t seconds) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds}};
    return futimens(fd, times);
}

int spate_birth_time(int fd, struct timespec *time) {
    struct statx status;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return -1;
    if (!(status.stx_mask & STATX_BTIME)) {
        errno = ENOTSUP;
        return -1;
    }
    time->tv_sec = status.stx_btime.tv_sec;
    time->tv_nsec = status.stx_btime.tv_nsec;
    return 0;
}

int spate_volume_of(int fd, struct spate_volume *volume) {
    struct statfs status;
    if (fstatfs(fd, &status) != 0) return -1;
    volume->kind = (unsigned long)status.f_type & 0xffffffffUL;
    // ramfs reports no blocks at all.
    volume->available = -1;
    if (status.f_blocks != 0 && status.f_bsize > 0) {
        unsigned long long size = (unsigned long long)status.f_bsize;
        unsigned long long blocks = status.f_bavail;
        volume->available = blocks > LLONG_MAX / size ? LLONG_MAX : (long long)(blocks * size);
    }
    return 0;
}

struct start {
    char name[16];
    void *(*body)(void *);
    void *context;
};

static void *begin(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), start.name);
    return start.body(start.context);
}

int spate_is_no_such_name(int code) { return code == EAI_NONAME || code == EAI_NODATA; }

int spate_start_thread(const char *name, size_t stack_size, void *(*body)(void *), void *context) {
    struct start *start = calloc(1, sizeof *start);
    if (!start) return ENOMEM;
    strncpy(start->name, name, sizeof start->name - 1);
    start->body = body;
    start->context = context;
    pthread_attr_t attributes;
    pthread_t thread;
    int code = pthread_attr_init(&attributes);
    if (!code) {
        pthread_attr_setstacksize(&attributes, stack_size);
        // From the start: a thread that has ended already must not be named or detached by us.
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        code = pthread_create(&thread, &attributes, begin, start);
        pthread_attr_destroy(&attributes);
    }
    if (code) free(start);
    return code;
}
