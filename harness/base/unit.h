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

/*
 * Numbers as decimal text, byte for byte what printf writes, several times as fast: a picture holds
 * a hundred thousand of them.
 */

/* Holds any double with NUMBER_DECIMALS_MAX decimals, and a terminator. */
#define NUMBER_BYTES 336
#define NUMBER_DECIMALS_MAX 9
#define NUMBER_DIGITS_MAX 9

/* As "%.*f"; at most NUMBER_DECIMALS_MAX decimals. Returns the length of the text. */
size_t number_fixed(char text[NUMBER_BYTES], double value, unsigned decimals);
/* As "%.*g"; 1 to NUMBER_DIGITS_MAX digits. Returns the length of the text. */
size_t number_short(char text[NUMBER_BYTES], double value, unsigned digits);

#endif
