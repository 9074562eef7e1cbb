// CallCount TABLE PROGRAM ARGUMENT…
//
// Runs a program to its end and counts the system calls that it makes, in all its threads. Writes them to the file
// TABLE, a line for each kind of call:
//
//     inside pwrite64 300     about files in the working folder, or the folder itself
//     outside recvfrom 612    about others, or none, or the journal of a queue: it is synced as time passes
//
// A call without a name here is written with its number: "call-448". Exit: the program's, or 128 and the signal that
// ended it; 125 where nothing could be counted.
#define _GNU_SOURCE
#include "TracedProgram.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Beyond the largest number of any architecture's; what is larger yet is counted as the last.
#define CALL_NUMBERS 1024

// How the names of journals begin.
#define JOURNAL ".spate-queue-"

static unsigned long inside[CALL_NUMBERS];
static unsigned long outside[CALL_NUMBERS];

static int fail(const char *what) {
    fprintf(stderr, "CallCount: %s: %s\n", what, strerror(errno));
    return 125;
}

static void count_call(const struct __ptrace_syscall_info *stop, pid_t thread, const char *folder) {
    unsigned long long number = stop->seccomp.nr;
    const struct FileCall *call = file_call_numbered(number);
    char name[2 * PATH_MAX];
    bool isInside = call != NULL && file_call_name(call, stop, thread, folder, name, sizeof name)
        && strncmp(name, JOURNAL, sizeof JOURNAL - 1) != 0;
    (isInside ? inside : outside)[number < CALL_NUMBERS ? number : CALL_NUMBERS - 1] += 1;
}

static void write_counts(FILE *table, const char *place, const unsigned long *counts) {
    for (unsigned long number = 0; number < CALL_NUMBERS; number++) {
        if (counts[number] == 0) continue;
        const struct FileCall *call = file_call_numbered(number);
        if (call != NULL) {
            fprintf(table, "%s %s %lu\n", place, call->name, counts[number]);
        } else {
            fprintf(table, "%s call-%lu %lu\n", place, number, counts[number]);
        }
    }
}

/// Follows the program to its end; its status, as from `waitpid`, or -1 with errno.
static int follow(pid_t program, const char *folder) {
    while (1) {
        int status = 0;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) return -1;
        if (WIFSTOPPED(status)) {
            struct __ptrace_syscall_info stop;
            if (traced_program_is_at_call(thread, status, &stop)) count_call(&stop, thread, folder);
            traced_program_continue(thread, status);
        } else if (thread == program) {
            return status;
        }
    }
}

int main(int argument_count, char **arguments) {
    if (argument_count < 3) {
        fprintf(stderr, "usage: CallCount TABLE PROGRAM ARGUMENT...\n");
        return 125;
    }
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder) == NULL) return fail("getcwd");
    FILE *table = fopen(arguments[1], "we");
    if (table == NULL) return fail(arguments[1]);
    const char *failed = NULL;
    pid_t program = traced_program_start(arguments + 2, false, &failed);
    if (program < 0) return fail(failed);
    int status = follow(program, folder);
    if (status < 0) return fail("waitpid");
    write_counts(table, "inside", inside);
    write_counts(table, "outside", outside);
    if (fclose(table) != 0) return fail(arguments[1]);
    return traced_program_exit(status);
}
