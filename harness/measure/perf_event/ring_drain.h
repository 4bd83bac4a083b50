/*
 * Draining a ring buffer: its records are counted, their stack copies are trimmed or shared, and
 * they are forwarded to a sink; then the kernel gets their room back.
 */
#ifndef PERF_EVENT_RING_DRAIN_H
#define PERF_EVENT_RING_DRAIN_H

#include "base/err.h"
#include "perf_event/ring.h"
#include "perf_event/share.h"

#include <linux/perf_event.h>
#include <stdint.h>

/* Counts of the records that were drained. */
struct ring_counts {
	uint64_t samples;
	uint64_t lost;         /* records, by PERF_RECORD_LOST */
	uint64_t lost_samples; /* by PERF_RECORD_LOST_SAMPLES */
	uint64_t throttled;
	uint64_t switches; /* to and from a CPU */
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
	/* These two only without a sink: */
	uint64_t callchains;    /* samples with a caller's address in user space beside their own */
	uint64_t stacks;        /* samples with a copy of some of their stack */
	uint64_t trimmed_bytes; /* of stack copies: not valid, and not forwarded */
	uint64_t shared_bytes;  /* of their valid part: replaced by references */
};

/* How the buffer is drained, and where its records go. */
struct ring_drain {
	struct ring_counts *counts;
	const struct perf_event_attr *attr; /* what the samples were taken by: event_attr();
					       NULL: stack copies are ignored */
	ring_sink sink;                     /* NULL: the records are only counted */
	void *context;                      /* for the sink */
	struct share *share;                /* NULL: stack copies are written whole */
	uint64_t position; /* with `share`: where in the file the first record goes, relative to
			      any fixed origin */
};

/*
 * Counts all complete records, forwards them to the sink with their stack copies trimmed and frees
 * their room. Returns how many bytes there were, -1 if the sink fails.
 */
long ring_drain(struct ring *ring, const struct ring_drain *drain, struct err *err);

#endif
