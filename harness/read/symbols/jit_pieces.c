/*
 * Cuts ranges of code that overlap, since a just-in-time compiler puts new code over old, into
 * pieces that do not.
 */
#include "base/mem.h"
#include "symbols/symbols_internal.h"

#include <stdlib.h>

/* Entries that cover the place where the pieces are cut, the last of the file on top: a heap. */
struct layers {
	const struct symtab_entry **top;
	size_t count;
};

static void
swap(const struct symtab_entry **a, const struct symtab_entry **b)
{
	const struct symtab_entry *entry = *a;

	*a = *b;
	*b = entry;
}

static void
push(struct layers *layers, const struct symtab_entry *entry)
{
	size_t at = layers->count++;

	layers->top[at] = entry;
	for (; at > 0 && layers->top[(at - 1) / 2]->order < layers->top[at]->order;
		at = (at - 1) / 2)
		swap(&layers->top[(at - 1) / 2], &layers->top[at]);
}

static void
pop(struct layers *layers)
{
	size_t at = 0;

	layers->top[0] = layers->top[--layers->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < layers->count &&
			layers->top[child + 1]->order > layers->top[child]->order)
			child++;
		if (child >= layers->count || layers->top[child]->order <= layers->top[at]->order)
			return;
		swap(&layers->top[child], &layers->top[at]);
		at = child;
	}
}

/* Adds `start` to `end` of `entry`, to the previous piece if that is of the same entry. */
static void
add_piece(struct symtab *pieces, const struct symtab_entry *entry, uint64_t start, uint64_t end)
{
	struct symtab_entry *last = pieces->count > 0 ? &pieces->entries[pieces->count - 1] : NULL;

	if (last && last->end == start && last->name == entry->name)
		last->end = end;
	else
		symtab_add(
			pieces, start, end - start, BINDING_GLOBAL, entry->name, entry->readable);
}

void
jit_pieces_cut(struct symtab *tab)
{
	struct symtab pieces = {0};
	struct layers layers = {.top = mem_zalloc(tab->count + 1, sizeof(struct symtab_entry *))};
	uint64_t at = 0;

	symtab_index(tab);
	for (size_t i = 0; i < tab->count || layers.count > 0;) {
		if (layers.count == 0)
			at = tab->entries[i].start;
		while (i < tab->count && tab->entries[i].start == at)
			push(&layers, &tab->entries[i++]);
		while (layers.count > 0 && layers.top[0]->end <= at)
			pop(&layers);
		if (layers.count == 0)
			continue;
		uint64_t end = layers.top[0]->end;

		if (i < tab->count && tab->entries[i].start < end)
			end = tab->entries[i].start;
		add_piece(&pieces, layers.top[0], at, end);
		at = end;
	}
	free((void *)layers.top);
	free(tab->entries);
	tab->entries = pieces.entries;
	tab->count = pieces.count;
	tab->capacity = pieces.capacity;
	symtab_index(tab);
}
