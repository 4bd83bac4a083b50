/*
 * Reading profiles of every kind into struct profile; the kind is told by content.
 *
 * A format is a const struct in input_formats[] (ingest.c), which says how to add one.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "base/err.h"
#include "base/file.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct symbol_cache;

struct ingest_options {
	/* Modules kept between reads; NULL: a cache of its own for each read. */
	struct symbol_cache *symbols;
};

struct input_format {
	const char *name; /* "perf.data", "perf-script", "folded" */
	const char *summary;
	/* Looks at the first bytes (up to 64 KiB) only. */
	bool (*detect)(const char *bytes, size_t len);
	/* Adds its runs as columns to `profile`; fills in their struct run as far as known. */
	int (*read)(struct profile *profile, const struct file_view *view, const char *path,
		const struct ingest_options *options, struct err *err);
};

/* NULL-ended; the first that detects wins, folded is last. */
extern const struct input_format *const input_formats[];

/*
 * Reads `path` ("-": standard input) as columns added to `profile`. Input that no format detects,
 * or that holds no sample, is an error that says what it looked like and what is read.
 */
int ingest_file(struct profile *profile, const char *path, const struct ingest_options *options,
	struct err *err);

#endif
