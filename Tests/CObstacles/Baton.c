#define _GNU_SOURCE
#include "Baton.h"
#include "CSpateObstacles.h"

#include <errno.h>
#include <link.h>
#include <string.h>

// Only the thread that has the baton uses these.
static struct spate_baton baton;
static uint64_t chance;
static uint32_t one_in;
static uint32_t waiting_count;

static __thread int needs_baton;
/// The thread is deciding who goes on. The locks of that are no places to pass it.
static __thread int is_deciding;

int spate_baton_applies(void) {
    return needs_baton && !is_deciding;
}

// MARK: Where it is passed

/// The code whose locks are places to pass it: this program's, and Foundation's. Those of the runtime protect what it has
/// made once, which differs between the first world of a process and those after it.
static struct { uintptr_t start, end; } code[2];

static int find_code(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    int index = !info->dlpi_name[0] ? 0 : strstr(info->dlpi_name, "/libFoundation.so") ? 1 : -1;
    for (int i = 0; index >= 0 && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        code[index].start = info->dlpi_addr + header->p_vaddr;
        code[index].end = code[index].start + header->p_memsz;
    }
    return 0;
}

void spate_baton_join(void) {
    needs_baton = 1;
}

void spate_baton_begin(const struct spate_baton *new_baton, uint64_t seed, uint32_t new_one_in) {
    if (!code[0].end) dl_iterate_phdr(find_code, NULL);
    baton = *new_baton;
    chance = seed;
    one_in = new_one_in;
}

void spate_baton_end(void) {
    one_in = 0;
}

void spate_baton_point(void) {
    if (!spate_baton_applies() || one_in == 0 || spate_draw(&chance) % one_in != 0) return;
    int saved = errno;
    is_deciding = 1;
    baton.pass();
    is_deciding = 0;
    errno = saved;
}

// MARK: Locks

int spate_baton_lock(pthread_mutex_t *mutex, uintptr_t caller) {
    for (int i = 0; i < 2; i++) {
        if (caller >= code[i].start && caller < code[i].end) spate_baton_point();
    }
    int result;
    while ((result = pthread_mutex_trylock(mutex)) == EBUSY) {
        int saved = errno;
        waiting_count++;
        is_deciding = 1;
        baton.wait(mutex);
        is_deciding = 0;
        waiting_count--;
        errno = saved;
    }
    return result;
}

void spate_baton_unlocked(pthread_mutex_t *mutex) {
    if (waiting_count == 0) return;
    is_deciding = 1;
    baton.released(mutex);
    is_deciding = 0;
}
