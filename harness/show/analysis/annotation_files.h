/*
 * The source files of an annotation: which file of one side is which of the other, and where the
 * lines before the change are after it.
 */
#ifndef ANALYSIS_ANNOTATION_FILES_H
#define ANALYSIS_ANNOTATION_FILES_H

#include "analysis/line_map.h"
#include "base/allowance.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the sources of a side are. */
struct source_place {
	const char *folder; /* below which they are; NULL: where its debug information says */
	const char *root;   /* that relative names start from; NULL: here */
	int64_t built_s;    /* when the last of its programs was written; 0: not known */
};

struct annotation_file {
	const char *path; /* as the last side that has it names it; NULL: not known */
	double weight;
	size_t side;         /* that one */
	bool is_compared;    /* the other side has it, too */
	struct line_map map; /* from lines there to lines here; zeros: not known, then ... */
	int64_t shift;       /* ... a line there is this much further down here */
};

struct annotation_files {
	struct annotation_file *all;
	size_t count;
	size_t capacity;
	struct source_place places[2]; /* by side */
	/* For two sides, the function's own file and the line of its declaration; NULL: not
	 * known.
	 */
	const char *own[2];
	uint32_t declared[2];
	struct allowance cells; /* for comparing the sides' sources */
};

void annotation_files_init(struct annotation_files *files);
void annotation_files_release(struct annotation_files *files);

/*
 * Index of the file that a side calls `path`, added if need be. Files of the last side are added
 * first.
 */
uint32_t annotation_file_of(struct annotation_files *files, size_t side, const char *path);

/* Where a line of the side before is on the last side; zeros: it is gone, or not known. */
struct line_range annotation_line_after(const struct annotation_file *file, uint32_t line);

#endif
