/*
 * The cache of the rows of code that an unwinder has looked up: what is done where the inline
 * functions in unwind_internal.h find no row.
 */
#include "base/mem.h"
#include "unwind/unwind_internal.h"

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
