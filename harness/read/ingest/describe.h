/*
 * The description of a profile in a perf.data file: command, event, machine, frequency.
 */
#ifndef INGEST_DESCRIBE_H
#define INGEST_DESCRIBE_H

#include "perfdata/reader.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the event counts CPU time: its period is in ns. */
bool describe_is_clock(const struct perf_event_attr *attr);

/* Whether each sample states how long a thread waited: of perf record --off-cpu. */
bool describe_is_off_cpu(const struct perfdata_event *event);

/*
 * Events that profile_run counted, each sample of which is a stack with all that it did: the weight
 * of such a sample is its period.
 */
struct counted_event {
	const char *name;
	const char *metric;
	const char *unit;
};

/* NULL for an event of samples. */
const struct counted_event *describe_counted(const struct perfdata_event *event);

/* Sets an attribute of the profile unless it is known, or there is no text. */
void describe_set(struct profile *profile, str_id *attribute, const char *text);
/*
 * Sets the unit of the weights, unless it is known, from the name that a file has for it: of times
 * and sizes to the base of their quantity; "count" and "none" are no unit. Returns how many of that
 * one of the file's is.
 */
double describe_unit(struct profile *profile, const char *name, size_t len);
/* For times that threads waited, and with `all` also ran: before describe_capture(). */
void describe_times(struct profile *profile, bool all);
/*
 * Fills in what `profile` does not say yet; `event` is the one whose samples it holds, the first of
 * them at `first_ns`.
 */
void describe_capture(struct profile *profile, const struct perfdata_reader *reader, size_t event,
	uint64_t first_ns);

#endif
