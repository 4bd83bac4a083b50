/*
 * How many steps went out of the code of each table, and how many of them a frame pointer takes
 * alike.
 */
#ifndef UNWIND_STEP_COUNTS_H
#define UNWIND_STEP_COUNTS_H

#include "base/key_map.h"
#include "unwind/stack_copy.h"
#include "unwind/unwind_machine.h"
#include "unwind/unwind_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step_count {
	uint64_t steps;
	uint64_t alike;
};

/* All zeros: none is met yet. */
struct step_counts {
	struct key_map by_table;   /* by the table's address */
	struct step_count *counts; /* by number in by_table; owned */
	size_t capacity;
};

void step_counts_release(struct step_counts *counts);

/* The table's count, added if it is new; valid until the next call. */
struct step_count *step_counts_of(struct step_counts *counts, const struct unwind_table *table);
/* The same without adding: zeros for a table that was not met. */
struct step_count step_counts_get(
	const struct step_counts *counts, const struct unwind_table *table);

void step_count_add(struct step_count *count, bool alike);

/* Where the frame pointer is not known: never that of a pair. */
#define STEP_NO_FRAME_POINTER UINT64_MAX

/*
 * Whether a step by rows to the caller's registers `to`, out of a frame with the frame pointer `fp`
 * and the CFA `cfa`, is the one that the frame pointer takes. Of `copy` only what it holds counts.
 */
bool step_is_alike(const struct unwind_machine *machine, struct stack_copy copy,
	const struct unwind_regs *to, uint64_t fp, uint64_t cfa);

#endif
