/*
 * How much more a reader may do for one input: bytes to unpack, bytes of names to look at, entries
 * to walk over. A file can refer to the same bytes from every one of its entries, and a few bytes
 * can be packed megabytes: whatever can be more than the input is charged to an allowance, which is
 * a multiple of the input.
 */
#ifndef BASE_ALLOWANCE_H
#define BASE_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros allows nothing. */
struct allowance {
	uint64_t left;
};

/* `least`, and `ratio` for each of `bytes`. */
static inline struct allowance
allowance_of(uint64_t least, uint64_t bytes, uint64_t ratio)
{
	const bool fits = bytes <= (UINT64_MAX - least) / ratio;

	return (struct allowance){fits ? least + bytes * ratio : UINT64_MAX};
}

static inline void
allowance_add(struct allowance *allowance, uint64_t amount)
{
	allowance->left =
		amount > UINT64_MAX - allowance->left ? UINT64_MAX : allowance->left + amount;
}

/* Takes this much. False where it is not left: then nothing is, from now on. */
static inline bool
allowance_take(struct allowance *allowance, uint64_t amount)
{
	const bool fits = amount <= allowance->left;

	allowance->left = fits ? allowance->left - amount : 0;
	return fits;
}

static inline bool
allowance_is_used(const struct allowance *allowance)
{
	return allowance->left == 0;
}

#endif
