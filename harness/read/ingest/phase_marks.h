/*
 * The phases of a program, by the marks that it set while it was recorded (capture --phases).
 *
 * A mark is a sample of the event "phase", whose raw data is the phase's name (empty: none), or of
 * an event "phase:NAME", of a probe in the program. A phase lasts, for all threads of the file,
 * until the next mark. Marks of threads that the file knows nothing else of are those of other
 * programs.
 */
#ifndef INGEST_PHASE_MARKS_H
#define INGEST_PHASE_MARKS_H

#include "base/err.h"
#include "base/strtab.h"
#include "ingest/comms.h"
#include "ingest/ingest.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
