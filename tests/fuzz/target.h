/*
 * A fuzz target as driver.c runs it. tests/tests.mk makes the list from the files, and gives the
 * functions that libFuzzer calls a name for each target.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
	const char *name; /* of fuzz_NAME.c and of its corpus; NULL ends the list */
	int (*run)(const uint8_t *data, size_t size);
	/* NULL where it has none; see mutate.h */
	size_t (*mutate)(uint8_t *data, size_t size, size_t max_size, unsigned seed);
};

extern const struct fuzz_target fuzz_targets[];

#endif
