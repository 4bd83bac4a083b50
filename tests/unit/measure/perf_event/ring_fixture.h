/* A ring buffer in memory, which a test fills as the kernel would, for the tests of draining. */
#ifndef UNIT_PERF_EVENT_RING_FIXTURE_H
#define UNIT_PERF_EVENT_RING_FIXTURE_H

#include "perf_event/events.h"
#include "perf_event/ring.h"

#include <stdlib.h>
#include <string.h>

/* The registers of a sample. */
#define RING_NREGS 24

/* A buffer of `bytes` whose records begin at stream position `start`; free() its data. */
static inline struct ring
ring_made(struct perf_event_mmap_page *page, size_t bytes, uint64_t start)
{
	struct ring ring = {.page = page, .data = calloc(1, bytes), .data_bytes = bytes};

	if (!ring.data)
		abort();
	page->data_head = page->data_tail = start;
	return ring;
}

/* The attributes of samples with registers and a stack copy of `stack_bytes`. */
static inline struct perf_event_attr
ring_attr(uint32_t stack_bytes)
{
	const struct capture_event event = {.type = PERF_TYPE_SOFTWARE, .kernel = true};
	struct perf_event_attr attr;

	event_attr(&attr, &event, 0, 999, true);
	attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = (UINT64_C(1) << RING_NREGS) - 1;
	attr.sample_stack_user = stack_bytes;
	return attr;
}

/* Writes the next word of a record, as the kernel does. */
static inline void
ring_put_word(struct ring *ring, uint64_t word)
{
	memcpy(ring->data + (ring->page->data_head & (ring->data_bytes - 1)), &word, sizeof(word));
	ring->page->data_head += sizeof(word);
}

#endif
