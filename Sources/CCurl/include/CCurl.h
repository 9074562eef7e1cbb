#ifndef SPATE_CCURL_H
#define SPATE_CCURL_H
#endif
