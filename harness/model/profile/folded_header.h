/*
 * The lines "# key: value" ahead of stacks: how many runs there are, the fields of the profile that
 * fields.h has for folded files, and, where weights are periods, the numbers of samples. Folded
 * text (folded.h) and tables of stacks (stack_table.h) begin with them.
 */
#ifndef PROFILE_FOLDED_HEADER_H
#define PROFILE_FOLDED_HEADER_H

#include "base/buf.h"
#include "base/lines.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* More runs than any gate takes; bounds what a header can make us allocate. */
#define FOLDED_RUNS_MAX 10000
/* Each run keeps a weight for each node of the tree: this many take 1 GiB. */
#define FOLDED_WEIGHTS_MAX ((size_t)1 << 27)

struct folded_header {
	struct profile *profile; /* borrowed; gets the fields */
	size_t nruns;            /* before a line says how many: that of the caller */
	bool has_runs;           /* a line says how many: it is one of ours */
	bool has_field;          /* that, or a field: no other text has that */
	bool pair;               /* a difference is wanted: two runs */
	bool ended;              /* stacks have begun: only what is the same may follow */
	/* By run; NULL: no line has them. */
	double *samples;
	double *effective_samples;
};

void folded_header_release(struct folded_header *header);

/*
 * Takes a line that begins with '#'; a comment changes nothing. Returns what is wrong with it, and
 * sets *at to the place in the line; NULL: nothing is.
 */
const char *folded_header_take(struct folded_header *header, struct line line, const char **at);

/* Adds the runs to the profile, and returns the first. */
size_t folded_header_add_runs(const struct folded_header *header);
/* Sets the samples of the runs from `first` on, whose weights add up to `totals`. */
void folded_header_set_samples(
	const struct folded_header *header, size_t first, const double *totals);

/* A number as weights are written: decimal, finite and not negative; false if it is none. */
bool folded_number(const char *text, size_t len, double *number);

/* Appends the lines for all runs of a profile. */
void folded_header_write(const struct profile *profile, struct buf *out);
/* Those of the sum over the runs, of weights that are no samples. */
void folded_header_write_sum(const struct profile *profile, struct buf *out);

#endif
