#define _GNU_SOURCE
#include "Baton.h"
#include "CSpateObstacles.h"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

static uint64_t seed;
static uint32_t one_in;
static uint32_t longest;
static uint64_t thread_count;
static __thread uint64_t chance;

void spate_obstacles_delay_locks(uint64_t new_seed, uint32_t new_one_in, uint32_t microseconds) {
    seed = new_seed;
    longest = microseconds;
    __atomic_store_n(&one_in, new_one_in, __ATOMIC_RELEASE);
}

static void hesitate(void) {
    uint32_t rarity = __atomic_load_n(&one_in, __ATOMIC_ACQUIRE);
    if (rarity == 0) return;
    if (chance == 0) chance = seed + (__atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED) << 32);
    if (spate_draw(&chance) % rarity != 0) return;
    int saved = errno;
    usleep(spate_draw(&chance) % longest + 1);
    errno = saved;
}

typedef int (*MutexCall)(pthread_mutex_t *);

// Several threads may look one up at once, and find the same.
static MutexCall real(MutexCall *found, const char *name) {
    MutexCall call = __atomic_load_n(found, __ATOMIC_RELAXED);
    if (!call) {
        call = (MutexCall)dlsym(RTLD_NEXT, name);
        __atomic_store_n(found, call, __ATOMIC_RELAXED);
    }
    return call;
}

// The sanitizers have calls of these names of their own, and must see each.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static MutexCall found;
    if (spate_baton_applies()) return spate_baton_lock(mutex, (uintptr_t)__builtin_return_address(0));
    int result = real(&found, "pthread_mutex_lock")(mutex);
    hesitate();
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    static MutexCall found;
    int result = real(&found, "pthread_mutex_unlock")(mutex);
    if (spate_baton_applies()) spate_baton_unlocked(mutex);
    hesitate();
    return result;
}
#endif
