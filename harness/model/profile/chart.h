/*
 * A flame chart: the calls of one thread in order of time, made of its samples.
 *
 * A sample stands for the time before it: of a wait, and of a sample whose period is a time, that
 * is known; else it is the sampling interval. It begins where the one before it ended at the
 * earliest, and if it would begin less than half an interval after that, it begins there, too:
 * samples of a running thread are about an interval apart, not exactly. Frames that successive
 * samples share from the root on are one call, unless there is a gap between them. A gap of up to
 * an interval before a wait is time on the CPU after the last sample: its calls end with the gap.
 */
#ifndef PROFILE_CHART_H
#define PROFILE_CHART_H

#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stddef.h>
#include <stdint.h>

/* For one sample, in ns since the capture's start; empty for one that nothing is left for. */
struct chart_span {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* The times that successive samples of one thread stand for. */
struct chart_clock {
	uint64_t interval_ns; /* of samples that do not say */
	uint64_t end_ns;      /* of the sample before; 0 at first */
};

struct chart_span chart_clock_next(struct chart_clock *clock, const struct timed_sample *sample);

struct chart {
	/*
	 * Frames and texts are those of the profile that it was made of, which must stay; in its
	 * tree a node is one call, the latest of siblings first, and weights are ns without those
	 * of the calls below. The weight of the root is the time without samples.
	 */
	struct profile profile;
	uint64_t *begins_ns; /* by node; owned */
	size_t capacity;
	uint64_t end_ns; /* of the last call; the first begins with the root */
	size_t nsamples;
};

/* `interval_ns`: of samples that do not say, see sample_times_interval_ns(). */
void chart_init(struct chart *chart, const struct profile *profile,
	const struct sample_times *times, size_t thread, uint64_t interval_ns);
void chart_release(struct chart *chart);

#endif
