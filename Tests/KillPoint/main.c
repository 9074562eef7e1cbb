// KillPoint N|STEP PROGRAM ARGUMENT…
//
// Runs a program and kills it with SIGKILL at its N-th file call in the working folder, or at the first that is STEP
// ("pwrite64 f.part"), before that call is done. The program needs to know nothing of it. Says on standard output what
// became of it, in one line:
//
//     killed CALL NAME       at that call, about that file
//     ended STATUS COUNT     by itself, after so many calls; 128 and the signal's number where a signal ended it
//
// Exit: 0 after either; 2 for wrong usage; 3 where this system does not allow it.
#define _GNU_SOURCE
#include "FileCalls.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int refuse(const char *what) {
    fprintf(stderr, "KillPoint: %s: %s\n", what, strerror(errno));
    return 3;
}

/// In the child: waits until it is traced, and becomes the program.
static int become(char **arguments, int gate) {
    char byte;
    if (read(gate, &byte, 1) != 1) return 3;
    close(gate);
    if (file_calls_trace() != 0) return refuse("seccomp");
    execv(arguments[0], arguments);
    return refuse(arguments[0]);
}

/// Whether a thread that has stopped at a file call is at one in the folder; `line` then says at which.
static int is_at_call(pid_t thread, const char *folder, char *line, size_t size) {
    struct __ptrace_syscall_info stop;
    memset(&stop, 0, sizeof stop);
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof stop, &stop) <= 0) return 0;
    if (stop.op != PTRACE_SYSCALL_INFO_SECCOMP) return 0;
    const struct FileCall *call = file_call_numbered(stop.seccomp.nr);
    char name[2 * PATH_MAX];
    if (call == NULL || !file_call_name(call, &stop, thread, folder, name, sizeof name)) return 0;
    snprintf(line, size, "%s %s", call->name, name);
    return 1;
}

/// Lets a stopped thread go on. That it is gone meanwhile is none of our concern.
static void let_go_on(pid_t thread, int status) {
    int signal = WSTOPSIG(status);
    int event = status >> 16;
    if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        ptrace(PTRACE_LISTEN, thread, NULL, NULL);
    } else {
        ptrace(PTRACE_CONT, thread, NULL, (void *)(long)(event == 0 ? signal : 0));
    }
}

/// Follows the program to its end.
static int follow(pid_t program, unsigned long point, const char *step, const char *folder) {
    char line[2 * PATH_MAX + 64];
    unsigned long count = 0;
    int isKilled = 0;
    while (1) {
        int status = 0;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) return refuse("waitpid");
        if (WIFSTOPPED(status)) {
            int isCall = !isKilled && status >> 16 == PTRACE_EVENT_SECCOMP
                && is_at_call(thread, folder, line, sizeof line);
            count += isCall ? 1 : 0;
            if (isCall && (point == 0 ? strcmp(line, step) == 0 : count == point)) {
                // The thread stays where it is: the kernel lets it go no further than to its death.
                kill(program, SIGKILL);
                isKilled = 1;
            } else {
                let_go_on(thread, status);
            }
        } else if (thread == program) {
            if (WIFEXITED(status) && WEXITSTATUS(status) == 3 && count == 0) return 3;
            if (isKilled) {
                printf("killed %s\n", line);
            } else {
                printf("ended %d %lu\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), count);
            }
            return 0;
        }
    }
}

int main(int argumentCount, char **arguments) {
    char *end = NULL;
    unsigned long point = argumentCount > 2 ? strtoul(arguments[1], &end, 10) : 0;
    const char *step = argumentCount > 2 ? arguments[1] : "";
    if (end != NULL && *end != 0) point = 0;
    if (point == 0 && strchr(step, ' ') == NULL) {
        fprintf(stderr, "usage: KillPoint N|STEP PROGRAM ARGUMENT...\n");
        return 2;
    }
    char folder[PATH_MAX];
    int gate[2];
    if (getcwd(folder, sizeof folder) == NULL) return refuse("getcwd");
    if (pipe(gate) != 0) return refuse("pipe");
    pid_t program = fork();
    if (program < 0) return refuse("fork");
    if (program == 0) {
        close(gate[1]);
        _exit(become(arguments + 2, gate[0]));
    }
    close(gate[0]);
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK
        | PTRACE_O_TRACEVFORK;
    if (ptrace(PTRACE_SEIZE, program, NULL, (void *)options) != 0) return refuse("ptrace");
    if (write(gate[1], "", 1) != 1) return refuse("pipe");
    close(gate[1]);
    return follow(program, point, step, folder);
}
