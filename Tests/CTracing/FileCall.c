#define _GNU_SOURCE
#include "FileCall.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

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
    // What is said of an open file in this way is said of itself.
    if (text[0] == 0) return true;
    size_t length = strlen(path);
    return (size_t)snprintf(path + length, size - length, "/%s", text) < size - length;
}

/// Puts the name that a file has now in the place of the number that the kernel gives to one which had none when it was
/// opened: `FOLDER/#123`.
static void name_numbered(pid_t thread, int descriptor, char *path, size_t size) {
    char *number = strrchr(path, '/') + 1;
    if (number[0] != '#') return;
    size_t rest = size - (size_t)(number - path);
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, descriptor);
    struct stat file, found;
    *number = 0;
    DIR *folder = stat(link, &file) == 0 ? opendir(path) : NULL;
    snprintf(number, rest, "unnamed");
    if (folder == NULL) return;
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (fstatat(dirfd(folder), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (found.st_ino == file.st_ino && found.st_dev == file.st_dev) snprintf(number, rest, "%s", entry->d_name);
    }
    closedir(folder);
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
    int descriptor = (int)arguments[call->argument == FILE_COPY ? 2 : 0];
    bool isKnown = false;
    switch (call->argument) {
    case FILE_NONE:
        break;
    case FILE_COPY:
    case FILE_DESCRIPTOR:
        isKnown = descriptor >= 0 && read_link(thread, "fd", descriptor, path, sizeof path);
        if (isKnown) name_numbered(thread, descriptor, path, sizeof path);
        break;
    case FILE_PATH:
        isKnown = read_path(thread, AT_FDCWD, (uintptr_t)arguments[0], path, sizeof path);
        break;
    case FILE_IN_FOLDER:
        isKnown = read_path(thread, descriptor, (uintptr_t)arguments[1], path, sizeof path);
        if (isKnown && call->number == SYS_openat && ((int)arguments[2] & O_TMPFILE) == O_TMPFILE) {
            snprintf(path + strlen(path) - 1, 8, "unnamed");
        }
        break;
    case FILE_NEW_IN_FOLDER:
        isKnown = read_path(thread, (int)arguments[2], (uintptr_t)arguments[3], path, sizeof path);
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
