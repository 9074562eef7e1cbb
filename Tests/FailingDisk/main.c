// FailingDisk PROGRAM ARGUMENT…
//
// Becomes the program, whose syncs fail: fsync and its like return EIO, as on a disk that is dying. Exit: the
// program's; 2 for wrong usage; 3 where this system does not allow it.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAIL(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO)

int main(int argumentCount, char **arguments) {
    if (argumentCount < 2) {
        fprintf(stderr, "usage: FailingDisk PROGRAM ARGUMENT...\n");
        return 2;
    }
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        FAIL(fsync),
        FAIL(fdatasync),
        FAIL(syncfs),
        FAIL(sync_file_range),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof instructions / sizeof *instructions, .filter = instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0) {
        execv(arguments[1], arguments + 1);
    }
    fprintf(stderr, "FailingDisk: %s: %s\n", arguments[1], strerror(errno));
    return 3;
}
