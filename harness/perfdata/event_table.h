/*
 * The events of a perf.data file: their attributes, how their records are laid out, and which
 * event a record belongs to.
 */
#ifndef PERFDATA_EVENT_TABLE_H
#define PERFDATA_EVENT_TABLE_H

#include "base/arena.h"
#include "base/err.h"
#include "perfdata/decode.h"
#include "perfdata/file_bytes.h"
#include "perfdata/perfdata_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_id {
	uint64_t id;
	size_t event;
};

struct event_entry {
	struct perfdata_event event;
	struct record_layout layout;
	uint64_t nsamples;
};

struct event_table {
	struct event_entry *entries;
	size_t count;
	size_t capacity;
	struct event_id *ids; /* by id */
	size_t nids;
	bool by_id; /* records say which event they belong to */
};

void event_table_release(struct event_table *table);

/*
 * Adds an event: `attr_bytes` of its attributes, of which the first ones are known here, and the
 * bytes of its ids, neither aligned. Copies of the ids are the arena's.
 */
void event_table_add(struct event_table *table, struct arena *arena, const char *attr,
	size_t attr_bytes, struct file_bytes ids);

/* To be called after events were added. Events whose samples cannot be told apart are an error. */
int event_table_index(struct event_table *table, const char *path, struct err *err);

/* The event that has `id`, or NULL. */
struct event_entry *event_table_find(struct event_table *table, uint64_t id);
/*
 * The index of the event that a record belongs to. False if the record names none that is known:
 * the index is then that of the first, whose layout is as good as any.
 */
bool event_table_of(const struct event_table *table, const struct raw_record *raw, size_t *event);

#endif
