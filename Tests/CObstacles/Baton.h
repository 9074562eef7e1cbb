// What a lock does in a thread that goes on only with the baton.
#ifndef SPATE_BATON_H
#define SPATE_BATON_H

#include <pthread.h>
#include <stdint.h>

/// Whether the thread is one of those, and not about to pass the baton.
int spate_baton_applies(void);

/// Locks a mutex, for a caller at this address of the code.
int spate_baton_lock(pthread_mutex_t *mutex, uintptr_t caller);

/// The thread has unlocked this mutex.
void spate_baton_unlocked(pthread_mutex_t *mutex);

/// The next of a series of random numbers (SplitMix64).
static inline uint64_t spate_draw(uint64_t *chance) {
    uint64_t mixed = (*chance += 0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

#endif
