// A program whose system calls are told to the one that started it.
#ifndef SPATE_TRACEDPROGRAM_H
#define SPATE_TRACEDPROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#include "FileCall.h"

/// Starts a program that stops at each of these calls before it is done, in all threads and processes that come of it;
/// at every call where `calls` is NULL. It ends with this process. -1 with errno, and `step` says what failed; what
/// fails in the new process ends that with the status 3 before its first stop, and it says so on standard error.
pid_t traced_program_start(char **arguments, const struct FileCall *calls, size_t count, const char **step);

/// Whether a thread, of which `waitpid` said `status`, has stopped at one of the calls; `stop` then says at which.
bool traced_program_is_at_call(pid_t thread, int status, struct __ptrace_syscall_info *stop);

/// Lets a stopped thread go on. That it is gone meanwhile is none of our concern.
void traced_program_continue(pid_t thread, int status);

/// How a process ended, as a shell tells it: its status, or 128 and the number of the signal that ended it.
int traced_program_exit(int status);

#endif
