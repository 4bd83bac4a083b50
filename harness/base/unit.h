/*
 * The units of times and sizes: the one table of every reader, writer and setting.
 *
 * Weights and costs are kept in one unit of each quantity, its base: "ns" and "bytes". Readers
 * convert to it, writers write it, and only for people it is scaled (format/figures.h). Anything
 * else, "samples" or "instructions", is a separate quantity, and has no other unit.
 *
 * As in pprof, a KB is a KiB: 1024 bytes. Source: internal/measurement of github.com/google/pprof.
 */
#ifndef BASE_UNIT_H
#define BASE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#define UNIT_NS "ns"
#define UNIT_BYTES "bytes"

struct unit {
	const char *name; /* "ms" */
	const char *base; /* of its quantity: UNIT_NS or UNIT_BYTES */
	double scale;     /* how many of the base one is */
	bool shown;       /* people read it; the next larger one of the quantity comes later */
};

/* By quantity and size; ends with a NULL name. */
extern const struct unit units[];

/*
 * The unit of a weight as tools write it, "microseconds", "MS", "kb": in any case, with or without
 * a plural. NULL: it is no time and no size. "m" is none either: it can be minutes or metres.
 */
const struct unit *unit_find(const char *text, size_t len);

/* The unit of a setting, exactly as its name is; "m" is a minute and "h" an hour. NULL: none. */
const struct unit *unit_of_setting(const char *text, size_t len);

#endif
