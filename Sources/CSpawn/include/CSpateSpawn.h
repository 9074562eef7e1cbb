// Starts programs that inherit nothing. Swift's module of the C library lacks the GNU calls for that.
#ifndef SPATE_CSPAWN_H
#define SPATE_CSPAWN_H

#include <sys/types.h>

/// A started program, and this process's ends of the pipes that are its standard streams. They do not block.
struct spate_child {
    pid_t pid;
    int input;
    /// -1 if its standard output goes the way of its standard error.
    int output;
    int errors;
};

/// See posix_spawn(3). The program leads a session of its own, so it has no terminal. Its signals are at their defaults,
/// and it has no descriptors but the pipes. It keeps the environment and the current folder.
///
/// Descriptors 0 to 2 must be open in this process.
///
/// - Parameters:
///   - name: its first argument, and the only one.
///   - has_output: whether its standard output has a pipe of its own.
/// - Returns: 0, or the error number.
int spate_spawn(const char *path, const char *name, int has_output, struct spate_child *child);

#endif
