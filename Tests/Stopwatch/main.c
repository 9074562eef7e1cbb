// Stopwatch FIGURES PROGRAM ARGUMENT…
//
// Runs the program to its end and writes a line of what it took to the file FIGURES: wall time, user time and system
// time in nanoseconds, the most memory it ever had resident in KiB, and `switches:` with the number of its context
// switches, voluntary or not. Its children that it waited for are included. SIGTERM kills the program, and what it took
// until then is written. Exit: the program's, or 128 and the signal that ended it; 125 where nothing could be measured.
//
// The kernel counts into a program's peak what its parent had resident. This parent is small; one with Foundation would
// add tens of megabytes to every figure.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t measured;

static void kill_measured(int number) {
    (void)number;
    kill(measured, SIGKILL);
}

static long long nanoseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long nanoseconds(struct timeval time) {
    return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

static int fail(const char *what) {
    fprintf(stderr, "Stopwatch: %s: %s\n", what, strerror(errno));
    return 125;
}

int main(int argument_count, char **arguments) {
    if (argument_count < 3) {
        fprintf(stderr, "usage: Stopwatch FIGURES PROGRAM ARGUMENT...\n");
        return 125;
    }
    // Opened before the start: a full disk must not cost a run.
    FILE *figures = fopen(arguments[1], "we");
    if (figures == NULL) return fail(arguments[1]);

    // Held back until there is a process to kill.
    sigset_t terminate;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    sigprocmask(SIG_BLOCK, &terminate, NULL);
    pid_t own = getpid();
    long long start = nanoseconds_now();
    measured = fork();
    if (measured < 0) return fail("fork");
    if (measured == 0) {
        // The program ends with this process, however that ends.
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != own) _exit(125);
        sigprocmask(SIG_UNBLOCK, &terminate, NULL);
        execv(arguments[2], arguments + 2);
        fprintf(stderr, "Stopwatch: %s: %s\n", arguments[2], strerror(errno));
        _exit(125);
    }
    struct sigaction action = {.sa_handler = kill_measured, .sa_flags = SA_RESTART};
    sigaction(SIGTERM, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &terminate, NULL);

    // Without reaping, so that the process id stays the program's for as long as the handler may use it.
    siginfo_t ended;
    while (waitid(P_PID, (id_t)measured, &ended, WEXITED | WNOWAIT) != 0) {
        if (errno != EINTR) return fail("waitid");
    }
    long long wall = nanoseconds_now() - start;
    sigprocmask(SIG_BLOCK, &terminate, NULL);
    int status = 0;
    struct rusage usage;
    while (wait4(measured, &status, 0, &usage) < 0) {
        if (errno != EINTR) return fail("wait4");
    }
    long long user = nanoseconds(usage.ru_utime), system = nanoseconds(usage.ru_stime);
    long switches = usage.ru_nvcsw + usage.ru_nivcsw;
    fprintf(figures, "%lld %lld %lld %ld switches:%ld\n", wall, user, system, usage.ru_maxrss, switches);
    if (fclose(figures) != 0) return fail(arguments[1]);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
