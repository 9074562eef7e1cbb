// The system calls that a count tells by their names.
#ifndef SPATE_CALLS_H
#define SPATE_CALLS_H

#include "FileCall.h"

/// The call of this number; NULL for one without a name here.
const struct FileCall *call_numbered(unsigned long long number);

#endif
