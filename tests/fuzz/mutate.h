/*
 * Mutators that know a format, for libFuzzer and for driver.c: they change the content of a part
 * and keep right what holds the parts together (sizes, offsets, checksums), so that a reader gets
 * past its first checks.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Changes `size` bytes in place, up to `max_size`; returns how many there are then. Of the fuzzer.
 */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
/* The mutator of a target, called in place of the above. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* splitmix64: the same seed, the same choices. */
struct chance {
	uint64_t state;
};

static inline uint64_t
chance_next(struct chance *chance)
{
	uint64_t x = chance->state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* 0 to limit - 1; limit > 0. */
static inline size_t
chance_below(struct chance *chance, size_t limit)
{
	return (size_t)(chance_next(chance) % limit);
}

/* Makes room for, or takes away, bytes: what is at `at` moves by `by`. Returns the new size. */
static inline size_t
move_tail(uint8_t *data, size_t size, size_t at, ptrdiff_t by)
{
	memmove(data + (ptrdiff_t)at + by, data + at, size - at);
	return (size_t)((ptrdiff_t)size + by);
}

static inline uint32_t
get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline void
put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

#endif
