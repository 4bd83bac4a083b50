/*
 * The changed line of the source that carries the growth of a function.
 */
#ifndef PIPELINE_CHANGED_PLACE_H
#define PIPELINE_CHANGED_PLACE_H

#include "analysis/annotation.h"
#include "builds/changed_lines.h"
#include "output/report.h"

struct changed_source {
	const struct changed_lines *changed;
	const struct report *report; /* that has the source files */
	/* The path of the file that the function is in, for lines of no known file; NULL. */
	const char *declared_in;
};

/*
 * For the function's changed lines the one that grew most, with all it calls; where no changed line
 * grew, the one nearest to the line that did, from the function's declaration on to its last line
 * with weight. NULL and 0: there is none. `path` (in the repository) is borrowed from
 * these.
 */
void changed_place_find(const struct annotation_rows *rows, const struct changed_source *source,
	const char **path, uint32_t *line);

#endif
