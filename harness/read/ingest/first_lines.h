/*
 * The first lines of a text file, by which its format is detected: input_format.detect().
 */
#ifndef INGEST_FIRST_LINES_H
#define INGEST_FIRST_LINES_H

#include "base/file_view.h"
#include "base/lines.h"

#include <stdbool.h>
#include <stddef.h>

struct first_lines {
	struct file_view view;
	struct lines lines;
	bool may_be_cut; /* the file may go on */
};

/* `bytes` are what detect() gets, and are borrowed. Binary data have no lines. */
void first_lines_init(struct first_lines *first, const char *bytes, size_t len);
/*
 * Takes the next line; false after the last one. Of a file that may go on, the line at its end is
 * left out unless it is the only one.
 */
bool first_lines_next(struct first_lines *first, struct line *line);

#endif
