/*
 * The changed line of the source that carries the growth of a function.
 */
#ifndef PIPELINE_CHANGED_PLACE_H
#define PIPELINE_CHANGED_PLACE_H

#include "analysis/annotation.h"
#include "builds/changed_lines.h"
#include "output/report.h"

/*
 * For the function's changed lines the one that grew most, with all it calls; where no changed line
 * grew, the one nearest to the line that did, from the function's declaration on to its last line
 * with weight. NULL and 0: there is none. `path` (in the repository) is the report's.
 */
void changed_place_find(const struct annotation_rows *rows, const struct changed_lines *changed,
	const struct report *report, const char **path, uint32_t *line);

#endif
