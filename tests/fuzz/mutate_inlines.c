/* The input of fuzz_inlines: sections, each with its length in four bytes ahead. */
#include "mutate_dwarf.h"

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct chance chance = {seed};
	size_t starts[64];
	size_t nsections = 0;

	for (size_t at = 0; at + 4 <= size && nsections < 64;) {
		size_t len = get_u32(data + at);

		if (len > size - at - 4)
			break;
		if (len > 0)
			starts[nsections++] = at;
		at += 4 + len;
	}
	if (nsections == 0 || max_size < size || chance_below(&chance, 16) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	size_t at = starts[chance_below(&chance, nsections)];
	size_t len = get_u32(data + at);
	size_t end = at + 4 + len;
	size_t room = max_size - size < 128 ? max_size - size : 128;

	size = move_tail(data, size, end, (ptrdiff_t)room);
	size_t now = mutate_units(data + at + 4, len, len + room, &chance);

	put_u32(data + at, (uint32_t)now);
	return move_tail(
		data, size, end + room, (ptrdiff_t)(at + 4 + now) - (ptrdiff_t)(end + room));
}
