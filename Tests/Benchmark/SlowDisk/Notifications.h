// The calls that write, held back by the kernel until they are answered.
#ifndef SPATE_SLOWDISK_NOTIFICATIONS_H
#define SPATE_SLOWDISK_NOTIFICATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// A call that a thread of the program waits in.
struct HeldCall {
    uint64_t id;
    /// What it writes into a regular file; 0 where that is nothing to a disk.
    uint64_t bytes;
};

/// Becomes a process whose writing calls are held, and its children, too. Returns the descriptor that tells of them, or
/// -1 where this system does not allow it.
int hold_writing_calls(void);

/// Takes the next held call; false where there is none after all, for its thread has ended.
bool take_held_call(int listener, struct HeldCall *call);

/// Lets a call go on.
void release_held_call(int listener, uint64_t id);

#endif
