/*
 * Whether frame pointers would have sufficed: compares steps by rows with those by the frame
 * pointer, and counts both for each table of rows.
 */
#include "base/mem.h"
#include "unwind/unwind_internal.h"

#include <stdlib.h>

void
step_counts_release(struct step_counts *counts)
{
	key_map_release(&counts->by_table);
	free(counts->counts);
	*counts = (struct step_counts){0};
}

struct step_count *
step_counts_of(struct step_counts *counts, const struct unwind_table *table)
{
	uint32_t number = key_map_add(&counts->by_table, (uintptr_t)table);

	counts->counts = mem_grow(
		counts->counts, &counts->capacity, counts->by_table.count, sizeof(*counts->counts));
	return &counts->counts[number];
}

struct step_count
step_counts_get(const struct step_counts *counts, const struct unwind_table *table)
{
	uint32_t number = key_map_find(&counts->by_table, (uintptr_t)table);

	return number != KEY_MAP_NONE ? counts->counts[number] : (struct step_count){0};
}

bool
step_is_alike(const struct unwind_machine *machine, struct stack_copy copy,
	const struct unwind_regs *to, uint64_t fp, uint64_t cfa)
{
	uint64_t known_fp = UINT64_C(1) << machine->fp & to->known;
	uint64_t next_fp;
	uint64_t pc;

	if (fp % sizeof(fp) != 0 || !stack_copy_word(&copy, fp, &next_fp) ||
		!stack_copy_word(&copy, fp + sizeof(fp), &pc))
		return false;
	if ((pc & machine->address_mask) != to->pc ||
		(known_fp && to->values[machine->fp] != next_fp))
		return false;
	/* Where there is a link register the pair lies at the frame's lower end. */
	return machine->has_link_register || fp + 2 * sizeof(fp) == cfa;
}
