/* Whether a run is usable: the one place that defines the limits. */
#ifndef PROFILE_QUALITY_H
#define PROFILE_QUALITY_H

#include "profile/profile.h"

#include <stdbool.h>

#define QUALITY_TEXT_MAX 160

/* Fewer samples than this share of those expected from the CPU time is too few. */
#define QUALITY_MIN_DELIVERED 0.80
/* More lost records than this share of the samples is too many. */
#define QUALITY_MAX_LOST 0.01
/* More poor runs than this part of a run set is too many. */
#define QUALITY_MOST_POOR 0.2
/* Fewer samples than this are too few. */
#define QUALITY_MIN_SAMPLES 50

/*
 * Whether the run is too poor to be usable, with the reason in `text`: "only 61 % of the expected
 * samples arrived". A run that profile_run did not measure (a folded file) is never called poor.
 */
bool quality_of_run(const struct run *run, char text[QUALITY_TEXT_MAX]);

/* The runs of a profile that are too poor to be usable, or without any weight. */
struct quality_tally {
	size_t nruns;
	size_t npoor;
	char first[QUALITY_TEXT_MAX]; /* why the first poor run is one */
	const char *remedy; /* to append to that: ": measure longer runs (capture.repeat)" */
};

struct quality_tally quality_count_poor(const struct profile *profile);

/* Whether more than QUALITY_MOST_POOR of the runs are poor: too many to judge by the others. */
bool quality_rejects(const struct quality_tally *tally);

#endif
