/*
 * The operations of a capture, in a sentence.
 */
#ifndef PROFILE_OPERATION_WORDS_H
#define PROFILE_OPERATION_WORDS_H

#include "base/buf.h"
#include "profile/latency.h"

#include <stddef.h>
#include <stdint.h>

struct operation_words {
	const char *name; /* how they were named */
	struct latency latency;
	double slower_than_ns; /* 0: all are wanted */
	size_t nslow;
	double on_ns; /* of slow ones; both 0: not known */
	double off_ns;
	uint64_t unended;
	uint64_t unbegun;
	uint64_t unfinished;
	double unfinished_ns;
};

/*
 * Appends, without a full stop: "1,000 of work: p50 1.0 ms, p90 1.1 ms, p99 25 ms, p99.9 26 ms, max
 * 26 ms; 30 (3.0 %) took longer than 20 ms: 600 ms, 40.0 % on the CPU and 60.0 % off; ...", the
 * last parts for what has no end or no begin.
 */
void operation_words_put(const struct operation_words *words, struct buf *out);

#endif
