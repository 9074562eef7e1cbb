// The system calls that change what is on disk, or open, lock or read it. Other looks at a file are left out: to be
// killed before one is to be killed before the next change, and between two changes all moments are alike.
#ifndef SPATE_FILECALLS_H
#define SPATE_FILECALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/types.h>

/// How a call names the file it is about.
enum FileArgument {
    /// The first argument is an open file.
    FILE_DESCRIPTOR,
    /// The first argument is a path.
    FILE_PATH,
    /// The first argument is an open folder and the second a path in it.
    FILE_IN_FOLDER,
    /// The second argument is a path, as a link's text is the first.
    FILE_LINK,
};

struct FileCall {
    long number;
    const char *name;
    enum FileArgument argument;
};

extern const struct FileCall file_calls[];
extern const size_t file_call_count;

/// The call of this number; NULL where it is none of them.
const struct FileCall *file_call_numbered(unsigned long long number);

/// Has every file call of this thread, and of all that it starts, told to its tracer. 0, or -1 with errno.
int file_calls_trace(void);

/// The name, within `folder`, of the file that a stopped thread's call is about; false where that lies elsewhere.
bool file_call_name(
    const struct FileCall *call,
    const struct __ptrace_syscall_info *stop,
    pid_t thread,
    const char *folder,
    char *name,
    size_t size
);

#endif
