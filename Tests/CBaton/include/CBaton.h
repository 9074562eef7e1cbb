// Threads of which one at a time has the baton. Whoever has it may have to pass it on at each lock, so that everything that
// can happen between two locks happens in some run, and the same seed makes the same happen.
#ifndef SPATE_CBATON_H
#define SPATE_CBATON_H

#include <stdint.h>

struct spate_runner;

enum spate_stop {
    /// The work is done.
    SPATE_STOP_DONE,
    /// It was stopped at some point, and goes on when it gets the baton again.
    SPATE_STOP_PAUSED,
    /// It waits for a lock that another has.
    SPATE_STOP_BLOCKED,
};

/// Makes a runner. Its thread is `pthread_create`d unless the caller's is to be it: then that calls `spate_runner_serve`.
struct spate_runner *spate_runner_create(int with_thread);

/// Does on this thread what the runner is given, until it is given nothing.
void spate_runner_serve(struct spate_runner *runner);

/// Gives a runner that has nothing to do some work, and the baton. Returns when it stops.
enum spate_stop spate_runner_begin(struct spate_runner *runner, void (*work)(void *), void *context);

/// Gives a runner that was stopped the baton again.
enum spate_stop spate_runner_resume(struct spate_runner *runner);

/// Ends a runner that has nothing to do.
void spate_runner_destroy(struct spate_runner *runner);

/// From now on a runner is stopped at one point of so many, as chance says; 0 for none.
void spate_baton_set(uint64_t seed, uint32_t one_in);

/// A point at which the baton may be passed on: each call that locks or unlocks a mutex is one, too. Does nothing on a thread
/// that is no runner.
void spate_baton_point(void);

#endif
