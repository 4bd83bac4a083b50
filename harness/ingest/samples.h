/*
 * From samples to weights in the call tree, to the survey of stacks and to a condensed file.
 *
 * Samples that carry a copy of their stack are collected into batches, of which several are unwound
 * at once and one is named, in their order (base/stages.h); all others go straight into the tree.
 * Each sample has the maps of its process as they were when it was put, so that these may change
 * meanwhile. All else of the profile and the symbolizer is changed after samples_wait() only, and
 * the kernel's names after samples_flush().
 */
#ifndef INGEST_SAMPLES_H
#define INGEST_SAMPLES_H

#include "base/err.h"
#include "base/stages.h"
#include "ingest/call_chain.h"
#include "ingest/code_maps.h"
#include "ingest/ingest.h"
#include "ingest/stacks.h"
#include "perfdata/condense.h"
#include "perfdata/reader.h"

#include <stddef.h>
#include <stdint.h>

/* Where samples end. One thread at a time may use it. */
struct sample_sink {
	struct profile *profile; /* borrowed */
	size_t column;
	struct run *run; /* borrowed: what is counted, added to it at the end */
	struct run counted;
	struct stacks stacks;
	struct stack_survey *survey;          /* NULL: not wanted */
	struct perfdata_condenser *condenser; /* NULL: nothing is condensed */
	struct call_chain chain;              /* for it */
};

struct batch;

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): who writes what is kept apart. */
struct samples {
	const struct perfdata_reader *reader; /* borrowed */
	const struct unwind_machine *machine; /* NULL: not known how to unwind its stacks */
	struct code_maps maps;
	struct call_chain leaf;
	unsigned threads;
	struct stages *stages;       /* that batches go through; NULL until a sample needs it */
	struct unwinder **unwinders; /* by thread */
	unsigned nunwinders;
	struct batch *batches;
	struct batch *filling; /* being collected */

	/* What it writes to lies in lines of the processors' caches that nobody else looks at. */
	_Alignas(64) struct sample_sink sink;
	int named; /* -1: it met an error, which is: */
	struct err err;
};

/* `reader`, and of the sink what is borrowed and `column`, are set by the caller; all others are
 * made here. */
int samples_init(struct samples *samples, struct symbolizer *symbolizer,
	const struct ingest_options *options, struct err *err);
void samples_release(struct samples *samples);

/* A sample, counted for `root`. `column` is of its event. */
int samples_put(
	struct samples *samples, const struct record *record, frame_id root, struct err *err);
/*
 * Another record, or a sample that was not selected: it only goes into the condensed file. Every
 * record that is read is either put or passed: what waits is named before the reader reuses it.
 */
int samples_forward(struct samples *samples, const struct record *record, struct err *err);
/* Waits until nothing is being named; nothing is before the next record is put or passed. */
int samples_wait(struct samples *samples, struct err *err);
/* Ends what was collected, and rests: the kernel's names will change. */
int samples_flush(struct samples *samples, struct err *err);
/* Ends everything, and fills in the survey. */
int samples_finish(struct samples *samples, struct err *err);

#endif
