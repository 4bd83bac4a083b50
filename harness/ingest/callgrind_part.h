/*
 * The header of a part of a callgrind file: which process it is of, and what its costs are.
 *
 * A part is a thread, or a time, of a run; files that stand one behind the other are read as parts,
 * too.
 */
#ifndef INGEST_CALLGRIND_PART_H
#define INGEST_CALLGRIND_PART_H

#include "base/buf.h"
#include "ingest/callgrind_line.h"
#include "ingest/ingest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros before the first. */
struct callgrind_part {
	size_t positions; /* in each line of costs; 0: not told, which is one */
	size_t which;     /* of the events in each line of costs */
	bool has_events;
	bool has_event;    /* the one that is wanted is among them */
	struct buf events; /* the names of all */
	struct buf event;  /* the name of the one that is read; once there, it stays */
	struct buf command;
	uint32_t pid;
	uint32_t thread; /* 0: not told */
};

void callgrind_part_release(struct callgrind_part *part);

/* Forgets what another file told. */
void callgrind_part_begin_file(struct callgrind_part *part);
/* Takes a header line; those that say nothing that is wanted are passed over. */
void callgrind_part_take(struct callgrind_part *part, const struct callgrind_line *line,
	const struct ingest_options *options);

/* What the root of its stacks is called; free() it. */
char *callgrind_part_root(const struct callgrind_part *part, const struct ingest_options *options);
/* Whether the options want it. */
bool callgrind_part_is_wanted(
	const struct callgrind_part *part, const struct ingest_options *options);

#endif
