// The libc declarations that Swift's Glibc module lacks.
#ifndef SPATE_CSYSTEM_H
#define SPATE_CSYSTEM_H

#include <linux/magic.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <time.h>

// GNU calls need wrappers: defining _GNU_SOURCE in this header would change structures that other modules have
// already exported to Swift.

/// `fallocate(2)` with FALLOC_FL_KEEP_SIZE: reserves blocks without changing the file's size.
int spate_fallocate_keep_size(int fd, off_t offset, off_t length);

/// `copy_file_range(2)` to the same offset of another file. The kernel first tries to share the blocks.
ssize_t spate_copy_file_range(int from, int to, off_t offset, size_t length);

/// `openat(2)` with O_TMPFILE: a new file without a name, for reading and writing.
int spate_open_unnamed(int directory);

/// `linkat(2)` of an open file without a name. What has the name already is not replaced.
int spate_link_unnamed(int fd, int directory, const char *name);

/// `renameat2(2)` with RENAME_NOREPLACE, both names in one folder.
int spate_renameat_noreplace(int directory, const char *from, const char *to);

/// `futimens(2)`: sets the time of the last write, and leaves that of the last access.
int spate_set_modified(int fd, time_t seconds);

/// `statx(2)`: when an open file was made. Fails with ENOTSUP if the file system does not know.
int spate_birth_time(int fd, struct timespec *time);

/// The kind of a file system, and its free space.
struct spate_volume {
    /// The magic number of `statfs(2)`.
    unsigned long kind;
    /// Bytes that this user may still write; -1 if the file system does not report them.
    long long available;
};

/// `fstatfs(2)` of the file system of an open file.
int spate_volume_of(int fd, struct spate_volume *volume);

/// Whether a code of `getaddrinfo(3)` means that the name does not exist, or has no address. glibc has other codes if no
/// name server answers, if one fails, and without a network.
int spate_is_no_such_name(int code);

/// Starts a detached thread.
///
/// - Parameter name: at most 15 characters.
/// - Returns: 0, or why there can be no more threads.
int spate_start_thread(const char *name, size_t stack_size, void *(*body)(void *), void *context);

#endif
