#include "elf/symtab.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/demangle.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096

/*
 * Names as people read them have some times the bytes of those in the file; ten letters can stand
 * for 64 KiB.
 */
#define NAMES_BYTES_MIN ((uint64_t)4 << 20)
#define NAMES_RATIO 16

void
symtab_release(struct symtab *tab)
{
	arena_release(&tab->arena);
	free(tab->entries);
	free(tab->pieces);
	*tab = (struct symtab){0};
}

void
symtab_reserve(struct symtab *tab, size_t count)
{
	if (count <= tab->capacity - tab->count)
		return;
	tab->capacity = tab->count + count;
	tab->entries = mem_resize(tab->entries, tab->capacity * sizeof(*tab->entries));
}

struct symtab_entry *
symtab_add(struct symtab *tab, uint64_t start, uint64_t size, enum symbol_binding binding,
	const char *name, bool readable)
{
	tab->entries =
		mem_grow(tab->entries, &tab->capacity, tab->count + 1, sizeof(*tab->entries));

	struct symtab_entry *entry = &tab->entries[tab->count];

	*entry = (struct symtab_entry){
		.start = start,
		.end = start + size < start ? UINT64_MAX : start + size,
		.name = name,
		.order = (uint32_t)tab->count++,
		.binding = (uint8_t)binding,
		.readable = readable,
	};
	return entry;
}

void
symtab_allow_names(struct symtab *tab, uint64_t bytes)
{
	struct allowance more = allowance_of(NAMES_BYTES_MIN, bytes, NAMES_RATIO);

	allowance_add(&tab->names, more.left);
}

const char *
symtab_name(struct symtab *tab, struct symtab_entry *entry)
{
	if (!entry->readable) {
		char *text = demangle_within(entry->name, &tab->names);

		if (text && allowance_take(&tab->names, strlen(text)))
			entry->name = arena_strdup(&tab->arena, text);
		free(text);
		entry->readable = true;
	}
	return entry->name;
}

/* How many entries from the first on are in order: all of the kernel's, most in symtab_index(). */
static size_t
count_ordered(const struct symtab *tab)
{
	size_t ordered = tab->count > 0;

	while (ordered < tab->count &&
		tab->entries[ordered - 1].start <= tab->entries[ordered].start)
		ordered++;
	return ordered;
}

/* Puts entry keys[i].at at place i, following each cycle of the permutation once. */
static void
rearrange(struct symtab_entry *entries, struct sort_key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct symtab_entry first = entries[i];
		size_t at = i;

		while (keys[at].at != i) {
			size_t from = keys[at].at;

			entries[at] = entries[from];
			keys[at].at = (uint32_t)at;
			at = from;
		}
		entries[at] = first;
		keys[at].at = (uint32_t)at;
	}
}

static void
sort_entries(struct symtab_entry *entries, size_t count)
{
	struct sort_key *keys = mem_resize(NULL, count * sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){entries[i].start, (uint32_t)i};
	sort_keys(keys, count);
	rearrange(entries, keys, count);
	free(keys);
}

/* Merges two ordered runs, the second of which is the smaller one. */
static void
merge(struct symtab_entry *entries, size_t first, size_t second)
{
	struct symtab_entry *behind = mem_resize(NULL, second * sizeof(*behind));

	memcpy(behind, entries + first, second * sizeof(*behind));
	while (second > 0) {
		if (first > 0 && entries[first - 1].start > behind[second - 1].start) {
			entries[first + second - 1] = entries[first - 1];
			first--;
		} else {
			entries[first + second - 1] = behind[second - 1];
			second--;
		}
	}
	free(behind);
}

static void
sort(struct symtab *tab)
{
	size_t ordered = count_ordered(tab);

	if (ordered == tab->count)
		return;
	if (ordered < tab->count / 2)
		ordered = 0;
	sort_entries(tab->entries + ordered, tab->count - ordered);
	if (ordered > 0)
		merge(tab->entries, ordered, tab->count - ordered);
}

/* The last address that an entry is found for. */
static uint64_t
last_address(const struct symtab_entry *entry)
{
	return entry->end > entry->start ? entry->end - 1 : entry->start;
}

static void
put_piece(struct symtab *tab, uint64_t start, uint32_t entry)
{
	if (tab->npieces > 0 && tab->pieces[tab->npieces - 1].start == start)
		tab->npieces--;
	tab->pieces[tab->npieces++] = (struct symtab_piece){start, entry};
}

/* Ends the open entries whose last address is before `until`, the innermost first. */
static uint32_t
end_entries(struct symtab *tab, const uint32_t *open, uint32_t nopen, uint64_t until)
{
	while (nopen > 0 && last_address(&tab->entries[open[nopen - 1] - 1]) < until) {
		const uint64_t last = last_address(&tab->entries[open[nopen - 1] - 1]);

		while (nopen > 0 && last_address(&tab->entries[open[nopen - 1] - 1]) <= last)
			nopen--;
		put_piece(tab, last + 1, nopen > 0 ? open[nopen - 1] : 0);
	}
	return nopen;
}

/*
 * Symbols can be within symbols, any number deep: each address is given to the innermost one, that
 * with the last start, once for all look-ups.
 */
static void
cut_pieces(struct symtab *tab)
{
	uint32_t *open = mem_resize(NULL, (tab->count + 1) * sizeof(*open));
	uint32_t nopen = 0;

	tab->pieces = mem_resize(tab->pieces, (2 * tab->count + 1) * sizeof(*tab->pieces));
	tab->npieces = 0;
	for (size_t i = 0; i < tab->count; i++) {
		nopen = end_entries(tab, open, nopen, tab->entries[i].start);
		open[nopen++] = (uint32_t)i + 1;
		put_piece(tab, tab->entries[i].start, (uint32_t)i + 1);
	}
	end_entries(tab, open, nopen, UINT64_MAX);
	free(open);
	tab->pieces = mem_resize(tab->pieces, (tab->npieces + 1) * sizeof(*tab->pieces));
}

void
symtab_index(struct symtab *tab)
{
	sort(tab);
	cut_pieces(tab);
}

static uint64_t
page_after(uint64_t address)
{
	if (address > UINT64_MAX - UINT64_C(2) * PAGE_BYTES)
		return UINT64_MAX;
	return (address + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES;
}

static bool
same_module(const struct symtab_entry *a, const struct symtab_entry *b)
{
	if (!a->module || !b->module)
		return a->module == b->module;
	return strcmp(a->module, b->module) == 0;
}

/* Assembler code has symbols without a size: they end where the next one starts. */
static void
extend_sizes(struct symtab *tab, bool kernel)
{
	if (tab->count == 0)
		return;
	for (size_t i = 0; i + 1 < tab->count; i++) {
		struct symtab_entry *entry = &tab->entries[i];

		if (entry->end != entry->start)
			continue;
		if (kernel && !same_module(entry, entry + 1))
			entry->end = page_after(entry->end);
		else
			entry->end = entry[1].start;
	}

	struct symtab_entry *last = &tab->entries[tab->count - 1];

	if (last->end == last->start)
		last->end = page_after(last->start);
}

static size_t
leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Which of two names for one address is shown. */
static bool
is_better(struct symtab *tab, struct symtab_entry *a, struct symtab_entry *b)
{
	bool a_empty = a->end == a->start;
	bool b_empty = b->end == b->start;

	if (a_empty != b_empty)
		return b_empty;
	if ((a->binding == BINDING_WEAK) != (b->binding == BINDING_WEAK))
		return b->binding == BINDING_WEAK;
	if ((a->binding == BINDING_GLOBAL) != (b->binding == BINDING_GLOBAL))
		return a->binding == BINDING_GLOBAL;

	/* .symtab and .dynsym have most of a program's exported names both: no need to read them.
	 */
	if (a->readable == b->readable && strcmp(a->name, b->name) == 0)
		return true;

	const char *a_name = symtab_name(tab, a);
	const char *b_name = symtab_name(tab, b);
	size_t a_underscores = leading_underscores(a_name);
	size_t b_underscores = leading_underscores(b_name);

	if (a_underscores != b_underscores)
		return a_underscores < b_underscores;
	if (strlen(a_name) != strlen(b_name))
		return strlen(a_name) > strlen(b_name);
	/* Old kernels list each system call twice. */
	return strncmp(a_name, "SyS", 3) != 0 && strncmp(a_name, "compat_SyS", 10) != 0;
}

void
symtab_finish(struct symtab *tab, bool kernel)
{
	size_t kept = 0;

	sort(tab);
	extend_sizes(tab, kernel);
	for (size_t i = 0; i < tab->count; i++) {
		struct symtab_entry *entry = &tab->entries[i];

		if (kept > 0 && tab->entries[kept - 1].start == entry->start) {
			if (!is_better(tab, &tab->entries[kept - 1], entry))
				tab->entries[kept - 1] = *entry;
		} else {
			tab->entries[kept++] = *entry;
		}
	}
	tab->count = kept;
	cut_pieces(tab);
}

struct symtab_entry *
symtab_find(const struct symtab *tab, uint64_t address)
{
	size_t until = search_until(
		tab->pieces, tab->npieces, SEARCH_BY(struct symtab_piece, start), address);
	uint32_t entry = until > 0 ? tab->pieces[until - 1].entry : 0;

	return entry > 0 ? &tab->entries[entry - 1] : NULL;
}
