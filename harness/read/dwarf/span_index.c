#include "dwarf/span_index.h"

#include "base/mem.h"
#include "base/search.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void
span_list_add(struct span_list *list, uint64_t low, uint64_t high, uint32_t item)
{
	if (low >= high)
		return;
	list->spans = mem_grow(list->spans, &list->capacity, list->count + 1, sizeof(*list->spans));
	list->spans[list->count++] = (struct span){low, high, item};
}

void
span_list_release(struct span_list *list)
{
	free(list->spans);
	*list = (struct span_list){0};
}

/* Whether `one` may stand before `other`: outer ones before those they hold. */
static inline bool
in_order(const struct span *one, const struct span *other)
{
	if (one->low != other->low)
		return one->low < other->low;
	if (one->high != other->high)
		return one->high > other->high;
	return one->item <= other->item;
}

/* Where the spans from `at` on, which are in order, end. */
static size_t
run_end(const struct span *spans, size_t at, size_t count)
{
	while (at + 1 < count && in_order(&spans[at], &spans[at + 1]))
		at++;
	return at + 1 < count ? at + 1 : count;
}

/* Merges `from` [0, middle) and [middle, end), each in order, into `to`. */
static void
merge(struct span *to, const struct span *from, size_t middle, size_t end)
{
	size_t left = 0;
	size_t right = middle;

	for (size_t at = 0; at < end; at++)
		to[at] = left < middle && (right == end || in_order(&from[left], &from[right]))
				 ? from[left++]
				 : from[right++];
}

/*
 * Merges runs that are in order already, as compilers write long ones; the library's sort takes
 * four times as long.
 */
static void
sort(struct span_list *list)
{
	size_t count = list->count;
	struct span *other = NULL;
	size_t nruns = 2;

	if (run_end(list->spans, 0, count) == count)
		return;
	other = mem_zalloc(count, sizeof(*other));
	while (nruns > 1) {
		nruns = 0;
		for (size_t at = 0; at < count; nruns++) {
			size_t middle = run_end(list->spans, at, count);
			size_t end = middle < count ? run_end(list->spans, middle, count) : count;

			merge(other + at, list->spans + at, middle - at, end - at);
			at = end;
		}
		struct span *sorted = other;

		other = list->spans;
		list->spans = sorted;
	}
	list->capacity = count;
	free(other);
}

/* Segments in the making, of which there are at most two for each span. */
struct cutter {
	uint64_t *starts;
	uint32_t *items;
	size_t count;
	const struct span *spans;
	uint32_t *open; /* spans that have begun, the innermost last */
	size_t nopen;
};

static void
cut(struct cutter *cutter, uint64_t start, uint32_t item)
{
	/* A segment that begins at the same address replaces the last one. */
	if (cutter->count > 0 && cutter->starts[cutter->count - 1] == start)
		cutter->count--;
	if (cutter->count > 0 && cutter->items[cutter->count - 1] == item)
		return;
	cutter->starts[cutter->count] = start;
	cutter->items[cutter->count++] = item;
}

/* Ends the spans that end at or before `limit`. */
static void
close_until(struct cutter *cutter, uint64_t limit)
{
	while (cutter->nopen > 0) {
		uint64_t end = cutter->spans[cutter->open[cutter->nopen - 1]].high;

		if (end > limit)
			return;
		/* Spans that overlap without being nested may have ended unseen below this one. */
		while (cutter->nopen > 0 &&
			cutter->spans[cutter->open[cutter->nopen - 1]].high <= end)
			cutter->nopen--;
		cut(cutter, end,
			cutter->nopen > 0 ? cutter->spans[cutter->open[cutter->nopen - 1]].item
					  : SPAN_NONE);
	}
}

void
span_index_build(struct span_index *index, struct span_list *list, struct arena *arena)
{
	struct cutter cutter = {0};

	*index = (struct span_index){0};
	if (list->count == 0)
		return;
	sort(list);
	cutter.spans = list->spans;
	cutter.starts = mem_zalloc(2 * list->count, sizeof(*cutter.starts));
	cutter.items = mem_zalloc(2 * list->count, sizeof(*cutter.items));
	cutter.open = mem_zalloc(list->count, sizeof(*cutter.open));
	for (size_t i = 0; i < list->count; i++) {
		close_until(&cutter, list->spans[i].low);
		cut(&cutter, list->spans[i].low, list->spans[i].item);
		cutter.open[cutter.nopen++] = (uint32_t)i;
	}
	close_until(&cutter, UINT64_MAX);
	index->count = cutter.count;
	index->starts = arena_alloc(arena, cutter.count * sizeof(*index->starts));
	memcpy(index->starts, cutter.starts, cutter.count * sizeof(*index->starts));
	index->items = arena_alloc(arena, cutter.count * sizeof(*index->items));
	memcpy(index->items, cutter.items, cutter.count * sizeof(*index->items));
	free(cutter.starts);
	free(cutter.items);
	free(cutter.open);
}

uint32_t
span_index_find(const struct span_index *index, uint64_t address)
{
	size_t until =
		search_until(index->starts, index->count, SEARCH_BY_VALUE(uint64_t), address);

	return until > 0 ? index->items[until - 1] : SPAN_NONE;
}

uint64_t
span_index_start(const struct span_index *index, uint64_t address)
{
	const size_t until =
		search_until(index->starts, index->count, SEARCH_BY_VALUE(uint64_t), address);

	return until > 0 ? index->starts[until - 1] : address;
}
