#define _GNU_SOURCE
#include "Notifications.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the number of this architecture is not known here"
#endif

#define HOLD(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)

int hold_writing_calls(void) {
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

/// The lengths of a vector in the thread's memory, together.
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

bool take_held_call(int listener, struct HeldCall *call) {
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

void release_held_call(int listener, uint64_t id) {
    struct seccomp_notif_resp answer = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    // One whose thread has ended meanwhile needs no answer.
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
