/*
 * The instructions that are counted beside a baseline of CPU time, and stored in its folder. They
 * travel: on every machine whose valgrind presents the same processor the same program has the same
 * counts, whatever the CPU model.
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
	struct workload workload; /* with the strings of the one it was made of */
	struct measurement
		measurement;     /* its backend, event and CPUs; the builds are not its own */
	char machine_class[192]; /* of its counts */
};

/*
 * -1 where instructions cannot be counted here. To be released. Its address must not change.
 */
int counted_workload_init(struct counted_workload *counted, const struct session *session,
	const struct workload *workload, struct err *err);
void counted_workload_release(struct counted_workload *counted);

enum counts_outcome {
	COUNTS_NONE,    /* they are not wanted, or this machine cannot count */
	COUNTS_KEPT,    /* those of this program are stored already */
	COUNTS_TAKEN,   /* `profile` and `info` */
	COUNTS_SLOW,    /* it takes longer than a minute, now or when it was tried last */
	COUNTS_REFUSED, /* `why` */
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
	enum measure_side side; /* the base: the counts are of its commit */
	const char *folder;     /* of the baseline that may have them already; NULL: none */
	double limit_s;         /* that a run may take; 0: a minute */
	const char *scratch_dir;
};

/*
 * Counts a side of a measurement, which is still set up, for a baseline, once, and again where that
 * is quick, or finds that what is stored in the folder is of the same program. -1 after an
 * interruption. To be released in any case.
 */
int stored_counts_take(
	const struct counts_request *request, struct taken_counts *counts, struct err *err);
void taken_counts_release(struct taken_counts *counts);

/*
 * Writes counts that were taken to a baseline's folder, and appends to `text` what became of them
 * ("; instructions counted"). `name`: the workload's.
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
 * The same of the counts beside one baseline, which are of the program that it ran; this needs a
 * processor of their class. False: there are none.
 */
bool stored_counts_read(const struct session *session, const struct workload *workload,
	const char *folder, const struct baseline *baseline, struct baseline *counts);

/* Whether counts are of this program: of the same files, or of the same machine code and data. */
bool stored_counts_are_of(
	const struct baseline *counts, const char *program_hash, const struct profile *profile);

/*
 * A counted profile of a side (NULL: the working tree) as stored counts are, with the files that
 * `ran` has and its own.
 */
void stored_counts_sum(struct profile *into, const struct profile *counted,
	const struct profile *ran, const struct build_side *side);

/*
 * One run of a build of a workload of CPU time under the backend of the metric `instructions`, ten
 * to a hundred times as slow: its counts decide or explain what time does not, and travel between
 * machines.
 *
 * Counts one execution of a side, which is set up, into `counted`, made here on success: functions
 * without stacks, which would take longer, by the names that samples have. The capture is made at
 * `path` and removed. `limit_s`: a run that uses more CPU time is an error; 0: by the workload's
 * timeout (CAPTURE_COUNTED_TIMEOUT).
 */
int counted_run(const struct measurement *m, enum measure_side side, const char *path,
	double limit_s, struct profile *counted, struct err *err);

#endif
