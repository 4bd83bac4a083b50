/*
 * Where a function keeps its caller's registers: sets of rules, each distinct one stored once.
 *
 * Nearly all rows of a program share a few hundred of them.
 */
#ifndef UNWIND_SAVES_H
#define UNWIND_SAVES_H

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unwind_rule_kind {
	UNWIND_AT_CFA,        /* in memory at the CFA plus `value` */
	UNWIND_CFA_PLUS,      /* the CFA plus `value` itself */
	UNWIND_IN_REGISTER,   /* in register `value` */
	UNWIND_AT_EXPRESSION, /* in memory where the expression at `value` says */
	UNWIND_EXPRESSION,    /* what the expression at `value` says */
};

struct unwind_rule {
	uint8_t reg; /* whose value in the caller this is */
	uint8_t kind;
	int32_t value;
};

struct unwind_saves {
	uint64_t kept;      /* registers that have the same value in the caller */
	uint64_t undefined; /* registers whose value is said to be lost */
	uint16_t nrules;
	bool plain;     /* all rules are UNWIND_AT_CFA */
	int32_t lowest; /* of the rules of a plain set: the smallest and the largest value */
	int32_t highest;
	struct unwind_rule rules[];
};

/* What a set is made of. */
struct saves_key {
	uint64_t kept;
	uint64_t undefined;
	const struct unwind_rule *rules; /* by register */
	size_t nrules;
};

/* Sets are in chunks that never move: one thread adds while others read what they know of. */
#define SAVES_CHUNKS 20
#define SAVES_FIRST_CHUNK 64

struct saves {
	struct arena arena;
	struct unwind_saves **chunks[SAVES_CHUNKS]; /* each twice as large as the one before */
	struct map numbers;                         /* by contents */
	uint32_t count;
	size_t limit_bytes; /* for all sets together */
};

/* Hostile programs can ask for a new set in every row. */
void saves_init(struct saves *saves, size_t limit_bytes);
void saves_release(struct saves *saves);

#define SAVES_FULL UINT32_MAX

/* The number of the set, added if it is new; SAVES_FULL where there is no room for it. */
uint32_t saves_intern(struct saves *saves, const struct saves_key *key);

/* The chunk that holds set `number`, and its place there. */
static inline const struct unwind_saves *
saves_get(const struct saves *saves, uint32_t number)
{
	uint32_t part = number / SAVES_FIRST_CHUNK + 1;
	unsigned chunk = 31 - (unsigned)__builtin_clz(part);

	return saves->chunks[chunk][number - ((1u << chunk) - 1) * SAVES_FIRST_CHUNK];
}

#endif
