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
    /// The third argument is an open file, which gets bytes of the first.
    FILE_COPY,
    /// The first argument is a path.
    FILE_PATH,
    /// The first argument is an open folder and the second a path in it.
    FILE_IN_FOLDER,
    /// The third argument is an open folder and the fourth a path in it.
    FILE_NEW_IN_FOLDER,
    /// The second argument is a path: the first is a symbolic link's text.
    FILE_LINK,
};

struct FileCall {
    long number;
    const char *name;
    enum FileArgument argument;
    /// Whether it changes what is on disk, or opens, locks or reads it. Between two steps all moments of a kill are alike.
    bool is_step;
};

/// The calls that are known by name.
extern const size_t file_call_count;
const struct FileCall *file_call(size_t index);

/// The call of this number; NULL for one without a name here.
const struct FileCall *file_call_numbered(unsigned long long number);

/// The name, within `folder`, of the file that a stopped thread's call is about; false where that lies elsewhere. A file
/// that has no name yet is called `unnamed`.
bool file_call_name(
    const struct FileCall *call,
    const struct __ptrace_syscall_info *stop,
    pid_t thread,
    const char *folder,
    char *name,
    size_t size
);

#endif
