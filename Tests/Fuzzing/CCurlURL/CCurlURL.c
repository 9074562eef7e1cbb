#include "CCurlURL.h"
