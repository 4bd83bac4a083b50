/*
 * The samples of a capture that the options select, by thread and by time, and the names of threads
 * at the roots of stacks. Ranges of time are for perf.data only (perfdata_internal.h).
 */
#ifndef INGEST_SELECTION_H
#define INGEST_SELECTION_H

#include "ingest/ingest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a thread is selected; '_' in either name also stands for a space. */
bool selection_takes(const struct ingest_options *options, uint32_t pid, uint32_t tid,
	const char *comm, size_t len);
/* Whether two names of threads are the same, where '_' in either also stands for a space. */
bool selection_same_name(const char *wanted, const char *name, size_t len);
/*
 * The name of a thread in stacks: '_' for spaces, "(unnamed)" for an empty name, followed by the
 * ids that the label includes. free() it.
 */
char *selection_value(
	enum label_kind kind, const char *name, size_t len, uint32_t pid, uint32_t tid);

#endif
