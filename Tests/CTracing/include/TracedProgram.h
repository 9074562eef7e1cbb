// A program whose system calls are reported to the process that started it.
#ifndef SPATE_TRACEDPROGRAM_H
#define SPATE_TRACEDPROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#include "FileCall.h"

/// Starts a program that stops before each of its system calls, or before the steps alone, in all its threads and
/// processes. It ends with this process. -1 with errno, and `failed` says what failed; what fails in the new process ends
/// that with the status 3 before its first stop, with a message on standard error.
pid_t traced_program_start(char **arguments, bool steps_only, const char **failed);

/// Whether a thread, of which `waitpid` said `status`, has stopped at one of the calls; `stop` then says at which.
bool traced_program_is_at_call(pid_t thread, int status, struct __ptrace_syscall_info *stop);

/// Lets a stopped thread go on, if it is still there.
void traced_program_continue(pid_t thread, int status);

/// How a process ended, as a shell says it: its status, or 128 and the number of the signal that ended it.
int traced_program_exit(int status);

#endif
