/*
 * A fuzzer's bytes as those of a perf.data file.
 */
#ifndef FUZZ_PERFDATA_INPUT_H
#define FUZZ_PERFDATA_INPUT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * A copy; NULL where there is no memory. A mapped file starts on a page; what the fuzzer hands over
 * can start anywhere.
 */
static inline uint64_t *
aligned_copy(const uint8_t *data, size_t size)
{
	uint64_t *aligned = malloc(size + 1);

	if (aligned && size > 0)
		memcpy(aligned, data, size);
	return aligned;
}

#endif
