#include "FileCalls.h"

#include <sys/syscall.h>

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
