#define _GNU_SOURCE
#include "TracedProgram.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the number of this architecture is not known here"
#endif

/// Has the calls of this thread, and of all that it starts, reported to its tracer. 0, or -1 with errno.
static int report_calls(bool steps_only) {
    struct sock_filter rules[2 * file_call_count + 5];
    size_t count = 0;
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t index = 0; steps_only && index < file_call_count; index++) {
        const struct FileCall *call = file_call(index);
        if (!call->is_step) continue;
        rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 1);
        rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    uint32_t others = steps_only ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRACE;
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
    struct sock_fprog program = {.len = (unsigned short)count, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static int refuse(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return 3;
}

/// In the child: waits until it is traced, and becomes the program.
static int become(char **arguments, bool steps_only, int gate) {
    char byte;
    if (read(gate, &byte, 1) != 1) return 3;
    close(gate);
    if (report_calls(steps_only) != 0) return refuse("seccomp");
    execv(arguments[0], arguments);
    return refuse(arguments[0]);
}

pid_t traced_program_start(char **arguments, bool steps_only, const char **failed) {
    int gate[2];
    *failed = "pipe";
    if (pipe(gate) != 0) return -1;
    *failed = "fork";
    pid_t program = fork();
    if (program < 0) return -1;
    if (program == 0) {
        close(gate[1]);
        _exit(become(arguments, steps_only, gate[0]));
    }
    close(gate[0]);
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK
        | PTRACE_O_TRACEVFORK;
    *failed = "ptrace";
    if (ptrace(PTRACE_SEIZE, program, NULL, (void *)options) != 0) return -1;
    *failed = "pipe";
    if (write(gate[1], "", 1) != 1) return -1;
    close(gate[1]);
    return program;
}

bool traced_program_is_at_call(pid_t thread, int status, struct __ptrace_syscall_info *stop) {
    if (!WIFSTOPPED(status) || status >> 16 != PTRACE_EVENT_SECCOMP) return false;
    memset(stop, 0, sizeof *stop);
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof *stop, stop) <= 0) return false;
    return stop->op == PTRACE_SYSCALL_INFO_SECCOMP;
}

void traced_program_continue(pid_t thread, int status) {
    int signal = WSTOPSIG(status);
    int event = status >> 16;
    if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        ptrace(PTRACE_LISTEN, thread, NULL, NULL);
    } else {
        ptrace(PTRACE_CONT, thread, NULL, (void *)(long)(event == 0 ? signal : 0));
    }
}

int traced_program_exit(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
