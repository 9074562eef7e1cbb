// A program that this is linked into counts what it, and all libraries that it uses, take from the heap.
#ifndef SPATE_CALLOCATIONCOUNT_H
#define SPATE_CALLOCATIONCOUNT_H

/// How often memory was asked for so far, by all threads; -1 where a sanitizer has taken the heap's place.
long spate_allocation_count(void);

#endif
