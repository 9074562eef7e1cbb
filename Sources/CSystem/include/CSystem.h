// The libc declarations that Swift's Glibc module does not show.
#ifndef SPATE_CSYSTEM_H
#define SPATE_CSYSTEM_H

#include <linux/magic.h>
#include <sys/types.h>
#include <sys/xattr.h>

// GNU calls stay behind a declaration of ours: defining _GNU_SOURCE in this header would change structures that other
// modules have already shown to Swift.

/// `fallocate(2)` with FALLOC_FL_KEEP_SIZE: reserves blocks and leaves the file's size alone.
int spate_fallocate_keep_size(int fd, off_t offset, off_t length);

/// `renameat2(2)` with RENAME_NOREPLACE, both names in one folder.
int spate_renameat_noreplace(int directory, const char *from, const char *to);

/// Of what kind a file system is, and what it has room for.
struct spate_volume {
    /// The magic number of `statfs(2)`.
    unsigned long kind;
    /// Bytes that this user may still write; -1 where the file system counts none.
    long long available;
};

/// `fstatfs(2)` of the file system that an open file is on.
int spate_volume_of(int fd, struct spate_volume *volume);

#endif
