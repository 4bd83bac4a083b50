#include "unwind/step_counts.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

#define FIRST_SLOTS 64

void
step_counts_init(struct step_counts *counts)
{
	*counts = (struct step_counts){.nslots = FIRST_SLOTS};
	counts->slots = mem_zalloc(counts->nslots, sizeof(*counts->slots));
}

void
step_counts_release(struct step_counts *counts)
{
	free(counts->slots);
	*counts = (struct step_counts){0};
}

/* The slot of the table, or the empty one where it belongs. */
static struct step_count *
find_slot(const struct step_counts *counts, const struct unwind_table *table)
{
	size_t at = hash_u64((uintptr_t)table) & (counts->nslots - 1);

	while (counts->slots[at].table && counts->slots[at].table != table)
		at = (at + 1) & (counts->nslots - 1);
	return &counts->slots[at];
}

static void
grow(struct step_counts *counts)
{
	struct step_count *old = counts->slots;
	size_t nold = counts->nslots;

	counts->nslots *= 2;
	counts->slots = mem_zalloc(counts->nslots, sizeof(*counts->slots));
	for (size_t i = 0; i < nold; i++)
		if (old[i].table)
			*find_slot(counts, old[i].table) = old[i];
	free(old);
}

struct step_count *
step_counts_of(struct step_counts *counts, const struct unwind_table *table)
{
	struct step_count *slot = find_slot(counts, table);

	if (slot->table)
		return slot;
	if (++counts->count * 2 > counts->nslots) {
		grow(counts);
		slot = find_slot(counts, table);
	}
	slot->table = table;
	return slot;
}

struct step_count
step_counts_get(const struct step_counts *counts, const struct unwind_table *table)
{
	return *find_slot(counts, table);
}

void
step_count_add(struct step_count *count, bool alike)
{
	count->steps++;
	count->alike += alike;
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
