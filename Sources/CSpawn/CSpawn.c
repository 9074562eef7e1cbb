#define _GNU_SOURCE
#include "CSpateSpawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

static void close_if_open(int fd) {
    if (fd >= 0) close(fd);
}

/// Leaves the program no descriptor above 2.
static int close_others(posix_spawn_file_actions_t *actions) {
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
    // Those that this process was started with: its own are closed on exec already.
    (void)actions;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return errno;
    for (struct dirent *entry; (entry = readdir(folder));) {
        int fd = atoi(entry->d_name);
        if (fd > 2) fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    closedir(folder);
    return 0;
#endif
}

static int spawn(const char *path, const char *name, const int streams[3], pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    if (!(code = posix_spawnattr_init(&attributes))) {
        for (int number = 0; number < 3 && !code; number++) {
            code = posix_spawn_file_actions_adddup2(&actions, streams[number], number);
        }
        if (!code) code = close_others(&actions);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        char *arguments[] = {(char *)name, NULL};
        if (!code) code = posix_spawn(pid, path, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int spate_spawn(const char *path, const char *name, int has_output, struct spate_child *child) {
    int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1};
    int code = 0;
    if (pipe2(input, O_CLOEXEC) || pipe2(errors, O_CLOEXEC) || (has_output && pipe2(output, O_CLOEXEC))) code = errno;
    if (!code) {
        const int streams[3] = {input[0], has_output ? output[1] : errors[1], errors[1]};
        code = spawn(path, name, streams, &child->pid);
    }
    close_if_open(input[0]);
    close_if_open(output[1]);
    close_if_open(errors[1]);
    const int own[3] = {input[1], output[0], errors[0]};
    for (int number = 0; number < 3; number++) {
        if (code) {
            close_if_open(own[number]);
        } else if (own[number] >= 0) {
            fcntl(own[number], F_SETFL, fcntl(own[number], F_GETFL) | O_NONBLOCK);
        }
    }
    child->input = own[0];
    child->output = own[1];
    child->errors = own[2];
    return code;
}
