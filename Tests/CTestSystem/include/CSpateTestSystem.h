// The libc calls that tests need and Swift's Glibc module does not show.
#ifndef SPATE_CTESTSYSTEM_H
#define SPATE_CTESTSYSTEM_H

#include <spawn.h>

// Every descriptor is made close-on-exec in the call that makes it: a test elsewhere may start a program at any time, and
// a connection or pipe that leaks into it never ends.

/// `accept4(2)` with SOCK_CLOEXEC, without the peer's address.
int spate_test_accept(int listener);

/// `pipe2(2)` with O_CLOEXEC.
int spate_test_pipe(int descriptors[2]);

/// `eventfd(2)` with EFD_CLOEXEC, at zero.
int spate_test_eventfd(void);

/// `memfd_create(2)` with MFD_CLOEXEC.
int spate_test_memfd(void);

/// `posix_spawn_file_actions_addchdir_np`.
int spate_test_addchdir(posix_spawn_file_actions_t *actions, const char *path);

/// `posix_spawn_file_actions_addclosefrom_np`, where this libc has it: what starts the tests may have left descriptors
/// open for everyone.
int spate_test_addclosefrom(posix_spawn_file_actions_t *actions, int first);

/// Has this process run on one of the processors that it may run on.
void spate_test_stay_on_processor(unsigned index);

/// Has ext4 put each folder that is made in this one into a part of the disk of its own. Does nothing elsewhere.
void spate_test_spread_folders(const char *path);

#endif
