#define _GNU_SOURCE
#include "CSpateTestSystem.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int spate_test_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

int spate_test_pipe(int descriptors[2]) {
    return pipe2(descriptors, O_CLOEXEC);
}

int spate_test_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC);
}

int spate_test_memfd(void) {
    return memfd_create("test-input", MFD_CLOEXEC);
}

int spate_test_addchdir(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

int spate_test_addclosefrom(posix_spawn_file_actions_t *actions, int first) {
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    (void)actions;
    (void)first;
    return 0;
#endif
}

void spate_test_spread_folders(const char *path) {
    int flags = 0;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    if (ioctl(folder, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_TOPDIR_FL;
        ioctl(folder, FS_IOC_SETFLAGS, &flags);
    }
    close(folder);
}

void spate_test_stay_on_processor(unsigned index) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) == 0) return;
    index %= (unsigned)CPU_COUNT(&all);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &all) || index-- > 0) continue;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}
