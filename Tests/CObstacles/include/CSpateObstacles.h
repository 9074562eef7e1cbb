// A program that this is linked into meets obstacles, and so do all libraries that it uses: threads that are held up
// between two locks, threads of which one at a time may go on, and threads that cannot be made.
#ifndef SPATE_COBSTACLES_H
#define SPATE_COBSTACLES_H

#include <stdint.h>

/// From now on, one in so many calls that lock or unlock a mutex is followed by a sleep of at most this many
/// microseconds. Each thread draws its own series of chances from the seed.
void spate_obstacles_delay_locks(uint64_t seed, uint32_t one_in, uint32_t microseconds);

/// From now on no thread can be made, or can again, except by Dispatch: that waits until there is one.
void spate_obstacles_refuse_threads(int refuses);

// A baton, which one thread has, and goes on. It is passed at the locks that this program or Foundation takes.

/// What the thread that has the baton calls.
struct spate_baton {
    /// Another may go on first. Returns when this thread has the baton again.
    void (*_Nonnull pass)(void);
    /// As `pass`. The thread needs this mutex, which another has.
    void (*_Nonnull wait)(void *_Nonnull mutex);
    /// A mutex for which some thread waits is free.
    void (*_Nonnull released)(void *_Nonnull mutex);
};

/// The calling thread goes on only with the baton, as long as it lives, and never blocks on a mutex.
void spate_baton_join(void);

/// From now on the baton is passed at one in so many locks. The seed says at which.
void spate_baton_begin(const struct spate_baton *_Nonnull baton, uint64_t seed, uint32_t one_in);

/// From now on the baton is not passed any more.
void spate_baton_end(void);

/// A place where the baton is passed as often as at a lock.
void spate_baton_point(void);

#endif
