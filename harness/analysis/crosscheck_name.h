/*
 * The name by which profiles of several tools have a function in common.
 */
#ifndef ANALYSIS_CROSSCHECK_NAME_H
#define ANALYSIS_CROSSCHECK_NAME_H

#include <stddef.h>

/*
 * A C library has variants of its functions for kinds of processors, and one is chosen when the
 * program starts: "__memmove_avx512_unaligned_erms" and "__memcpy_avx2", an alias of a variant, are
 * "memmove". If `name` is that of a variant, the common name is written to `common`, terminated,
 * and its length is returned; else 0.
 */
size_t crosscheck_common_name(const char *name, char *common, size_t size);

/* The length of an event's name without how precise its addresses are: perf's ":ppp" or ":P". */
size_t crosscheck_event_len(const char *event);

#endif
