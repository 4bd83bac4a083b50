/*
 * How a workload of a gate is judged on this machine, decided before anything is measured. Plain
 * data, made by commands/gate/gate_plan.h.
 *
 * It does not say in which order the runs are taken: which of the two builds of a pair goes first
 * is drawn for each pair, in commands/measurement/run_order.c.
 */
#ifndef GATE_PLAN_H
#define GATE_PLAN_H

#include "base/buf.h"

enum plan_kind {
	PLAN_NONE,       /* not known: it cannot be measured, or an older report */
	PLAN_PAIRED,     /* --against: interleaved with another build */
	PLAN_SAME,       /* the program is the baseline's: nothing is measured */
	PLAN_STORED,     /* measured alone, against a baseline of this class of machines */
	PLAN_REBUILT,    /* interleaved with a build of the baseline's commit */
	PLAN_COUNTS,     /* counted, against stored counts */
	PLAN_LIMITS,     /* there is no baseline, but there are limits that need none */
	PLAN_NOT_JUDGED, /* nothing to compare with: not measured */
	PLAN_UNREACHED,  /* a benchmark that cannot reach the change: not measured */
	PLAN_KINDS,
};

#define PLAN_REMEDIES 2

struct plan {
	enum plan_kind kind;
	const char *reason;        /* a sentence without its full stop; NULL likewise: "" */
	const char *commit;        /* that it is compared with; NULL: none, or not known */
	const char *machine_class; /* of the baseline; NULL: there is none */
	double seconds;            /* that measuring takes, about, builds apart; NAN: not known */
	/* That counting instructions takes, about, where it is needed; 0: not known, or not done.
	 */
	double count_seconds;
	double count_limit_s; /* CPU time that a run of these may use; 0: likewise */
	/* For PLAN_NOT_JUDGED, and for PLAN_COUNTS in place of time, commands that help; NULL:
	 * none.
	 */
	const char *remedies[PLAN_REMEDIES];
};

/* "rebuilt_base": for programs; people read "rebuilt base". */
const char *plan_kind_key(enum plan_kind kind);

/* Appends "rebuilt base: REASON; about 25 s; counting instructions, if needed, about 12 s". */
void plan_put(const struct plan *plan, struct buf *out);

#endif
