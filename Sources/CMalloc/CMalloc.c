#include "CSpateMalloc.h"
