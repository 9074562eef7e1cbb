#define _GNU_SOURCE
#include "FileCall.h"

#include <sys/syscall.h>

#define CALL(name, argument, is_step) {SYS_##name, #name, argument, is_step}
// Steps, by how they name their file.
#define STEP_AT(name) CALL(name, FILE_IN_FOLDER, true)
#define STEP_PATH(name) CALL(name, FILE_PATH, true)
#define STEP_FD(name) CALL(name, FILE_DESCRIPTOR, true)
// Others.
#define LOOK_AT(name) CALL(name, FILE_IN_FOLDER, false)
#define LOOK_PATH(name) CALL(name, FILE_PATH, false)
#define LOOK_FD(name) CALL(name, FILE_DESCRIPTOR, false)
#define OTHER(name) CALL(name, FILE_NONE, false)

// More than is used today: a step that is done in another way tomorrow is still one.
static const struct FileCall calls[] = {
    STEP_AT(openat), STEP_AT(openat2), STEP_AT(mkdirat), STEP_AT(unlinkat), STEP_AT(renameat2), CALL(linkat, FILE_NEW_IN_FOLDER, true),
    STEP_AT(fchmodat), STEP_AT(utimensat),
    STEP_PATH(truncate), STEP_PATH(setxattr), STEP_PATH(lsetxattr), STEP_PATH(removexattr), STEP_PATH(lremovexattr),
    STEP_FD(ftruncate), STEP_FD(fallocate), STEP_FD(fsetxattr), STEP_FD(fremovexattr), STEP_FD(fchmod), STEP_FD(flock),
    STEP_FD(read), STEP_FD(pread64), STEP_FD(write), STEP_FD(writev), STEP_FD(pwrite64), STEP_FD(pwritev),
    STEP_FD(pwritev2), STEP_FD(sendfile), CALL(copy_file_range, FILE_COPY, true), STEP_FD(fsync), STEP_FD(fdatasync), STEP_FD(sync_file_range), STEP_FD(syncfs),

    LOOK_AT(fchownat), LOOK_AT(newfstatat), LOOK_AT(statx), LOOK_AT(faccessat), LOOK_AT(faccessat2),
    LOOK_AT(readlinkat), LOOK_PATH(statfs), LOOK_PATH(getxattr), LOOK_PATH(lgetxattr), LOOK_PATH(listxattr),
    LOOK_FD(close), LOOK_FD(dup), LOOK_FD(dup3), LOOK_FD(fcntl), LOOK_FD(ioctl), LOOK_FD(fstat), LOOK_FD(fstatfs),
    LOOK_FD(getdents64), LOOK_FD(lseek), LOOK_FD(fadvise64), LOOK_FD(fgetxattr), LOOK_FD(flistxattr), LOOK_FD(fchown),
    LOOK_FD(readv), LOOK_FD(preadv), LOOK_FD(splice), LOOK_PATH(llistxattr),

    OTHER(socket), OTHER(connect), OTHER(shutdown), OTHER(getsockname), OTHER(getpeername), OTHER(getsockopt),
    OTHER(setsockopt), OTHER(sendto), OTHER(sendmsg), OTHER(sendmmsg), OTHER(recvfrom), OTHER(recvmsg), OTHER(recvmmsg),
    OTHER(ppoll), OTHER(pselect6), OTHER(epoll_ctl), OTHER(epoll_pwait), OTHER(eventfd2), OTHER(timerfd_settime),
    OTHER(futex), OTHER(sched_yield), OTHER(nanosleep), OTHER(clock_nanosleep), OTHER(mmap), OTHER(munmap),
    OTHER(mremap), OTHER(mprotect), OTHER(madvise), OTHER(brk), OTHER(clone3), OTHER(getrandom), OTHER(rt_sigprocmask),
#ifdef SYS_renameat
    STEP_AT(renameat),
#endif
// Newer architectures have only the calls above, which these are special cases of.
#ifdef SYS_open
    STEP_PATH(open), STEP_PATH(creat), STEP_PATH(mkdir), STEP_PATH(rmdir), STEP_PATH(unlink), STEP_PATH(rename),
    STEP_PATH(link), STEP_PATH(chmod), CALL(symlink, FILE_LINK, true),
    LOOK_PATH(stat), LOOK_PATH(lstat), LOOK_PATH(access), LOOK_PATH(readlink), LOOK_FD(dup2), LOOK_FD(getdents),
    OTHER(epoll_wait), OTHER(poll), OTHER(select),
#endif
};

const size_t file_call_count = sizeof calls / sizeof *calls;

const struct FileCall *file_call(size_t index) { return &calls[index]; }

const struct FileCall *file_call_numbered(unsigned long long number) {
    for (size_t index = 0; index < file_call_count; index++) {
        if ((unsigned long long)calls[index].number == number) return &calls[index];
    }
    return NULL;
}
