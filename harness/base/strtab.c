#include "base/strtab.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct strtab_entry {
	const char *text;
	uint32_t len;
	uint32_t hash; /* the low half, so that most mismatches need no look at the text */
};

void
strtab_init(struct strtab *tab)
{
	*tab = (struct strtab){0};
	arena_init(&tab->arena);
	strtab_intern(tab, "", 0);
}

void
strtab_release(struct strtab *tab)
{
	arena_release(&tab->arena);
	free(tab->entries);
	free(tab->slots);
	*tab = (struct strtab){0};
}

/* The slot that holds the string, or the empty one where it would go. */
static size_t
find_slot(const struct strtab *tab, const char *text, size_t len, uint64_t hash)
{
	size_t mask = tab->nslots - 1;

	for (size_t at = hash >> 32 & mask;; at = (at + 1) & mask) {
		uint32_t slot = tab->slots[at];

		if (slot == 0)
			return at;
		const struct strtab_entry *entry = &tab->entries[slot - 1];

		if (entry->hash == (uint32_t)hash && entry->len == len &&
			memcmp(entry->text, text, len) == 0)
			return at;
	}
}

static void
rehash(struct strtab *tab)
{
	free(tab->slots);
	tab->nslots = tab->nslots ? tab->nslots * 2 : 256;
	tab->slots = mem_ztable(tab->nslots, sizeof(*tab->slots));
	for (size_t i = 0; i < tab->nentries; i++) {
		const struct strtab_entry *entry = &tab->entries[i];
		uint64_t hash = hash_bytes(entry->text, entry->len);

		tab->slots[find_slot(tab, entry->text, entry->len, hash)] = (uint32_t)i + 1;
	}
}

str_id
strtab_intern(struct strtab *tab, const char *text, size_t len)
{
	if (tab->nentries * 2 >= tab->nslots)
		rehash(tab);
	uint64_t hash = hash_bytes(text, len);
	size_t at = find_slot(tab, text, len, hash);

	if (tab->slots[at] == 0) {
		tab->entries = mem_grow(
			tab->entries, &tab->capacity, tab->nentries + 1, sizeof(*tab->entries));
		tab->entries[tab->nentries++] = (struct strtab_entry){
			.text = arena_dup(&tab->arena, text, len),
			.len = (uint32_t)len,
			.hash = (uint32_t)hash,
		};
		tab->slots[at] = (uint32_t)tab->nentries;
	}
	return tab->slots[at] - 1;
}

str_id
strtab_intern_str(struct strtab *tab, const char *text)
{
	return strtab_intern(tab, text, strlen(text));
}

str_id
strtab_find(const struct strtab *tab, const char *text, size_t len)
{
	size_t at = find_slot(tab, text, len, hash_bytes(text, len));

	return tab->slots[at] ? tab->slots[at] - 1 : 0;
}

const char *
strtab_str(const struct strtab *tab, str_id id)
{
	return tab->entries[id].text;
}

size_t
strtab_len(const struct strtab *tab, str_id id)
{
	return tab->entries[id].len;
}
