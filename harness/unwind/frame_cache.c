#include "unwind/frame_cache.h"

#include "base/mem.h"

#include <stdlib.h>

void
frame_cache_init(struct frame_cache *cache)
{
	cache->frames = mem_zalloc((size_t)1 << FRAME_CACHE_BITS, sizeof(*cache->frames));
}

void
frame_cache_release(struct frame_cache *cache)
{
	free(cache->frames);
	*cache = (struct frame_cache){0};
}

void
frame_cache_fill(struct cached_frame *frame, struct unwind_table *table, uint64_t file_offset)
{
	struct unwind_found found;

	*frame = (struct cached_frame){.file_offset = file_offset, .table = table};
	if (!unwind_table_find(table, file_offset, &found))
		return;
	frame->saves = found.saves;
	frame->cfa_value = found.row->cfa_value;
	frame->cfa_kind = found.row->cfa_kind;
	frame->cfa_reg = found.row->cfa_reg;
	frame->return_column = found.row->return_column;
	frame->signal = found.row->signal;
}
