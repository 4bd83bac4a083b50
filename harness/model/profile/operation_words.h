/*
 * The operations of a capture in a sentence: how many there were, their latencies, and where the
 * time of the slow ones went.
 */
#ifndef PROFILE_OPERATION_WORDS_H
#define PROFILE_OPERATION_WORDS_H

#include "base/buf.h"
#include "profile/latency.h"

#include <stddef.h>
#include <stdint.h>

struct operation_words {
	const char *name; /* of the operations, as the user has named them */
	struct latency latency;
	double slower_than_ns; /* above it an operation is slow; 0: all are wanted */
	size_t nslow;
	double on_ns;         /* time of the slow operations on the CPU, */
	double off_ns;        /* and off it; both 0: not known */
	uint64_t unended;     /* operations that begin and have no end */
	uint64_t unbegun;     /* ends without a begin */
	uint64_t unfinished;  /* operations that had not ended when the capture ended */
	double unfinished_ns; /* the longest of them, so far */
};

/*
 * Appends, without a full stop: "1,000 of work: p50 1.0 ms, p90 1.1 ms, p99 25 ms, p99.9 26 ms, max
 * 26 ms; 30 (3.0 %) took longer than 20 ms: 600 ms, 40.0 % on the CPU and 60.0 % off; ...", the
 * last parts only where operations have no end or no begin.
 */
void operation_words_put(const struct operation_words *words, struct buf *out);

#endif
