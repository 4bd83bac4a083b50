/*
 * The names of threads, the phases of a program, and the nodes of both: what the stacks of a
 * perf.data file stand below.
 */
#ifndef INGEST_SAMPLE_LABELS_H
#define INGEST_SAMPLE_LABELS_H

#include "base/err.h"
#include "base/key_map.h"
#include "base/strtab.h"
#include "base/text_map.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "perfdata/reader.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The names of threads over time, by COMM and FORK records.
 */

struct comms {
	struct strtab names;
	struct key_map by_tid;
	str_id *entries; /* names by number in by_tid; owned */
	size_t capacity;
};

void comms_init(struct comms *comms);
void comms_release(struct comms *comms);

void comms_set(struct comms *comms, uint32_t tid, const char *name);
/* The thread starts with the name of the one that made it. */
void comms_fork(struct comms *comms, uint32_t tid, uint32_t parent_tid);
/* Whether a record named the thread, or was of its parent. */
bool comms_know(const struct comms *comms, uint32_t tid);
/*
 * The thread's name with '_' for spaces; "(unnamed)" for an empty name; ":TID" where no record
 * named it, as perf script has it.
 */
const char *comms_name(struct comms *comms, uint32_t tid);
/* The same, in `names`. */
str_id comms_name_id(struct comms *comms, uint32_t tid);

/*
 * The phases of a program, by the marks that it set while it was recorded (capture --phases).
 *
 * A mark is a sample of the event "phase", whose raw data is the phase's name (empty: none), or of
 * an event "phase:NAME", of a probe in the program. A phase lasts, for all threads of the file,
 * until the next mark. Marks of threads that the file knows nothing else of are those of other
 * programs.
 */

struct phase_marks {
	const struct perfdata_reader *reader; /* borrowed */
	struct strtab names;
	str_id now; /* in `names`; 0: no phase */
	bool known; /* the file has marks */
};

void phase_marks_init(struct phase_marks *phases, const struct perfdata_reader *reader);
void phase_marks_release(struct phase_marks *phases);

/* Whether samples of an event of this name are marks. */
bool phase_marks_are_of(const char *event);

/* Whether the record is a mark; then it has been taken. */
bool phase_marks_take(
	struct phase_marks *phases, const struct comms *comms, const struct record *record);

/* An error if `options` ask for phases, and the file has none. */
int phase_marks_check(const struct phase_marks *phases, const struct ingest_options *options,
	const char *path, struct err *err);

/* Adds a note: the names of the phases so far, in the order in which they began first. */
void phase_marks_note(const struct phase_marks *phases, struct err *err);

/* The name of the present phase; NULL: there is none. */
const char *phase_marks_name(const struct phase_marks *phases);

/*
 * The nodes that the stacks of a perf.data file stand below: a frame for each label that it is cut
 * by.
 */

/* A label has up to three numbers: a name, and the ids beside it. */
#define LABEL_ROOT_WORDS (3 * LABELS_MAX)

struct label_roots {
	struct profile *profile;          /* borrowed, as all below */
	const struct labels *by;          /* at least one */
	struct comms *comms;              /* its names have ids */
	const struct phase_marks *phases; /* the present one is a sample's */
	struct text_map nodes;            /* by the numbers of all labels */
	uint32_t last[LABEL_ROOT_WORDS];
	node_id last_node; /* of these; CTREE_ROOT: there was none yet */
};

void label_roots_release(struct label_roots *roots);

/*
 * The node of a sample of this thread, now; CTREE_ROOT: it was not made yet. Changes nothing in the
 * profile.
 */
node_id label_roots_made(struct label_roots *roots, uint32_t pid, uint32_t tid);
/* The node, made if it is not there. */
node_id label_roots_make(struct label_roots *roots, uint32_t pid, uint32_t tid);

/* Whether a label of the present sample has this value. */
bool label_roots_are(struct label_roots *roots, enum label_kind kind, const char *value,
	uint32_t pid, uint32_t tid);

#endif
