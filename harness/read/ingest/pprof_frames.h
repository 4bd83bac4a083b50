/*
 * The frames of a profile that stand for the functions, locations and mappings of a pprof file.
 */
#ifndef INGEST_PPROF_FRAMES_H
#define INGEST_PPROF_FRAMES_H

#include "ingest/pprof_tables.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct pprof_frames {
	struct profile *profile; /* borrowed, as the tables */
	const struct pprof_tables *tables;
	str_id *interned;   /* by text; 0: not yet */
	frame_id *named;    /* by text, of functions and of inlined ones; 0: not made yet */
	bool at_lines;      /* a frame is of a line of its function, where that is known */
	frame_id *of_lines; /* of tables->lines */
	frame_id *unnamed;  /* of tables->locations without functions */
};

/* Makes those of all locations. */
void pprof_frames_make(struct pprof_frames *frames, const struct pprof_tables *tables,
	struct profile *profile, bool at_lines);
void pprof_frames_release(struct pprof_frames *frames);

/* The name of a mapping's file, behind the last '/'; empty where there is no such mapping. */
struct pprof_text pprof_frames_file(const struct pprof_tables *tables, uint32_t mapping);

#endif
