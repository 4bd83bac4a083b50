/*
 * Any text as a table of stacks: an error of its input, or a profile that is written as a table
 * that reads back with the same weight.
 */
#include "profile/stack_table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Appends what is written of it; false where it is no table. */
static bool
rewrite(const char *text, size_t len, struct buf *out, double *weight)
{
	const struct file_view view = {.data = text, .len = len};
	struct profile profile;
	struct err err = {0};

	profile_init(&profile);
	const bool good = stack_table_read(&profile, "fuzz", &view, &err) == 0;

	if (good) {
		profile_sort(&profile);
		stack_table_write(&profile, out);
		*weight = profile_column_total(&profile, 0);
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
	return good;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once = {0};
	struct buf again = {0};
	double weight = 0;
	double same = 0;

	if (rewrite((const char *)data, size, &once, &weight) &&
		(!rewrite(buf_text(&once), once.len, &again, &same) ||
			!(fabs(same - weight) <= 1e-9 * weight)))
		abort();
	buf_release(&again);
	buf_release(&once);
	return 0;
}
