// SlowDisk BYTES PROGRAM ARGUMENT…
//
// Runs the program as if its files were on a disk that takes BYTES a second: each write waits until the disk is through
// with those before it, as it would with a full page cache. Sockets and pipes are as fast as ever. Exit: the program's,
// or 128 and the signal that ended it; 126 where this system does not allow it.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the number of this architecture is not known here"
#endif

/// A call in which a thread of the program waits.
struct HeldCall {
    uint64_t id;
    /// What it writes into a regular file; 0 for sockets and pipes.
    uint64_t bytes;
};

#define HOLD(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)

/// Holds the writing calls of this process and its children. Returns the descriptor that they are read from, or -1 if
/// the system does not allow it.
static int hold_writing_calls(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        HOLD(write),
        HOLD(pwrite64),
        HOLD(writev),
        HOLD(pwritev),
        HOLD(pwritev2),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/// The sum of the lengths in a vector in the thread's memory.
static uint64_t vector_bytes(pid_t thread, uint64_t address, uint64_t count) {
    struct iovec vector[64];
    if (count > sizeof vector / sizeof *vector) count = sizeof vector / sizeof *vector;
    struct iovec to = {vector, count * sizeof *vector};
    struct iovec from = {(void *)(uintptr_t)address, count * sizeof *vector};
    ssize_t size = process_vm_readv(thread, &to, 1, &from, 1, 0);
    uint64_t bytes = 0;
    for (ssize_t index = 0; index < size / (ssize_t)sizeof *vector; index++) bytes += vector[index].iov_len;
    return bytes;
}

static bool is_regular_file(pid_t thread, uint64_t descriptor) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", thread, (int)descriptor);
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/// Takes the next held call; false if its thread has ended meanwhile.
static bool take_held_call(int listener, struct HeldCall *call) {
    struct seccomp_notif notification;
    memset(&notification, 0, sizeof notification);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notification) != 0) return false;
    pid_t thread = (pid_t)notification.pid;
    const struct seccomp_data *data = &notification.data;
    call->id = notification.id;
    call->bytes = 0;
    if (is_regular_file(thread, data->args[0])) {
        bool is_plain = data->nr == SYS_write || data->nr == SYS_pwrite64;
        call->bytes = is_plain ? data->args[2] : vector_bytes(thread, data->args[1], data->args[2]);
    }
    return true;
}

static void release_held_call(int listener, uint64_t id) {
    struct seccomp_notif_resp answer = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    // If the thread has ended meanwhile, no answer is needed.
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

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
        // Between the two calls nothing may write: no one would answer.
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
