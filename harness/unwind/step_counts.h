/*
 * How many steps went out of the code of each table, and how many of them a frame pointer takes
 * alike.
 */
#ifndef UNWIND_STEP_COUNTS_H
#define UNWIND_STEP_COUNTS_H

#include "unwind/table.h"

#include <stddef.h>
#include <stdint.h>

struct step_count {
	const struct unwind_table *table; /* NULL: the slot is empty */
	uint64_t steps;
	uint64_t alike;
};

struct step_counts {
	struct step_count *slots; /* by hash of the table's address */
	size_t nslots;
	size_t count;
};

void step_counts_init(struct step_counts *counts);
void step_counts_release(struct step_counts *counts);

/* The table's count, added if it is new; valid until the next call. */
struct step_count *step_counts_of(struct step_counts *counts, const struct unwind_table *table);
/* The same without adding: zeros for a table that was not met. */
struct step_count step_counts_get(
	const struct step_counts *counts, const struct unwind_table *table);

#endif
