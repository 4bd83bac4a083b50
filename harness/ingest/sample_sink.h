/*
 * Where samples end: as weights in the call tree, in the survey of stacks, and in a condensed file.
 * One thread at a time may use it.
 */
#ifndef INGEST_SAMPLE_SINK_H
#define INGEST_SAMPLE_SINK_H

#include "base/err.h"
#include "ingest/call_chain.h"
#include "ingest/code_maps.h"
#include "ingest/ingest.h"
#include "ingest/stacks.h"
#include "perfdata/condense.h"
#include "perfdata/reader.h"
#include "unwind/jobs.h"

#include <stddef.h>
#include <stdint.h>

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

/* The fields that are borrowed, and `column`, are set by the caller; all others are made here. */
int sample_sink_init(struct sample_sink *sink, const struct perfdata_reader *reader,
	struct symbolizer *symbolizer, const struct ingest_options *options, struct err *err);
void sample_sink_release(struct sample_sink *sink);

/* What was found of a sample's copy of the stack. */
struct walked_sample {
	const struct unwind_job *job;
	const struct code_space *space; /* NULL: nothing is known of the process */
};

/* A sample whose stack was walked. */
int sample_sink_walked(struct sample_sink *sink, const struct record *record, frame_id root,
	const struct walked_sample *walked, struct err *err);
/* A sample that has a call chain, or only its address; it does not go into the condensed file. */
void sample_sink_chain(struct sample_sink *sink, const struct record *record, frame_id root);
/* Ends the condensed file. */
int sample_sink_finish(struct sample_sink *sink, struct err *err);

#endif
