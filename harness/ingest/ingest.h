/*
 * Reading profiles of every kind into struct profile; the kind is told by content.
 *
 * A format is a const struct input_format in input_formats[] (ingest.c), which says how to add one.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "ingest/input_format.h"

#include <stdbool.h>
#include <stddef.h>

/* What is the same for all captures of a session: modules, their names, their unwind rows. */
struct ingest_cache;

struct ingest_cache *ingest_cache_new(void);
void ingest_cache_free(struct ingest_cache *cache);
/* Asks debuginfod servers for debug files that are not here. */
void ingest_cache_set_debuginfod(struct ingest_cache *cache, bool on);
/* Has programs, their debug files and the kernel's looked for below this folder. */
void ingest_cache_set_root(struct ingest_cache *cache, const char *root);
/* Warns of what could not be used and why, a line each; of a long list only the first. */
void ingest_cache_warn(const struct ingest_cache *cache);

/* NULL-ended; the first that detects wins, folded is last. */
extern const struct input_format *const input_formats[];

/* The format of a file that starts with these bytes; NULL if none detects it. */
const struct input_format *ingest_find_format(const char *bytes, size_t len);

/*
 * Reads `path` ("-": standard input) as columns added to `profile`. Input that no format detects,
 * or that holds no sample, is an error that says what it looked like and what is read. `options`
 * NULL: everything, as it is.
 */
int ingest_file(struct profile *profile, const char *path, const struct ingest_options *options,
	struct err *err);

#endif
