/* The text of a source file, by lines. */
#ifndef ANALYSIS_SOURCE_TEXT_H
#define ANALYSIS_SOURCE_TEXT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is a file that was not found. */
struct source_text {
	char *path; /* where it was found */
	int64_t written_s;
	struct buf text;
	size_t *starts; /* of each line, and behind the last */
	size_t nlines;
	size_t starts_capacity;
};

/*
 * Finds the file that debug information calls `path`: that file, or with a `folder` the one below
 * it whose path ends as `path` does, in as many parts as there are. False where there is none that
 * can be read.
 */
bool source_text_find(struct source_text *source, const char *path, const char *folder);
void source_text_release(struct source_text *source);

/* Appends line `number`, counted from 1, without its end, made safe and its tabs as spaces. */
void source_text_put(const struct source_text *source, uint32_t number, struct buf *out);

/* Line `line`, counted from 0, with its end; its length goes to *len. Borrowed. */
const char *source_text_line(const struct source_text *source, size_t line, size_t *len);

#endif
