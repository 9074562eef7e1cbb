#define _GNU_SOURCE
#include "CObstacles.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

// MARK: Locks

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

// SplitMix64.
static uint64_t draw(void) {
    uint64_t mixed = (chance += 0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

static void hesitate(void) {
    uint32_t rarity = __atomic_load_n(&one_in, __ATOMIC_ACQUIRE);
    if (rarity == 0) return;
    if (chance == 0) chance = seed + (__atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED) << 32);
    if (draw() % rarity != 0) return;
    int saved = errno;
    usleep(draw() % longest + 1);
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
    int result = real(&found, "pthread_mutex_lock")(mutex);
    hesitate();
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    static MutexCall found;
    int result = real(&found, "pthread_mutex_unlock")(mutex);
    hesitate();
    return result;
}
#endif

// MARK: Threads

static int refuses_threads;

void spate_obstacles_refuse_threads(int refuses) {
    __atomic_store_n(&refuses_threads, refuses, __ATOMIC_RELAXED);
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static int (*found)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!found) found = dlsym(RTLD_NEXT, "pthread_create");
    Dl_info caller;
    if (__atomic_load_n(&refuses_threads, __ATOMIC_RELAXED)
        && dladdr(__builtin_return_address(0), &caller) && !strstr(caller.dli_fname, "libdispatch")) {
        return EAGAIN;
    }
    return found(thread, attributes, body, argument);
}
#endif
