/*
 * Stack copies walked by libdw, as a second opinion on ours: slow, and sharing no code with it.
 */
#ifndef LIBDW_WALK_H
#define LIBDW_WALK_H

#include "perfdata/records.h"
#include "symbols/spaces.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIBDW_DEPTH_MAX 1024

enum libdw_end {
	LIBDW_ROOT,
	LIBDW_TRUNCATED, /* it asked for memory behind the copy */
	LIBDW_BROKEN,
};

struct libdw_frame {
	uint64_t address;
	bool exact;
};

struct libdw_stack {
	struct libdw_frame frames[LIBDW_DEPTH_MAX];
	size_t count;
	enum libdw_end end;
	const char *why; /* libdw's message where it did not reach the root */
};

struct libdw_walk;

struct libdw_walk *libdw_walk_new(void);
void libdw_walk_free(struct libdw_walk *walk);

/* Walks the sample's stack in a process that has `space` mapped. `mask` is sample_regs_user. */
void libdw_walk_sample(struct libdw_walk *walk, const struct space *space, uint64_t mask,
	const struct record_sample *sample, struct libdw_stack *stack);

#endif
