/*
 * Phases of a run: stretches of its time in which different functions do the work, found in the
 * samples of one capture.
 *
 * phase_search.h finds where they begin and end. Work in rounds shorter than a few slices is one
 * phase; of longer rounds, each part is one.
 *
 * Phases from the beginning that have nothing like them later, in up to half of the time, are the
 * start-up, unless what was captured was running before (times->was_running). Most of the samples
 * of each have to be of functions that are rare afterwards, with less than a quarter of their
 * share: the loader ahead of a loop, or the first rounds of that loop, are no start-up. Slices
 * without samples make a phase, since the program waited or another one ran, but are no other work.
 */
#ifndef COMPARE_PHASES_H
#define COMPARE_PHASES_H

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct phase {
	uint64_t begin_ns;
	uint64_t end_ns;
	double weight;
	frame_id function;     /* with most weight of its own in it; 0: it has none */
	double function_share; /* of the phase's weight */
};

struct phases {
	struct phase *items; /* in order of time, adjacent; owned */
	size_t count;        /* 0: too few samples to tell */
	size_t startup;      /* so many of them are the start-up */
	bool ends_otherwise; /* the last has nothing like it before, the start-up aside */
	double weight;       /* of all */
};

/* Finds them in the order of time; the same samples give the same phases. */
void phases_find(
	struct phases *phases, const struct profile *profile, const struct sample_times *times);
void phases_release(struct phases *phases);

/* When the start-up ends, and its share of the weight; 0 where there is none. */
uint64_t phases_startup_ns(const struct phases *phases);
double phases_startup_share(const struct phases *phases);

/* Appends "0 s to 0.4 s" of a phase. */
void phases_put_time(const struct phase *phase, struct buf *out);
/* Appends "start-up, 19.2 % of the samples, 83 % of that in load". */
void phases_put(
	const struct phases *phases, const struct profile *profile, size_t i, struct buf *out);

#endif
