/*
 * The instructions that are counted beside a baseline of CPU time, and stored in its folder. They
 * can be compared with those of other machines: wherever valgrind presents the same processor, the
 * same program has the same counts, whatever the CPU model.
 */
#ifndef GATE_STORED_COUNTS_H
#define GATE_STORED_COUNTS_H

#include "base/buf.h"
#include "base/err.h"
#include "baseline/store.h"
#include "measurement/measurement.h"
#include "measurement/session.h"

#include <stdbool.h>

/* A workload of CPU time as one of counted instructions, by file and function. */
struct counted_workload {
	struct workload workload; /* its strings are those of the workload that it was made of */
	struct measurement measurement; /* only backend, event and CPUs are its own */
	char machine_class[192];        /* of the counts */
};

/*
 * -1 where instructions cannot be counted here. To be released. Its address must not change.
 */
int counted_workload_init(struct counted_workload *counted, const struct session *session,
	const struct workload *workload, struct err *err);
void counted_workload_release(struct counted_workload *counted);

enum counts_outcome {
	COUNTS_NONE,    /* no counts: not permitted, or this machine cannot count */
	COUNTS_KEPT,    /* counts of this program are stored already */
	COUNTS_TAKEN,   /* counted now: `profile` and `info` are set */
	COUNTS_SLOW,    /* counting takes longer than the limit, now or when it was tried last */
	COUNTS_REFUSED, /* counting failed: `why` is set */
};

struct taken_counts {
	enum counts_outcome outcome;
	struct profile profile;
	struct baseline_info info;
	char *why; /* owned */
};

/* All is borrowed. */
struct counts_request {
	const struct session *session;
	const struct measurement *m;
	enum measure_side side; /* of which side; those of the base are of its commit */
	const char *folder;     /* of the baseline that may have counts already; NULL: none */
	double limit_s;         /* seconds that a run may take; 0: a minute */
	const char *scratch_dir;
};

/*
 * Counts a side of a measurement, which is still set up, for a baseline: in one run, and in a
 * second one where that is quick. Does not count where the folder has counts of the same program
 * already. -1 after an interruption. To be released in any case.
 */
int stored_counts_take(
	const struct counts_request *request, struct taken_counts *counts, struct err *err);
void taken_counts_release(struct taken_counts *counts);

/*
 * Writes counts that were taken to a baseline's folder, and appends the outcome to `text` (";
 * instructions counted"). `name`: the workload's.
 */
int stored_counts_write(const char *folder, const struct taken_counts *counts, const char *name,
	struct buf *text, struct err *err);

/*
 * Reads the latest counts of a workload's program that are comparable with those that `counted`
 * would have here, beside the baselines of any class of machines. False: there are none.
 */
bool stored_counts_find(const struct baseline_list *list, const struct counted_workload *counted,
	struct baseline *baseline);

/*
 * Reads the counts beside one baseline, if they are of the program that it ran, and comparable
 * here. False: there are none.
 */
bool stored_counts_read(const struct session *session, const struct workload *workload,
	const char *folder, const struct baseline *baseline, struct baseline *counts);

/* Whether counts are of this program: of the same files, or of the same machine code and data. */
bool stored_counts_are_of(
	const struct baseline *counts, const char *program_hash, const struct profile *profile);

/*
 * Converts the profile of a counted run of a side (NULL: the working tree) into the form of stored
 * counts: sums by file and function, with the files that `ran` names and those that were counted.
 */
void stored_counts_sum(struct profile *into, const struct profile *counted,
	const struct profile *ran, const struct build_side *side);

#endif
