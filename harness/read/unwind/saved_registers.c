/*
 * Stores each distinct set of saved registers once: unwind rows refer to it by number.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "unwind/unwind_internal.h"

#include <stdlib.h>

void
saves_release(struct saves *saves)
{
	for (size_t i = 0; i < SAVES_CHUNKS; i++)
		free(saves->chunks[i]);
	map_release(&saves->numbers);
	arena_release(&saves->arena);
	*saves = (struct saves){0};
}

static uint64_t
hash_saves(const struct saves_key *key)
{
	uint64_t hash = hash_pair(key->kept, key->undefined);

	for (size_t i = 0; i < key->nrules; i++) {
		const struct unwind_rule *rule = &key->rules[i];

		hash = hash_pair(hash, (uint32_t)rule->value | (uint64_t)rule->reg << 32 |
					       (uint64_t)rule->kind << 40);
	}
	return hash;
}

static bool
is_same_set(const struct saves_key *a, const struct unwind_saves *b)
{
	if (a->kept != b->kept || a->undefined != b->undefined || a->nrules != b->nrules)
		return false;
	for (size_t i = 0; i < a->nrules; i++) {
		const struct unwind_rule *x = &a->rules[i];
		const struct unwind_rule *y = &b->rules[i];

		if (x->reg != y->reg || x->kind != y->kind || x->value != y->value)
			return false;
	}
	return true;
}

static void
add_set(struct saves *saves, const struct saves_key *key)
{
	uint32_t part = saves->count / SAVES_FIRST_CHUNK + 1;
	unsigned chunk = 31 - (unsigned)__builtin_clz(part);
	struct unwind_saves *set =
		arena_alloc(&saves->arena, sizeof(*set) + key->nrules * sizeof(set->rules[0]));

	set->kept = key->kept;
	set->undefined = key->undefined;
	set->nrules = (uint16_t)key->nrules;
	set->all_at_cfa = true;
	for (size_t i = 0; i < key->nrules; i++) {
		set->rules[i] = key->rules[i];
		set->all_at_cfa &= key->rules[i].kind == UNWIND_AT_CFA;
		if (i == 0 || key->rules[i].value < set->lowest)
			set->lowest = key->rules[i].value;
		if (i == 0 || key->rules[i].value > set->highest)
			set->highest = key->rules[i].value;
	}
	if (!saves->chunks[chunk])
		saves->chunks[chunk] = mem_zalloc(
			(size_t)SAVES_FIRST_CHUNK << chunk, sizeof(struct unwind_saves *));
	saves->chunks[chunk][saves->count - ((1u << chunk) - 1) * SAVES_FIRST_CHUNK] = set;
	saves->count++;
}

uint32_t
saves_intern(struct saves *saves, const struct saves_key *key)
{
	uint64_t hash = hash_saves(key);

	for (struct map_search search = map_search(&saves->numbers, hash); map_next(&search);)
		if (is_same_set(key, saves_get(saves, search.id)))
			return search.id;
	if (saves->arena.used_bytes >= saves->limit_bytes)
		return SAVES_FULL;
	map_add(&saves->numbers, hash, saves->count);
	add_set(saves, key);
	return saves->count - 1;
}
