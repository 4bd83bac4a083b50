/*
 * The types of values that a pprof file has: which one is read, and in which unit.
 */
#ifndef INGEST_PPROF_TYPES_H
#define INGEST_PPROF_TYPES_H

#include "base/buf.h"
#include "base/unit.h"
#include "ingest/pprof_tables.h"

#include <stddef.h>

/*
 * Sets *type to the index of the type `wanted`; if that is NULL to the one that pprof shows: the
 * file's default, or its last one. Samples say the same as the CPU time that each stands for, and
 * how many there are: they are read instead. `path` is for messages.
 */
int pprof_types_choose(const struct pprof_tables *tables, const char *path, const char *wanted,
	size_t *type, struct err *err);

/* The unit of a type; NULL for all but times and sizes. */
const struct unit *pprof_types_unit(
	const struct pprof_tables *tables, const struct pprof_type *type);

/* Adds the name of a type to a list for a message, which ends with "..." where it is long. */
void pprof_types_list(const struct pprof_tables *tables, size_t type, struct buf *out);

/* Warns of the types that are not read, unless they say the same as `type`. */
void pprof_types_warn(const struct pprof_tables *tables, const char *path, size_t type);

#endif
