#define _GNU_SOURCE
#include "CSpateObstacles.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

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
