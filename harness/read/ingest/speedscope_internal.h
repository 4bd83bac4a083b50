/*
 * The parts of the reader of speedscope's files, for ingest_speedscope.c: the state that they
 * share, and the profiles of a file (speedscope_parts.c).
 */
#ifndef INGEST_SPEEDSCOPE_INTERNAL_H
#define INGEST_SPEEDSCOPE_INTERNAL_H

#include "base/err.h"
#include "base/json_pull.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame of the last stack read, by its number in the file, and the node that it led to. */
struct speedscope_step {
	uint64_t frame;
	node_id node;
};

/* In our own files weights that the format has no unit for are described beside it. */
struct speedscope_weights {
	char *unit; /* NULL: not described; all owned */
	char *metric;
	char *event;
	bool periods;
	double samples;
	double effective_samples;
};

struct speedscope_reading {
	struct json_pull json;
	struct profile *profile;
	const char *path;
	size_t column;
	frame_id *frames; /* by their number in the file */
	size_t nframes;
	size_t frames_capacity;
	bool has_frames;
	char *unit;       /* of the first profile; owned; NULL: there was none */
	const char *base; /* the base unit of that quantity, in which weights are */
	double scale;     /* from the unit of the part that is read to `base` */
	bool own;         /* profile_run wrote the file */
	struct speedscope_weights weights;
	size_t left_out; /* profiles of another quantity */
	/* Of the part that is read now: */
	struct speedscope_step
		*steps; /* the last stack: the next one has most of its outer frames */
	size_t nsteps;
	size_t steps_capacity;
	node_id *nodes; /* of the part's samples */
	size_t nnodes;
	size_t nodes_capacity;
};

/*
 * Reads the list of profiles at which the reader of JSON stands; `frames` and `own` are known.
 * Profiles of another quantity than the first one's are left out, with a warning.
 */
int speedscope_read_parts(struct speedscope_reading *reading, struct err *err);

#endif
