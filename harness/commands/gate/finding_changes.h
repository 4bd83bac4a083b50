/*
 * For the report of a gate: the hunks of the difference between both sides' sources that a finding
 * is about, and the instructions that differ. Kept in the report, so that it can be explained where
 * neither the commits nor the programs are.
 */
#ifndef GATE_FINDING_CHANGES_H
#define GATE_FINDING_CHANGES_H

#include "base/arena.h"
#include "builds/diff_hunks.h"
#include "commands/annotate.h"
#include "gate/source_changes.h"
#include "output/report.h"

/* The difference of the source from the commit of the side before, for all findings of a workload.
 */
struct finding_difference {
	const char *commit;              /* borrowed; "": not known */
	const struct diff_hunks *hunks;  /* borrowed; none without a commit */
	struct source_extents functions; /* of the candidate, in files with changed lines */
	const char **names;              /* canonical ones, by index of the functions */
	struct arena arena;              /* of the names */
};

/* `changes` may be NULL: then no hunk's function is known. It must outlive the difference. */
void finding_difference_init(struct finding_difference *difference, const char *commit,
	const struct diff_hunks *hunks, struct source_changes *changes,
	const struct profile *candidate);
void finding_difference_release(struct finding_difference *difference);

/* The function that a finding is about. */
struct finding_function {
	const struct comparison *comparison;
	frame_id frame;              /* of the comparison */
	const struct causes *causes; /* NULL: not looked for */
	const char *marked_path;     /* the changed line that carries its growth; NULL: none */
	uint32_t marked_line;
};

/* A line that has weight in the function, by its file's path in the repository. */
struct finding_line {
	const char *path;
	uint32_t line;
};

/*
 * Sets the hunks of changes->hunks: those that the function is in or calls or is called by first,
 * and others as far as there is room. `lines`: those with weight, whatever function they are of.
 */
void finding_changes_put_hunks(struct report_changes *changes,
	const struct finding_difference *difference, const struct finding_function *function,
	const struct finding_line *lines, size_t nlines, struct arena *arena);

/* Sets changes->code, by the instructions of both sides. */
void finding_changes_put_code(
	struct report_changes *changes, const struct annotate_result *result, struct arena *arena);

#endif
