// A program that this is linked into meets obstacles, and so do all libraries that it uses: threads that are held up
// between two locks, and threads that cannot be made.
#ifndef SPATE_COBSTACLES_H
#define SPATE_COBSTACLES_H

#include <stdint.h>

/// From now on, one in so many calls that lock or unlock a mutex is followed by a sleep of at most this many
/// microseconds. Each thread draws its own series of chances from the seed.
void spate_obstacles_delay_locks(uint64_t seed, uint32_t one_in, uint32_t microseconds);

/// From now on no thread can be made, or can again, except by Dispatch: that waits until there is one.
void spate_obstacles_refuse_threads(int refuses);

#endif
