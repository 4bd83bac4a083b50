/*
 * The counters of a run: scalars beside its profile, such as its largest memory, its page faults or
 * the bytes that it wrote. One table says what they are; whatever stores, reports or judges them
 * walks it. To add one: a line in profile.h, a line in counter_kinds[], and counter_set() by the
 * backend that measures it.
 *
 * Values are of one execution of the program and everything it started: the mean over the
 * executions of the run, or, where `largest` is set, the largest of them.
 */
#ifndef PROFILE_COUNTERS_H
#define PROFILE_COUNTERS_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct counter_kind {
	const char *name; /* as users and files write it */
	const char *unit; /* "ns", "bytes"; NULL: a count; "": a plain number */
	const char *help; /* one sentence, without a period */
	bool exact;       /* the same work gives the same value */
	bool largest;     /* of several executions the largest counts, not the mean */
	bool needs_pmu;   /* hardware counts it */
	bool of_metric;   /* only runs of one metric have it, such as alloc; or of a driver */
	bool of_latency;  /* how long operations took: no cost of an execution */
	bool per_op;      /* a cost of one operation: it varies with how requests come together,
			     also where the cost of the same work is exact */
	bool shown_only; /* a quotient, or a property of the measurement: nothing is judged by it */
	/* Computes it where it is not stored: NAN where not known. */
	double (*derive)(const struct run *run);
};

/* By counter_id. */
extern const struct counter_kind counter_kinds[NCOUNTERS];

/* The id of a name; -1 if there is none. */
int counter_find(const char *name);

/* The value in one execution of the run; NAN: not known. */
double counter_value(const struct run *run, enum counter_id id);
/* "64.2 MiB", "5,012", "1.23": a value in the counter's unit, "-" where not known. */
void counter_put(struct buf *out, const struct counter_kind *kind, double value);

/*
 * The work that a value is the cost of: "run", "execution" or "operation"; NULL: nothing, of a
 * latency or the size of a file. `kind` NULL: a cost in the profile's metric.
 */
const char *counter_basis(const struct counter_kind *kind, const struct profile *profile);

/* Whether it is known of any run. */
bool counter_is_known(const struct profile *profile, enum counter_id id);
/* Stores it; it must not be a derived one. A value that is negative or not finite is not known. */
void counter_set(struct run *run, enum counter_id id, double value);
/*
 * Takes the value of one more execution into account, the `nth` of the run from 1. A counter that
 * is not known of one execution is not known of the run.
 */
void counter_add(struct run *run, enum counter_id id, double value, unsigned nth);
/*
 * Sets what one operation costs in the metric of the run, METRIC_per_op, where the number of its
 * operations is known and there is such a counter.
 */
void counter_set_per_op(struct run *run, const char *metric);

/*
 * The number of executions of the program in each run of a profile, and the basis of costs: one
 * run, or one of the executions that make a run. Iterations of a benchmark of a suite are
 * executions, and its operations.
 */

/* The executions of a run; 1 where it is not known. */
double executions_of_run(const struct run *run);

/* The basis of costs: "file" of sizes, "execution" if a run has several, else "run". */
const char *executions_basis(const struct profile *profile);

/*
 * Whether the executions of a profile are iterations of a benchmark of a suite, in one process:
 * they are its operations, too.
 */
bool executions_are_iterations(const struct profile *profile);

/* Whether any run has several executions. */
bool executions_several(const struct profile *profile);

/*
 * Appends how many executions the runs first .. first + count - 1 have:
 * " of 60 executions each", " of 40 to 60 executions"; nothing where it is one.
 */
void executions_put(const struct profile *profile, size_t first, size_t count, struct buf *out);
/*
 * Appends the runs first .. first + count - 1: "10 runs", "10 runs of 60 executions each", "20 runs
 * of 40 to 60 executions".
 */
void executions_put_runs(
	const struct profile *profile, size_t first, size_t count, struct buf *out);

#endif
