#include "elf/symtab.h"

#include "base/mem.h"
#include "base/search.h"
#include "elf/demangle.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096

void
symtab_init(struct symtab *tab)
{
	*tab = (struct symtab){0};
	arena_init(&tab->arena);
}

void
symtab_release(struct symtab *tab)
{
	arena_release(&tab->arena);
	free(tab->entries);
	free(tab->reach);
	*tab = (struct symtab){0};
}

struct symtab_entry *
symtab_add(struct symtab *tab, uint64_t start, uint64_t size, enum symbol_binding binding,
	const char *name, bool readable)
{
	if (tab->count == tab->capacity)
		tab->entries = mem_grow(
			tab->entries, &tab->capacity, tab->count + 1, sizeof(*tab->entries));

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

const char *
symtab_name(struct symtab *tab, struct symtab_entry *entry)
{
	if (!entry->readable) {
		char *text = demangle(entry->name);

		if (text)
			entry->name = arena_strdup(&tab->arena, text);
		free(text);
		entry->readable = true;
	}
	return entry->name;
}

static int
compare_start(const void *a, const void *b)
{
	const struct symtab_entry *one = a;
	const struct symtab_entry *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return (one->order > other->order) - (one->order < other->order);
}

/* The kernel's table and most that are sorted again are in order already. */
static bool
in_order(const struct symtab *tab)
{
	for (size_t i = 1; i < tab->count; i++)
		if (compare_start(&tab->entries[i - 1], &tab->entries[i]) > 0)
			return false;
	return true;
}

void
symtab_index(struct symtab *tab)
{
	uint64_t reach = 0;

	if (!in_order(tab))
		qsort(tab->entries, tab->count, sizeof(*tab->entries), compare_start);
	free(tab->reach);
	tab->reach = mem_zalloc(tab->count + 1, sizeof(*tab->reach));
	for (size_t i = 0; i < tab->count; i++) {
		if (tab->entries[i].end > reach)
			reach = tab->entries[i].end;
		tab->reach[i] = reach;
	}
}

static uint64_t
page_after(uint64_t address)
{
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
stretch(struct symtab *tab, bool kernel)
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
symtab_settle(struct symtab *tab, bool kernel)
{
	size_t kept = 0;

	symtab_index(tab);
	stretch(tab, kernel);
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
	symtab_index(tab);
}

static bool
covers(const struct symtab_entry *entry, uint64_t address)
{
	return address < entry->end || (address == entry->start && entry->end == entry->start);
}

struct symtab_entry *
symtab_find(const struct symtab *tab, uint64_t address)
{
	size_t until = search_until(
		tab->entries, tab->count, SEARCH_BY(struct symtab_entry, start), address);

	for (size_t i = until; i-- > 0;) {
		if (covers(&tab->entries[i], address))
			return &tab->entries[i];
		if (tab->reach[i] <= address)
			return NULL;
	}
	return NULL;
}
