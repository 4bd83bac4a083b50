/*
 * From samples to weights in the call tree.
 *
 * Samples that carry a copy of their stack are collected into batches, which several threads
 * unwind; all others go straight into the tree. What is collected has to be named before the maps
 * of its process change: samples_settle().
 */
#ifndef INGEST_SAMPLES_H
#define INGEST_SAMPLES_H

#include "base/err.h"
#include "ingest/code_maps.h"
#include "ingest/ingest.h"
#include "ingest/stacks.h"
#include "perfdata/condense.h"
#include "perfdata/reader.h"
#include "unwind/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct batch;

struct samples {
	const struct perfdata_reader *reader; /* borrowed */
	struct profile *profile;              /* borrowed */
	size_t column;
	struct run *run; /* borrowed: what is counted */
	struct stacks stacks;
	struct stack_survey *survey; /* NULL: not wanted */

	const struct unwind_machine *machine; /* NULL: not known how to unwind its stacks */
	struct code_maps maps;
	struct unwind_pool *pool; /* NULL until a sample needs it */
	unsigned threads;
	struct batch *filling; /* being collected */
	struct batch *walking; /* being unwound */

	struct perfdata_condenser *condenser; /* NULL: nothing is condensed */
	uint64_t *chain;                      /* for it */
	size_t chain_capacity;
};

/* The fields above that are borrowed, and `column`, are set by the caller; all others are made
 * here. */
int samples_init(struct samples *samples, struct symbolizer *symbolizer,
	const struct ingest_options *options, struct err *err);
void samples_release(struct samples *samples);

/* A sample, counted for `root`. `column` is of its event. */
int samples_put(
	struct samples *samples, const struct record *record, frame_id root, struct err *err);
/* Another record, or a sample that was not selected: it only goes into the condensed file. */
int samples_pass(struct samples *samples, const struct record *record, struct err *err);
/* Ends what was collected of process `pid`, whose maps will change; 0: of all. */
int samples_settle(struct samples *samples, uint32_t pid, struct err *err);
/* Ends everything, and fills in the survey. */
int samples_finish(struct samples *samples, struct err *err);

#endif
