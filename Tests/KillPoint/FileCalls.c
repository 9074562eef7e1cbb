#define _GNU_SOURCE
#include "FileCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
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

#define CALL(name, argument) {SYS_##name, #name, argument}

// More than is used today: a step that is done in another way tomorrow is still one.
const struct FileCall file_calls[] = {
    CALL(openat, FILE_IN_FOLDER),
    CALL(openat2, FILE_IN_FOLDER),
    CALL(mkdirat, FILE_IN_FOLDER),
    CALL(unlinkat, FILE_IN_FOLDER),
    CALL(renameat2, FILE_IN_FOLDER),
    CALL(linkat, FILE_IN_FOLDER),
    CALL(fchmodat, FILE_IN_FOLDER),
    CALL(utimensat, FILE_IN_FOLDER),
    CALL(truncate, FILE_PATH),
    CALL(setxattr, FILE_PATH),
    CALL(lsetxattr, FILE_PATH),
    CALL(removexattr, FILE_PATH),
    CALL(lremovexattr, FILE_PATH),
    CALL(ftruncate, FILE_DESCRIPTOR),
    CALL(fallocate, FILE_DESCRIPTOR),
    CALL(write, FILE_DESCRIPTOR),
    CALL(writev, FILE_DESCRIPTOR),
    CALL(read, FILE_DESCRIPTOR),
    CALL(pread64, FILE_DESCRIPTOR),
    CALL(pwrite64, FILE_DESCRIPTOR),
    CALL(pwritev, FILE_DESCRIPTOR),
    CALL(pwritev2, FILE_DESCRIPTOR),
    CALL(sendfile, FILE_DESCRIPTOR),
    CALL(fsetxattr, FILE_DESCRIPTOR),
    CALL(fremovexattr, FILE_DESCRIPTOR),
    CALL(fchmod, FILE_DESCRIPTOR),
    CALL(flock, FILE_DESCRIPTOR),
    CALL(fsync, FILE_DESCRIPTOR),
    CALL(fdatasync, FILE_DESCRIPTOR),
    CALL(sync_file_range, FILE_DESCRIPTOR),
    CALL(syncfs, FILE_DESCRIPTOR),
#ifdef SYS_renameat
    CALL(renameat, FILE_IN_FOLDER),
#endif
// Newer architectures have only the calls above, which these are special cases of.
#ifdef SYS_open
    CALL(open, FILE_PATH),
    CALL(creat, FILE_PATH),
    CALL(mkdir, FILE_PATH),
    CALL(rmdir, FILE_PATH),
    CALL(unlink, FILE_PATH),
    CALL(rename, FILE_PATH),
    CALL(link, FILE_LINK),
    CALL(symlink, FILE_LINK),
    CALL(chmod, FILE_PATH),
#endif
};

const size_t file_call_count = sizeof file_calls / sizeof *file_calls;

const struct FileCall *file_call_numbered(unsigned long long number) {
    for (size_t index = 0; index < file_call_count; index++) {
        if ((unsigned long long)file_calls[index].number == number) return &file_calls[index];
    }
    return NULL;
}

int file_calls_trace(void) {
    struct sock_filter rules[2 * (sizeof file_calls / sizeof *file_calls) + 5];
    size_t count = 0;
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t index = 0; index < file_call_count; index++) {
        uint32_t number = (uint32_t)file_calls[index].number;
        rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
        rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)count, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/// What a link in /proc/PID points to, as an absolute path; false where it is no path.
static bool read_link(pid_t thread, const char *kind, long number, char *path, size_t size) {
    char link[64];
    if (number < 0) {
        snprintf(link, sizeof link, "/proc/%d/%s", thread, kind);
    } else {
        snprintf(link, sizeof link, "/proc/%d/%s/%ld", thread, kind, number);
    }
    ssize_t length = readlink(link, path, size - 1);
    if (length <= 0) return false;
    path[length] = 0;
    // What the kernel says of an open file that has no name any more.
    char *rest = strstr(path, " (deleted)");
    if (rest != NULL && rest[sizeof " (deleted)" - 1] == 0) *rest = 0;
    return path[0] == '/';
}

/// A string of the thread's memory. It is read a page at a time, for what follows its last page may not be there.
static bool read_string(pid_t thread, uintptr_t address, char *text, size_t size) {
    size_t done = 0;
    while (done < size) {
        size_t wanted = 4096 - (address + done) % 4096;
        if (wanted > size - done) wanted = size - done;
        struct iovec to = {text + done, wanted};
        struct iovec from = {(void *)(address + done), wanted};
        ssize_t count = process_vm_readv(thread, &to, 1, &from, 1, 0);
        if (count <= 0) return false;
        if (memchr(text + done, 0, (size_t)count) != NULL) return true;
        done += (size_t)count;
    }
    return false;
}

/// The path in the thread's memory, made absolute with the folder open as `folder`.
static bool read_path(pid_t thread, int folder, uintptr_t address, char *path, size_t size) {
    char text[PATH_MAX];
    if (!read_string(thread, address, text, sizeof text)) return false;
    if (text[0] == '/') return (size_t)snprintf(path, size, "%s", text) < size;
    bool isKnown = folder == AT_FDCWD ? read_link(thread, "cwd", -1, path, size)
                                      : folder >= 0 && read_link(thread, "fd", folder, path, size);
    if (!isKnown) return false;
    size_t length = strlen(path);
    return (size_t)snprintf(path + length, size - length, "/%s", text) < size - length;
}

bool file_call_name(
    const struct FileCall *call,
    const struct __ptrace_syscall_info *stop,
    pid_t thread,
    const char *folder,
    char *name,
    size_t size
) {
    char path[2 * PATH_MAX];
    // Arguments come in 64 bits each; a descriptor is the lower half.
    const uint64_t *arguments = stop->seccomp.args;
    int descriptor = (int)arguments[0];
    bool isKnown = false;
    switch (call->argument) {
    case FILE_DESCRIPTOR:
        isKnown = descriptor >= 0 && read_link(thread, "fd", descriptor, path, sizeof path);
        break;
    case FILE_PATH:
        isKnown = read_path(thread, AT_FDCWD, (uintptr_t)arguments[0], path, sizeof path);
        break;
    case FILE_IN_FOLDER:
        isKnown = read_path(thread, descriptor, (uintptr_t)arguments[1], path, sizeof path);
        break;
    case FILE_LINK:
        isKnown = read_path(thread, AT_FDCWD, (uintptr_t)arguments[1], path, sizeof path);
        break;
    }
    size_t length = strlen(folder);
    if (!isKnown || strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != 0)) return false;
    snprintf(name, size, "%s", path[length] == 0 || path[length + 1] == 0 ? "." : path + length + 1);
    return true;
}
