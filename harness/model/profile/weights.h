/*
 * The kind of weights of a profile: the one place that distinguishes samples from counts.
 */
#ifndef PROFILE_WEIGHTS_H
#define PROFILE_WEIGHTS_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether weights are numbers of samples: the default unless the profile says otherwise. */
bool weights_are_samples(const struct profile *profile);

/*
 * Whether each sample weighs its period: run.samples is how many there are, and
 * run.effective_samples how many of equal weight have as much information.
 */
bool weights_are_periods(const struct profile *profile);

/*
 * For weights that are periods: the samples of all runs, and how many of equal weight the sum over
 * the runs is worth.
 */
double weights_samples_sum(const struct profile *profile);
double weights_effective_sum(const struct profile *profile);
/*
 * Says that the weights are periods of so many samples, as a file has them: numbers that cannot be
 * right are not known.
 */
void weights_set_periods(
	struct profile *profile, struct run *run, double samples, double effective_samples);

/*
 * Whether every single event was counted, so that the same program on the same input has the same
 * weights. The profile's metric says so: only our own captures, files that we wrote of them, and
 * callgrind's name a counted metric. The unit alone says nothing: other programs write sampled
 * bytes of a heap, or sampled instructions, in the same unit.
 */
bool weights_are_counted(const struct profile *profile);

/* Whether they are numbers of system calls: of samples whose leaf is a call's name. */
bool weights_are_syscalls(const struct profile *profile);

/*
 * Whether they are samples by CPU time, so that each stands for as much of it as lies between two:
 * of a clock or of cycles, or of an event without a name, and with a known frequency. Samples of
 * page faults or cache misses have a frequency, too, but stand for no time.
 */
bool weights_sample_cpu_time(const struct profile *profile);

/*
 * Whether a slower machine makes them larger, as it does times and samples of any kind: allocated
 * bytes and numbers of calls are the same on each.
 */
bool weights_follow_speed(const struct profile *profile);

/* Whether they are times that passed, not numbers of something. */
bool weights_are_times(const struct profile *profile);

/* The word for growth of them: "slower" of times and samples, "more" of counts. */
const char *weights_growth_word(const struct profile *profile);

/* Their unit: "samples", "instructions", "calls", "ns". */
const char *weights_unit(const struct profile *profile);
/* The same in a sentence: of times "time". */
const char *weights_noun(const struct profile *profile);
/* "are", or "is" where that is what the noun takes. */
const char *weights_verb(const struct profile *profile);
/* The name of what run.samples is the number of: of times and of periods still "samples". */
const char *weights_samples_noun(const struct profile *profile);
/* Appends a weight as a table has it below its unit's name. */
void weights_put(const struct profile *profile, double weight, struct buf *out);

/* The unit of costs: "ns"; of the weights, where no run has a cost. */
const char *weights_cost_unit(const struct profile *profile);

/*
 * Whether the weights of two profiles are of one quantity, so that they can be compared. Readers
 * have converted units of one quantity (base/unit.h); what is left are times, sizes, samples and
 * numbers of events, which no factor makes alike.
 */

/*
 * The parts of an event's name as perf writes it: "cpu_core/cycles/uP", "cycles:u", "cpu-clock",
 * "sched:sched_switch". Source: perf-list(1), section "EVENT MODIFIERS".
 */

/* A piece of the name, not terminated. */
struct text_part {
	const char *at;
	size_t len;
};

struct event_parts {
	struct text_part pmu;       /* "cpu_core"; empty where it is not stated */
	struct text_part term;      /* "cycles"; of a tracepoint all of it */
	struct text_part modifiers; /* "uP" */
};

struct event_parts event_parts_of(const char *name);

bool text_part_is(struct text_part a, struct text_part b);

/* Whether they count the same, whatever their precision (p, P), which perf adds by itself. */
bool event_parts_same_modifiers(struct text_part a, struct text_part b);

/*
 * Weights without a unit are samples, and samples of an event that is not known may be of any. The
 * event decides what samples are of, all clocks and cycles being CPU time; of other units the
 * metric does, if both have one, else the event.
 */
bool quantity_is_same(const struct profile *a, const struct profile *b);

/*
 * An error that names both quantities if they differ; with `force` a warning. The names are those
 * of the files.
 */
int quantity_check(const struct profile *a, const char *a_name, const struct profile *b,
	const char *b_name, bool force, struct err *err);

#endif
