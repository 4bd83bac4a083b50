/*
 * The weights of one event's samples: the one place that decides them, for perf.data and for text.
 *
 * A sample of perf stands for as many events as have happened since the one before it: its period.
 * perf adjusts the period while it records (-F), so that samples of one file can stand for very
 * different numbers of events. Each therefore weighs its period, as in `perf report`. The periods
 * of a clock are alike unless several recordings are in one file: its samples weigh 1 until one
 * with another period comes.
 *
 * Source: perf_swevent_set_period() and perf_adjust_period() in kernel/events/core.c;
 * hists__inc_stats() and he_stat__add_period() of tools/perf/util/hist.c.
 */
#ifndef INGEST_SAMPLE_WEIGHTS_H
#define INGEST_SAMPLE_WEIGHTS_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The weights that are wanted (--weight). */
enum sample_weight {
	SAMPLE_WEIGHS_AUTO,   /* as above */
	SAMPLE_WEIGHS_ONE,    /* --weight samples */
	SAMPLE_WEIGHS_PERIOD, /* --weight period: of a clock, too */
};

/* SAMPLE_PERIOD_NONE: the input does not say. */
#define SAMPLE_PERIOD_NONE UINT64_MAX

struct sample_weights {
	enum sample_weight wanted;
	bool clock;      /* the event is a clock: its periods are times */
	bool by_period;  /* as which they are weighed now */
	bool varies;     /* not all periods were the same */
	uint64_t first;  /* the first period */
	uint64_t count;  /* of samples */
	uint64_t sum;    /* of periods */
	uint64_t absent; /* samples without a period */
	double squares;  /* of periods, added up */
};

void sample_weights_init(struct sample_weights *weights, enum sample_weight wanted, bool clock);

/*
 * The weight of the next sample. Where *scale is not 1, what was added before is to be multiplied
 * by it first: those were weighed as 1 each and are now weighed by their periods.
 */
double sample_weights_take(struct sample_weights *weights, uint64_t period, double *scale);

/*
 * Says in the profile and in `run` what the samples weigh; `event` is their name. Before other
 * descriptions of units.
 */
void sample_weights_describe(const struct sample_weights *weights, const char *event,
	struct profile *profile, struct run *run);

#endif
