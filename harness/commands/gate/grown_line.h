/* The changed source line that made a function slower, for the report of a gate. */
#ifndef GATE_GROWN_LINE_H
#define GATE_GROWN_LINE_H

#include "analysis/annotation.h"
#include "builds/commit_files.h"
#include "output/report.h"
#include "output/rows.h"

#include <stdint.h>

/* The source in which it is searched. */
struct grown_line_source {
	const struct changed_lines *changed;
	const struct report *report; /* it has the source files */
	/*
	 * The path of the function's file, for lines whose file is not known; NULL: not known
	 * either.
	 */
	const char *declared_in;
};

/*
 * Finds the changed line of the function that grew most, with all that it calls. Where no changed
 * line grew: the changed line nearest to the line that grew most, from the function's declaration
 * to its last line with weight. NULL and 0: there is none. `path`, in the repository, is borrowed.
 */
void grown_line_find(const struct annotation_rows *rows, const struct grown_line_source *source,
	const char **path, uint32_t *line);

#endif
