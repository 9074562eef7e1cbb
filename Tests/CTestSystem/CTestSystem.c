#define _GNU_SOURCE
#include "CTestSystem.h"

#include <fcntl.h>
#include <sys/eventfd.h>
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
