// KillPoint N|STEP PROGRAM ARGUMENT…
//
// Runs a program and kills it with SIGKILL at its N-th file call in the working folder, or at the first that is STEP
// ("pwrite64 f.part"), before that call is done. The program needs to know nothing of it. Prints the outcome in one
// line:
//
//     killed CALL NAME       at that call, about that file
//     ended STATUS COUNT     by itself, after COUNT calls; 128 and the signal's number where a signal ended it
//
// Exit: 0 after either; 2 for wrong usage; 3 where this system does not allow it.
#define _GNU_SOURCE
#include "TracedProgram.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int refuse(const char *what) {
    fprintf(stderr, "KillPoint: %s: %s\n", what, strerror(errno));
    return 3;
}

/// Whether a thread that has stopped at a file call is at one in the folder; `line` then says at which.
static bool is_in_folder(
    const struct __ptrace_syscall_info *stop,
    pid_t thread,
    const char *folder,
    char *line,
    size_t size
) {
    const struct FileCall *call = file_call_numbered(stop->seccomp.nr);
    char name[2 * PATH_MAX];
    if (call == NULL || !call->is_step || !file_call_name(call, stop, thread, folder, name, sizeof name)) return false;
    snprintf(line, size, "%s %s", call->name, name);
    return true;
}

/// Follows the program to its end.
static int follow(pid_t program, unsigned long point, const char *step, const char *folder) {
    char line[2 * PATH_MAX + 64];
    unsigned long count = 0;
    bool isKilled = false;
    while (1) {
        int status = 0;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) return refuse("waitpid");
        if (WIFSTOPPED(status)) {
            struct __ptrace_syscall_info stop;
            bool isCall = !isKilled && traced_program_is_at_call(thread, status, &stop)
                && is_in_folder(&stop, thread, folder, line, sizeof line);
            count += isCall ? 1 : 0;
            if (isCall && (point == 0 ? strcmp(line, step) == 0 : count == point)) {
                // The thread stays where it is: the next thing that it does is to die.
                kill(program, SIGKILL);
                isKilled = true;
            } else {
                traced_program_continue(thread, status);
            }
        } else if (thread == program) {
            if (WIFEXITED(status) && WEXITSTATUS(status) == 3 && count == 0) return 3;
            if (isKilled) {
                printf("killed %s\n", line);
            } else {
                printf("ended %d %lu\n", traced_program_exit(status), count);
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
    if (getcwd(folder, sizeof folder) == NULL) return refuse("getcwd");
    const char *failed = NULL;
    pid_t program = traced_program_start(arguments + 2, true, &failed);
    if (program < 0) return refuse(failed);
    return follow(program, point, step, folder);
}
