/*
 * Lists the benchmarks of suites, once these are built: each becomes one workload.
 */
#ifndef MEASUREMENT_SUITE_LISTING_H
#define MEASUREMENT_SUITE_LISTING_H

#include "base/err.h"
#include "baseline/store.h"
#include "builds/build_side.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Builds the suites of a list in the working tree, and replaces each by its benchmarks. A suite
 * that cannot be built or listed stays in the list, with `unlisted` set: the others go on. -1 for
 * an interruption.
 */
int suites_list(struct workload_list *list, struct err *err);

/* Whether a baseline of this name is of a benchmark of the workload's file, which is a suite. */
bool suite_has_folder(const struct workload *workload, const char *stored_name);

/* Warns of stored baselines of benchmarks that their suite no longer lists. */
void suites_warn_of_vanished(const struct workload_list *list, const struct baseline_list *stored);

/*
 * Lists the benchmarks of a suite, of which `unit` is one, in its base, which is built; `listing`
 * is empty before, and to be released in any case. An error also where a list executes all of them.
 */
int suite_list_other(const struct workload *unit, const struct build_side *base,
	struct suite_listing *listing, struct err *err);

/*
 * Once the base of a benchmark's suite is built: warns of benchmarks that it lists and the working
 * tree does not. Not where a list executes all of them.
 */
void suite_warn_of_removed(const struct workload *unit, const struct build_side *base);

/* An error if the list has a suite: for commands that measure one program. */
int suites_refuse(const struct workload_list *list, const char *verb, struct err *err);

#endif
