/*
 * Files that profile_run itself wrote into the working tree: reports, captures, baselines,
 * histories and its cache. No workload reads them, so that they make no program and no checkout
 * different.
 */
#ifndef BUILDS_OWN_OUTPUT_H
#define BUILDS_OWN_OUTPUT_H

#include <stdbool.h>

/*
 * Runs git with `args`, whose output is a list of paths, tracked ones or others, and finds the
 * first that is no own output and for which `counts` is true; NULL: any. 1, and *found is its path
 * as git prints it, to free(); 0, and NULL: there is none; -1 and NULL where git cannot tell.
 */
int own_output_find_other(const char *const *args, bool tracked,
	bool (*counts)(const char *path, bool tracked), char **found);

/*
 * The same for all changes of tracked files since `commit`, those of submodules included. *found
 * may be freed always.
 */
int own_output_find_change(
	const char *commit, bool (*counts)(const char *path, bool tracked), char **found);

#endif
