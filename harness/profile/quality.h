/*
 * Whether a run's column can be believed: the one place that says what is too poor.
 */
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
/* Fewer samples than this say nothing. */
#define QUALITY_MIN_SAMPLES 50

/*
 * True if the run is too poor to be judged by, with why in `text`: "only 61 % of the expected
 * samples arrived". A run that we did not measure (a folded file) is never called poor.
 */
bool quality_of_run(const struct run *run, char text[QUALITY_TEXT_MAX]);

#endif
