/*
 * The way of a perf.data file's samples: from the records, with the maps of their process
 * (code_maps.h), through unwinding and symbolizing, to the weights in the call tree
 * (sample_sink.h).
 */
#ifndef INGEST_SAMPLES_H
#define INGEST_SAMPLES_H

#include "base/err.h"
#include "base/stages.h"
#include "ingest/call_chain.h"
#include "ingest/code_maps.h"
#include "ingest/frame_limit.h"
#include "ingest/ingest.h"
#include "ingest/perfdata_internal.h"
#include "ingest/sample_sink.h"
#include "perfdata/reader.h"
#include "perfdata/records.h"
#include "profile/profile.h"
#include "symbols/symbolizer.h"
#include "unwind/unwind_machine.h"
#include "unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Samples that carry a copy of their stack are collected into batches: several are unwound at once,
 * and one at a time, in order, is symbolized (base/stages.h). All others go straight into the tree.
 * Each sample keeps the maps of its process as of samples_put(), so that these may change
 * meanwhile. Everything else in the profile and the symbolizer may change only after
 * samples_wait(), the kernel's names only after samples_flush().
 */

struct batch;

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): padding keeps writers apart. */
struct samples {
	const struct perfdata_reader *reader;     /* borrowed */
	const struct slow_operations *operations; /* borrowed: marks of operations; NULL: none */
	const struct unwind_machine *machine;     /* NULL: not known how to unwind its stacks */
	struct code_maps maps;
	struct call_chain leaf;
	struct frame_limit frames; /* of chains that the kernel found; the caller sets it */
	unsigned threads;
	struct stages *stages;       /* that batches go through; NULL until a sample needs it */
	struct unwinder **unwinders; /* by thread */
	unsigned nunwinders;
	struct batch *batches;
	struct batch *filling; /* being collected */

	/* On cache lines of its own: its writer shares none with other threads. */
	_Alignas(64) struct sample_sink sink;
	int symbolized; /* -1: symbolizing failed, with: */
	struct err err;
};

/* The caller sets `reader`, `frames` and the sink's `column` and borrowed members; the rest is made
 * here. */
int samples_init(struct samples *samples, struct symbolizer *symbolizer,
	const struct ingest_options *options, struct err *err);
void samples_release(struct samples *samples);

/*
 * Adds a sample, below the node `root`. `wait`: the wait that begins at this sample, if any; a
 * frame added at the leaf names it. The caller has made its length, `ns`, the sample's period.
 */
int samples_put(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err);
/* Adds a wait that began at a record without a stack; its weight is its length. */
int samples_put_wait(struct samples *samples, const struct record *record, node_id root,
	struct timeline_entry wait, struct err *err);
/* The phase `name` begins at this time of the capture's clock; NULL: the open phase ends. */
void samples_put_phase(struct samples *samples, uint64_t time_ns, const char *name);
/*
 * Takes a record that is no sample, or a sample that is not selected, for the condensed file only.
 * Every record that is read must be put or forwarded, so that batched samples are symbolized before
 * the reader reuses their memory.
 */
int samples_forward(struct samples *samples, const struct record *record, struct err *err);
/* Waits until no batch is being symbolized. None is before the next record is put or forwarded. */
int samples_wait(struct samples *samples, struct err *err);
/* Flushes all batches and waits; call it before the kernel's names change. */
int samples_flush(struct samples *samples, struct err *err);
/* Flushes everything, ends the condensed file and fills in the survey. */
int samples_finish(struct samples *samples, struct err *err);

#endif
