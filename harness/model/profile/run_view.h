/*
 * Some runs of a profile as a separate profile, without copying weights: cheap enough for
 * simulations that resample runs thousands of times.
 */
#ifndef PROFILE_RUN_VIEW_H
#define PROFILE_RUN_VIEW_H

#include "profile/profile.h"

/*
 * `profile` is to be read only, and lives as long as the profile that it is a view of, which must
 * not change meanwhile. Release it only with run_view_release().
 */
struct run_view {
	struct profile profile;
	const struct profile *of; /* borrowed */
};

/* A view without runs; there is room for as many as `of` has. */
void run_view_init(struct run_view *view, const struct profile *of);
void run_view_release(struct run_view *view);

/* Takes all runs out. */
void run_view_clear(struct run_view *view);
/* Adds the run of this column; the copy of its struct run may be renumbered. */
struct run *run_view_add(struct run_view *view, size_t column);

#endif
