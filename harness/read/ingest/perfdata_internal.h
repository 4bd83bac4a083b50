/*
 * A perf.data file being read: ingest_perfdata.c takes its records, perfdata_end.c describes what
 * they amount to.
 */
#ifndef INGEST_PERFDATA_INTERNAL_H
#define INGEST_PERFDATA_INTERNAL_H

#include "base/key_map.h"
#include "ingest/event_choice.h"
#include "ingest/ingest.h"
#include "ingest/process_maps.h"
#include "ingest/sample_labels.h"
#include "ingest/samples.h"
#include "ingest/slow_operations.h"
#include "ingest/timeline.h"
#include "ingest/timings.h"
#include "perfdata/reader.h"
#include "symbols/symbolizer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_reading {
	struct samples samples;
	const char *path;
	const struct ingest_options *options; /* its cache is set */
	struct profile *profile;
	struct perfdata_reader *reader;
	struct symbolizer *symbolizer;
	struct comms comms;
	struct phase_marks phases;
	struct label_roots roots;
	size_t column;
	struct run run;
	struct operation_tally operations; /* of slow operations only */
	struct event_choice choice;        /* of the events whose samples are taken */
	size_t event;                      /* that describes them: choice.event */
	struct group_reads group;          /* of those that have no samples of their own */
	struct timings timings;
	struct data_maps data_maps; /* of waits for locks */
	struct key_map children;    /* processes that were forked meanwhile */
	struct time_range range;    /* of which samples are taken */
	bool has_start;             /* a record with a time was read */
	bool has_times;             /* weights are those of the timings */
	uint64_t other_samples;     /* of other events */
	uint64_t left_out;          /* of threads and processes that are not selected */
	uint64_t first_ns;          /* of the samples taken, whatever order they came in */
	uint64_t last_ns;
	uint64_t period_sum;
};

/* After the last record: describes the profile and its run, and warns of what is missing. */
void perfdata_end(struct perfdata_reading *reading);

#endif
