/*
 * The roots of the stacks of perf script's text: whose sample it is, by the comm and the ids that a
 * header line begins with, as the options want it.
 */
#ifndef INGEST_SCRIPT_ROOTS_H
#define INGEST_SCRIPT_ROOTS_H

#include "base/text_map.h"
#include "ingest/ingest.h"
#include "ingest/script_line.h"

/* Of a sample that the options leave out. */
#define SCRIPT_ROOT_NONE UINT32_MAX

struct script_process;

struct script_roots {
	struct profile *profile;
	const struct ingest_options *options;
	struct text_map fronts;  /* "comm 12/34" as it stands -> frame_id or SCRIPT_ROOT_NONE */
	struct text_entry *last; /* the front found last; NULL if none */
	/* For INGEST_ROOT_PROCESS: a frame for each process, named at the end. */
	struct script_process *processes;
	size_t nprocesses;
	size_t capacity;
	struct text_map process_ids; /* a pid's bytes -> its place in `processes` */
};

/* Both are borrowed. */
void script_roots_init(
	struct script_roots *roots, struct profile *profile, const struct ingest_options *options);
void script_roots_release(struct script_roots *roots);

/*
 * Parses a header line and finds its root. False where it is no header line; *root is then not set.
 * Where the line begins like the one before, that part is not parsed again, and header->comm and
 * header->ids are empty.
 */
bool script_roots_parse(struct script_roots *roots, struct text_span line,
	struct script_header *header, frame_id *root);

/*
 * After the last sample: gives processes their names. The frames are then no longer those that
 * profile_frame() finds: the profile is to be copied with profile_append().
 */
void script_roots_name_processes(struct script_roots *roots);

#endif
