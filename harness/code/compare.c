#include "code/compare.h"

#include "base/mem.h"

#include <stdlib.h>

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a;
	uint64_t other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* In ascending order; free() them. */
static uint64_t *
hashes_of(struct code_inventory *inventory, struct code_function *functions, size_t count)
{
	uint64_t *hashes = mem_zalloc(count, sizeof(*hashes));

	for (size_t i = 0; i < count; i++)
		hashes[i] = code_inventory_hash(inventory, &functions[i]);
	qsort(hashes, count, sizeof(*hashes), compare_hashes);
	return hashes;
}

enum code_change
code_compare(struct code_inventory *before, struct code_inventory *after, const char *name)
{
	size_t nbefore;
	size_t nafter;
	struct code_function *old = code_inventory_find(before, name, &nbefore);
	struct code_function *new = code_inventory_find(after, name, &nafter);
	enum code_change change = CODE_CHANGE_NONE;
	uint64_t *old_hashes;
	uint64_t *new_hashes;

	if (!old && !new)
		return CODE_CHANGE_UNKNOWN;
	if (!old)
		return before->image.complete ? CODE_CHANGE_ADDED : CODE_CHANGE_UNKNOWN;
	if (!new)
		return after->image.complete ? CODE_CHANGE_REMOVED : CODE_CHANGE_UNKNOWN;
	if (nbefore != nafter)
		return CODE_CHANGE_DIFFERS;
	old_hashes = hashes_of(before, old, nbefore);
	new_hashes = hashes_of(after, new, nafter);
	for (size_t i = 0; i < nbefore; i++)
		if (old_hashes[i] != new_hashes[i])
			change = CODE_CHANGE_DIFFERS;
	free(old_hashes);
	free(new_hashes);
	return change;
}
