// The system calls that change what is on disk, or open, lock or read it. Other looks at a file are left out: to be
// killed before one is to be killed before the next change, and between two changes all moments are alike.
#ifndef SPATE_FILECALLS_H
#define SPATE_FILECALLS_H

#include "FileCall.h"

extern const struct FileCall file_calls[];
extern const size_t file_call_count;

/// The call of this number; NULL where it is none of them.
const struct FileCall *file_call_numbered(unsigned long long number);

#endif
