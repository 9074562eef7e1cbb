// The settings of the heap, which Swift's module of the C library lacks.
#ifndef SPATE_CMALLOC_H
#define SPATE_CMALLOC_H

#include <malloc.h>

#endif
