#include "CSpateCurlURL.h"
