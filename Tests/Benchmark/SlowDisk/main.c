// SlowDisk BYTES PROGRAM ARGUMENT…
//
// Runs the program as if everything it writes to files went to a disk that takes so many bytes a second: each write
// waits until the disk is through with those before it, as it would once the page cache is full of what is not yet
// written. Sockets and pipes are as fast as ever. Exit: the program's, or 128 and the signal that ended it; 126 where
// this system does not allow it.
#define _GNU_SOURCE
#include "Notifications.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUFFERED_SECONDS 0.02

static int fail(const char *what) {
    fprintf(stderr, "SlowDisk: %s: %s\n", what, strerror(errno));
    return 126;
}

static bool send_descriptor(int connection, int descriptor) {
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr alignment; } control = {{0}};
    char byte = 0;
    struct iovec content = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(connection, &message, 0) == 1;
}

static int receive_descriptor(int connection) {
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr alignment; } control = {{0}};
    char byte = 0;
    struct iovec content = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_type != SCM_RIGHTS) return -1;
    int descriptor = -1;
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/// Answers held calls until the program has ended: those for the disk one after the other, each when its bytes have had
/// their time, and all others at once.
static void be_the_disk(int listener, double bytes_a_second) {
    // A thread waits in one call, so that there are never more than the program has threads.
    struct HeldCall queue[1024];
    size_t first = 0, count = 0;
    double free_at = 0;
    while (true) {
        double rest = count > 0 ? free_at - now() : 0;
        if (count > 0 && rest <= 0) {
            release_held_call(listener, queue[first].id);
            first = (first + 1) % 1024;
            if (--count > 0) free_at += (double)queue[first].bytes / bytes_a_second;
            continue;
        }
        struct pollfd event = {.fd = listener, .events = POLLIN};
        struct timespec limit = {(time_t)rest, (long)((rest - (double)(time_t)rest) * 1e9)};
        int ready = ppoll(&event, 1, count > 0 ? &limit : NULL, NULL);
        if (ready < 0 && errno != EINTR) return;
        if (ready <= 0) continue;
        if ((event.revents & POLLIN) == 0) return;
        struct HeldCall call;
        if (!take_held_call(listener, &call)) continue;
        if (call.bytes == 0 || count == 1024) {
            release_held_call(listener, call.id);
            continue;
        }
        // A disk that was idle does not make up for that, but for what a small buffer holds: or programs that write in
        // small pieces would pay for how late each answer is.
        if (count == 0) {
            double earliest = now() - BUFFERED_SECONDS;
            if (free_at < earliest) free_at = earliest;
            free_at += (double)call.bytes / bytes_a_second;
        }
        queue[(first + count++) % 1024] = call;
    }
}

int main(int argument_count, char **arguments) {
    double bytes_a_second = argument_count >= 3 ? atof(arguments[1]) : 0;
    if (bytes_a_second <= 0) {
        fprintf(stderr, "usage: SlowDisk BYTES PROGRAM ARGUMENT...\n");
        return 126;
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail("socketpair");
    pid_t own = getpid();
    pid_t child = fork();
    if (child < 0) return fail("fork");
    if (child == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != own) _exit(126);
        int listener = hold_writing_calls();
        // Between the two nothing may write: nobody would answer.
        if (listener < 0 || !send_descriptor(ends[1], listener)) _exit(126);
        close(listener);
        execv(arguments[2], arguments + 2);
        fprintf(stderr, "SlowDisk: %s: %s\n", arguments[2], strerror(errno));
        _exit(126);
    }
    close(ends[1]);
    int listener = receive_descriptor(ends[0]);
    if (listener >= 0) be_the_disk(listener, bytes_a_second);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return fail("waitpid");
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
