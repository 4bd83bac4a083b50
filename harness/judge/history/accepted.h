/*
 * Events of a history that somebody accepted: they alert no longer, and the level after them is the
 * normal one. HISTORY/accepted.tsv has a line for each (entry.h):
 *
 *     since workload function reason issue
 *
 * A function of "-" is any, or the whole program.
 */
#ifndef HISTORY_ACCEPTED_H
#define HISTORY_ACCEPTED_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct accepted {
	int64_t since; /* the first night, give or take a week */
	const char *workload;
	const char *function; /* "": any */
	const char *reason;
	const char *issue; /* URL; "": none */
};

struct accepted_list {
	struct arena arena; /* of the texts */
	struct accepted *items;
	size_t count;
	size_t capacity;
};

/* The list of the history at `dir`, which may have none. On error nothing needs releasing. */
int accepted_read(struct accepted_list *list, const char *dir, struct err *err);
void accepted_release(struct accepted_list *list);

/* Adds a line to the list of the history at `dir`, under its lock. */
int accepted_add(const char *dir, const struct accepted *item, struct err *err);

#endif
