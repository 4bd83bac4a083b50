/*
 * Any text: an error, or a profile that can be written and read back with the same weight. Not
 * asked of text with two spaces together: spaces at the edges of a name are lost.
 */
#include "profile/folded.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_ambiguous(const char *text, size_t len)
{
	return memmem(text, len, "  ", 2) || memmem(text, len, "; ", 2) ||
	       memmem(text, len, " ;", 2) || memmem(text, len, "\n ", 2) || text[0] == ' ';
}

/* Reads text and appends what is then written; the weight, NAN if it is no folded text. */
static double
rewrite(const char *text, size_t len, struct buf *out)
{
	struct err err = {0};
	struct profile profile;
	double weight = NAN;

	profile_init(&profile);
	if (folded_read(&profile, "fuzz", text, len, &err) == 0) {
		profile_sort(&profile);
		folded_write(&profile, FOLDED_RUNS, out);
		weight = profile_column_total(&profile, 0);
	}
	profile_release(&profile);
	return weight;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once = {0};
	struct buf again = {0};
	double weight = rewrite((const char *)data, size, &once);

	if (weight > 0 && isfinite(weight) && !is_ambiguous((const char *)data, size)) {
		double same = rewrite(buf_text(&once), once.len, &again);

		if (!(fabs(same - weight) <= 1e-9 * weight))
			abort();
	}
	buf_release(&again);
	buf_release(&once);
	return 0;
}
