#include "unwind/saves.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

void
saves_init(struct saves *saves, size_t limit_bytes)
{
	*saves = (struct saves){.nslots = FIRST_SLOTS, .limit_bytes = limit_bytes};
	arena_init(&saves->arena);
	saves->slots = mem_zalloc(saves->nslots, sizeof(*saves->slots));
}

void
saves_release(struct saves *saves)
{
	for (size_t i = 0; i < SAVES_CHUNKS; i++)
		free(saves->chunks[i]);
	free(saves->slots);
	arena_release(&saves->arena);
	*saves = (struct saves){0};
}

static uint64_t
hash_key(const struct saves_key *key)
{
	uint64_t hash = hash_u64(key->kept ^ key->undefined << 1);

	for (size_t i = 0; i < key->nrules; i++) {
		const struct unwind_rule *rule = &key->rules[i];

		hash = (hash ^ (uint32_t)rule->value ^ (uint64_t)rule->reg << 32 ^
			       (uint64_t)rule->kind << 40) *
		       UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static struct saves_key
key_of(const struct unwind_saves *set)
{
	return (struct saves_key){set->kept, set->undefined, set->rules, set->nrules};
}

static bool
same(const struct saves_key *a, const struct saves_key *b)
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

/* The slot of the set, or the empty one where it belongs. */
static uint32_t *
find_slot(struct saves *saves, const struct saves_key *key)
{
	size_t at = hash_key(key) & (saves->nslots - 1);

	while (saves->slots[at] != 0) {
		struct saves_key other = key_of(saves_get(saves, saves->slots[at] - 1));

		if (same(key, &other))
			break;
		at = (at + 1) & (saves->nslots - 1);
	}
	return &saves->slots[at];
}

static void
grow_slots(struct saves *saves)
{
	free(saves->slots);
	saves->nslots *= 2;
	saves->slots = mem_zalloc(saves->nslots, sizeof(*saves->slots));
	for (uint32_t i = 0; i < saves->count; i++) {
		struct saves_key key = key_of(saves_get(saves, i));

		*find_slot(saves, &key) = i + 1;
	}
}

static void
add(struct saves *saves, const struct saves_key *key)
{
	uint32_t part = saves->count / SAVES_FIRST_CHUNK + 1;
	unsigned chunk = 31 - (unsigned)__builtin_clz(part);
	struct unwind_saves *set =
		arena_alloc(&saves->arena, sizeof(*set) + key->nrules * sizeof(set->rules[0]));

	set->kept = key->kept;
	set->undefined = key->undefined;
	set->nrules = (uint16_t)key->nrules;
	set->plain = true;
	for (size_t i = 0; i < key->nrules; i++) {
		set->rules[i] = key->rules[i];
		set->plain &= key->rules[i].kind == UNWIND_AT_CFA;
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
	uint32_t *slot = find_slot(saves, key);

	if (*slot != 0)
		return *slot - 1;
	if (saves->arena.used_bytes >= saves->limit_bytes)
		return SAVES_FULL;
	add(saves, key);
	*slot = saves->count;
	uint32_t number = saves->count - 1;

	if (saves->count > saves->nslots / 2)
		grow_slots(saves);
	return number;
}
