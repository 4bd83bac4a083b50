/*
 * The views: what else than its samples an event of a perf.data file can be read as (--event). A
 * view is requested, or a file is written for it: its first event has the view's name.
 *
 * To add one: a line of views[] (views.c), and its weights, in timings.c.
 */
#ifndef INGEST_VIEWS_H
#define INGEST_VIEWS_H

#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>

enum view_kind {
	VIEW_CALL_NS,     /* of system calls, how long each took */
	VIEW_IO_BYTES,    /* of those that read or write, how many bytes each moved */
	VIEW_IO_NUMBER,   /* ... one each */
	VIEW_LOCK_NS,     /* of waits for locks, how long */
	VIEW_LOCK_NUMBER, /* ... one each */
	VIEW_LOCK_WAKERS, /* how long, by the stacks that ended them */
};

struct view {
	const char *name;
	enum view_kind kind;
	const char *metric; /* of the profile */
	const char *unit;   /* of its weights */
	const char *missed; /* without any of it: "no thread waited ..." */
};

/* The view of this name; NULL if there is none, or `name` is NULL. */
const struct view *view_find(const char *name);

/* The view to read the file as: `wanted` (--event), or if that is NULL that of its first event. */
const struct view *view_of(const struct perfdata_reader *reader, const char *wanted);

/* Whether it is of system calls, else of context switches. */
bool view_is_of_calls(const struct view *view);

/* The event that a view is of. SIZE_MAX: the file has none. */
size_t view_event(const struct perfdata_reader *reader, const struct view *view);

#endif
