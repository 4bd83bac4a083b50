#include "base/mem.h"
#include "unwind/unwinder_internal.h"

#include <stdlib.h>

void
frame_cache_init(struct frame_cache *cache)
{
	cache->frames = mem_zalloc((size_t)1 << FRAME_CACHE_BITS, sizeof(*cache->frames));
	cache->leaves = mem_zalloc((size_t)1 << FRAME_CACHE_LEAF_BITS, sizeof(*cache->leaves));
}

void
frame_cache_release(struct frame_cache *cache)
{
	free(cache->frames);
	free(cache->leaves);
	*cache = (struct frame_cache){0};
}

static struct cached_frame
frame_of(struct unwind_table *table, uint64_t file_offset, const struct unwind_found *found)
{
	return (struct cached_frame){
		.file_offset = file_offset,
		.table = table,
		.saves = found->saves,
		.cfa_value = found->row->cfa_value,
		.cfa_kind = found->row->cfa_kind,
		.cfa_reg = found->row->cfa_reg,
		.return_column = found->row->return_column,
		.signal = found->row->signal,
	};
}

void
frame_cache_fill(struct cached_frame *frame, struct unwind_table *table, uint64_t file_offset)
{
	struct unwind_found found;

	if (unwind_table_find(table, file_offset, &found))
		*frame = frame_of(table, file_offset, &found);
	else
		*frame = (struct cached_frame){.file_offset = file_offset, .table = table};
}

void
frame_cache_fill_leaf(struct cached_leaf *leaf, struct unwind_table *table, uint64_t file_offset)
{
	struct unwind_found found;

	if (unwind_table_find(table, file_offset, &found)) {
		leaf->frame = frame_of(table, found.first, &found);
		leaf->end = found.end;
	} else {
		leaf->frame = (struct cached_frame){.file_offset = file_offset, .table = table};
		leaf->end = file_offset + 1;
	}
}

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
