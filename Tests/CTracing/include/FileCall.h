// A system call, and which file it is about.
#ifndef SPATE_FILECALL_H
#define SPATE_FILECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/types.h>

/// How a call names the file it is about.
enum FileArgument {
    /// It is about none.
    FILE_NONE,
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
