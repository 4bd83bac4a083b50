/*
 * git's diff of the working tree from a commit: its hunks, to show those that a finding is about,
 * and the lines that changed. Lines that differ by white space only are not changed.
 */
#ifndef BUILDS_DIFF_HUNKS_H
#define BUILDS_DIFF_HUNKS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Line numbers are those of the file after the change, from 1. */
struct diff_hunk {
	const char *path; /* in the repository */
	uint32_t first; /* changed lines, both included; where lines were removed, the line that */
	uint32_t last;  /* is there now */
	uint32_t begin; /* of the first line of `text` */
	const char *text; /* its lines without the head: " same", "-before", "+after" */
};

/* All zeros: there are none. Owned; texts are the arena's. */
struct diff_hunks {
	struct arena arena;
	struct diff_hunk *hunks; /* in the order of the diff */
	size_t count;
	size_t capacity;
};

/* Those since a commit; none where git does not have it. The rest of a large diff is not read. */
void diff_hunks_read(struct diff_hunks *hunks, const char *commit);
/* Adds those of a text, any bytes. */
void diff_hunks_parse(struct diff_hunks *hunks, const char *diff, size_t len);
void diff_hunks_release(struct diff_hunks *hunks);

/* How much of a hunk is wanted. */
struct diff_excerpt {
	uint32_t from; /* only lines from here ... */
	uint32_t to;   /* ... to here, and those around them */
	uint32_t near; /* the line that is wanted most; 0: the first changed one */
	size_t most_lines;
	size_t most_bytes;
};

/*
 * Appends the lines of a hunk that are wanted, whole ones. Returns the number of the first one;
 * *cut is set if some are left out.
 */
uint32_t diff_hunk_put(const struct diff_hunk *hunk, const struct diff_excerpt *wanted,
	struct buf *out, bool *cut);

/* Lines that were added or changed; for lines that were removed, the line above them. */
struct changed_range {
	const char *path; /* in the repository */
	uint32_t first;   /* line numbers from 1, both included */
	uint32_t last;
	bool removed; /* the line itself is unchanged: lines behind it were removed */
};

/* All zeros: none are known. */
struct changed_lines {
	struct arena arena; /* of the paths */
	struct changed_range *ranges;
	size_t count;
	size_t capacity;
};

/* Adds those of hunks. */
void changed_lines_find(struct changed_lines *lines, const struct diff_hunks *hunks);
/* Reads them; none, where git does not have the commit. */
void changed_lines_read(struct changed_lines *lines, const char *commit);
void changed_lines_release(struct changed_lines *lines);

bool changed_lines_have(const struct changed_lines *lines, const char *path, uint32_t line);

/* The changed line from `first` to `last` that is nearest to `line`, above it if possible; 0: none.
 */
uint32_t changed_lines_near(const struct changed_lines *lines, const char *path, uint32_t first,
	uint32_t last, uint32_t line);

#endif
