#define _GNU_SOURCE
#include "CBaton.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct spate_runner {
    sem_t turn;
    sem_t stopped;
    enum spate_stop stop;
    void (*work)(void *);
    void *context;
    int has_thread;
    pthread_t thread;
};

static __thread struct spate_runner *self;
/// Whether this thread is in here, so that locks are nothing but locks.
static __thread int is_inside;

static uint64_t chance;
static uint32_t one_in;

void spate_baton_set(uint64_t seed, uint32_t new_one_in) {
    chance = seed;
    one_in = new_one_in;
}

// SplitMix64.
static uint64_t draw(void) {
    uint64_t mixed = (chance += 0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

static void await(sem_t *semaphore) {
    while (sem_wait(semaphore) != 0) {}
}

static void stop(enum spate_stop how) {
    int saved = errno;
    self->stop = how;
    sem_post(&self->stopped);
    await(&self->turn);
    errno = saved;
}

static enum spate_stop run(struct spate_runner *runner) {
    sem_post(&runner->turn);
    await(&runner->stopped);
    return runner->stop;
}

void spate_runner_serve(struct spate_runner *runner) {
    self = runner;
    is_inside = 1;
    await(&runner->turn);
    while (runner->work) {
        is_inside = 0;
        runner->work(runner->context);
        is_inside = 1;
        stop(SPATE_STOP_DONE);
    }
    self = NULL;
    is_inside = 0;
}

static void *serve(void *runner) {
    spate_runner_serve(runner);
    return NULL;
}

struct spate_runner *spate_runner_create(int with_thread) {
    struct spate_runner *runner = calloc(1, sizeof *runner);
    if (!runner) abort();
    sem_init(&runner->turn, 0, 0);
    sem_init(&runner->stopped, 0, 0);
    runner->has_thread = with_thread;
    if (with_thread && pthread_create(&runner->thread, NULL, serve, runner) != 0) abort();
    return runner;
}

enum spate_stop spate_runner_begin(struct spate_runner *runner, void (*work)(void *), void *context) {
    runner->work = work;
    runner->context = context;
    return run(runner);
}

enum spate_stop spate_runner_resume(struct spate_runner *runner) { return run(runner); }

void spate_runner_destroy(struct spate_runner *runner) {
    runner->work = NULL;
    sem_post(&runner->turn);
    if (!runner->has_thread) return;
    pthread_join(runner->thread, NULL);
    free(runner);
}

void spate_baton_point(void) {
    if (!self || is_inside || one_in == 0 || draw() % one_in != 0) return;
    is_inside = 1;
    stop(SPATE_STOP_PAUSED);
    is_inside = 0;
}

typedef int (*MutexCall)(pthread_mutex_t *);

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
    static MutexCall found_lock, found_try;
    if (!self || is_inside) return real(&found_lock, "pthread_mutex_lock")(mutex);
    spate_baton_point();
    while (1) {
        int result = real(&found_try, "pthread_mutex_trylock")(mutex);
        if (result != EBUSY) return result;
        is_inside = 1;
        stop(SPATE_STOP_BLOCKED);
        is_inside = 0;
    }
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    static MutexCall found;
    int result = real(&found, "pthread_mutex_unlock")(mutex);
    spate_baton_point();
    return result;
}
#endif
