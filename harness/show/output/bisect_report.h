/*
 * The result of a bisection: the first slow commit, or those that are left, and all that were
 * tried.
 */
#ifndef OUTPUT_BISECT_REPORT_H
#define OUTPUT_BISECT_REPORT_H

#include "base/buf.h"
#include "compare/effect.h"
#include "history/bisect_search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A commit of the line. Its author and subject are untrusted text. */
struct bisect_commit {
	const char *commit;
	const char *author;
	const char *subject;
	int64_t authored; /* seconds since 1970 */
	bool merge;
	struct effect effect; /* against the first; not tested: none was measured */
	const char *reason;   /* why it was skipped, or is undecided; NULL: neither */
};

enum bisect_result {
	BISECT_RESULT_FOUND,
	BISECT_RESULT_RANGE,       /* commits are left that could not be distinguished */
	BISECT_RESULT_UNCONFIRMED, /* the commit is not significantly slower than its parent */
	BISECT_RESULT_NOT_SLOWER,  /* the last commit is not slower */
	BISECT_RESULT_UNDECIDED,   /* it is undecided whether the last commit is slower */
};

struct bisect_report {
	enum bisect_result result;
	const char *workload;
	const char *function; /* pattern; NULL: the whole program */
	const char *tool_version;
	const struct bisect_commit *commits; /* the fast one first, the slow one last */
	const enum bisect_state *states;     /* of each */
	size_t ncommits;
	/* A commit is slow above this growth from the first; NAN if none was searched for. */
	double threshold;
	/* The first slow commit against the last fast one. */
	struct effect effect;
};

/* For a console, and as bisect.txt. */
void bisect_put_text(const struct bisect_report *report, struct buf *out);
/* bisect.json: one object; the manual page says what its keys are. */
void bisect_put_json(const struct bisect_report *report, struct buf *out);

#endif
