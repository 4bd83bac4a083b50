/*
 * Any text: an error, or a profile that can be written and read back with the same weight. Not
 * asked of text with two spaces together: spaces at the edges of a name are lost. Read as a
 * difference, too: what is one is two columns, and refused as a profile unless it says it has runs.
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

static void
read_difference(const char *text, size_t len)
{
	const struct file_view view = {.data = text, .len = len};
	struct err err = {0};
	struct profile profile;

	profile_init(&profile);
	bool is_pair = folded_read_pair(&profile, "fuzz", &view, &err) == 0;

	if (is_pair && profile.nruns != 2)
		abort();
	profile_release(&profile);
	if (!is_pair || memmem(text, len, "runs", 4))
		return;
	profile_init(&profile);
	if (folded_read(&profile, "fuzz", text, len, &err) == 0)
		abort();
	profile_release(&profile);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once = {0};
	struct buf again = {0};
	double weight = rewrite((const char *)data, size, &once);

	read_difference((const char *)data, size);
	if (weight > 0 && isfinite(weight) && !is_ambiguous((const char *)data, size)) {
		double same = rewrite(buf_text(&once), once.len, &again);

		if (!(fabs(same - weight) <= 1e-9 * weight))
			abort();
	}
	buf_release(&again);
	buf_release(&once);
	return 0;
}
