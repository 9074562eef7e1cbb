// The libc declarations that Swift's Glibc module does not show.
#ifndef SPATE_CSYSTEM_H
#define SPATE_CSYSTEM_H

#include <sys/types.h>
#include <sys/xattr.h>

// GNU calls stay behind a declaration of ours: defining _GNU_SOURCE in this header would change structures that other
// modules have already shown to Swift.

/// `fallocate(2)` with FALLOC_FL_KEEP_SIZE: reserves blocks and leaves the file's size alone.
int spate_fallocate_keep_size(int fd, off_t offset, off_t length);

/// `renameat2(2)` with RENAME_NOREPLACE, both names in one folder.
int spate_renameat_noreplace(int directory, const char *from, const char *to);

#endif
