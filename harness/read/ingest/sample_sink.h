/*
 * Where samples end: their stacks are symbolized, and their weights go into the call tree, their
 * stacks into the survey and, as call chains, into a condensed file.
 */
#ifndef INGEST_SAMPLE_SINK_H
#define INGEST_SAMPLE_SINK_H

#include "base/err.h"
#include "ingest/call_chain.h"
#include "ingest/function_lines.h"
#include "ingest/perfdata_internal.h"
#include "ingest/sample_weights.h"
#include "ingest/stacks.h"
#include "perfdata/condense.h"
#include "perfdata/records.h"
#include "profile/profile.h"
#include "profile/sample_times.h"
#include "unwind/unwind_batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_space;
struct stack_survey;

/* One thread at a time may use it. */
struct sample_sink {
	struct profile *profile; /* borrowed */
	const char *path;        /* of the file, in messages; borrowed */
	size_t limit;            /* of the tree (tree_limit()) */
	size_t column;
	struct sample_weights weights;
	bool by_period;        /* ... but a sample's weight is what was counted or timed */
	bool timed;            /* ... which is a time: what is counted of a run are still samples */
	bool locks;            /* only waits for locks are taken, and what ended them */
	bool numbers;          /* ... each of which weighs 1 */
	uint64_t locks_weight; /* of those taken; their number is counted.samples */
	struct run *run;       /* borrowed: `counted` is added to it at the end */
	struct run counted;
	struct stacks stacks;
	struct stack_survey *survey; /* NULL: not wanted */
	struct function_lines lines;
	struct sample_times *times; /* NULL: not wanted */
	bool clock;                 /* a sample stands for the time of its period before it */
	struct timed_sample moment; /* of the sample that is being put */
	struct perfdata_condenser *condenser; /* NULL: nothing is condensed */
	struct call_chain chain;              /* for it */
	const char
		*syscall_arch; /* NULL, or samples are system calls on such a machine: uname -m */
};

/* A sample, and what is known of it. */
struct sink_sample {
	struct record record;
	node_id root; /* CTREE_ROOT: it weighs nothing, and only goes into the condensed file */
	struct timeline_entry wait;
	const struct code_space *space; /* NULL: nothing is known of its process */
};

/* The time of the capture's clock since its start. */
uint64_t sink_since_start(const struct sample_sink *sink, uint64_t time_ns);
/* Puts a sample whose stack was unwound. */
int sink_put_unwound(struct sample_sink *sink, const struct sink_sample *known,
	const struct unwind_sample *unwound, struct err *err);
/*
 * Puts a sample with a call chain, or only its address; it does not go into the condensed file.
 * `cut`: the kernel ended the chain before its outermost frame.
 */
void sink_put_chain(struct sample_sink *sink, const struct record *record, node_id root,
	struct timeline_entry wait, bool cut);
/* Puts a time without a stack, of this record; not into the condensed file either. */
void sink_put_wait(struct sample_sink *sink, const struct record *record, node_id root,
	struct timeline_entry wait);

#endif
