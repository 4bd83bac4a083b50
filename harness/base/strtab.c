#include "base/strtab.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct strtab_entry {
	const char *text;
	uint32_t len;
};

/* The id of the string, 0 if it is not there. */
static str_id
find_text(const struct strtab *tab, const char *text, size_t len, uint64_t hash)
{
	for (struct map_search search = map_search(&tab->ids, hash); map_next(&search);) {
		const struct strtab_entry *entry = &tab->entries[search.id];

		if (entry->len == len && memcmp(entry->text, text, len) == 0)
			return search.id;
	}
	return 0;
}

static str_id
add_text(struct strtab *tab, const char *text, size_t len, uint64_t hash)
{
	str_id id = (str_id)tab->nentries++;

	tab->entries = mem_grow(tab->entries, &tab->capacity, tab->nentries, sizeof(*tab->entries));
	tab->entries[id] = (struct strtab_entry){
		.text = arena_dup(&tab->arena, text, len), .len = (uint32_t)len};
	map_add(&tab->ids, hash, id);
	return id;
}

void
strtab_init(struct strtab *tab)
{
	*tab = (struct strtab){0};
	add_text(tab, "", 0, hash_bytes("", 0));
}

void
strtab_release(struct strtab *tab)
{
	arena_release(&tab->arena);
	free(tab->entries);
	map_release(&tab->ids);
	*tab = (struct strtab){0};
}

str_id
strtab_intern(struct strtab *tab, const char *text, size_t len)
{
	uint64_t hash = hash_bytes(text, len);
	str_id id = find_text(tab, text, len, hash);

	return id != 0 || len == 0 ? id : add_text(tab, text, len, hash);
}

str_id
strtab_intern_str(struct strtab *tab, const char *text)
{
	return strtab_intern(tab, text, strlen(text));
}

str_id
strtab_find(const struct strtab *tab, const char *text, size_t len)
{
	return find_text(tab, text, len, hash_bytes(text, len));
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
