/*
 * An annotation as it is shown, row by row: the files, their lines with weight and the lines around
 * these, and below each line its instructions. Plain data, so that a report can keep it.
 */
#ifndef ANALYSIS_ANNOTATION_ENTRIES_H
#define ANALYSIS_ANNOTATION_ENTRIES_H

#include "analysis/annotation.h"
#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum annotation_kind {
	ANNOTATION_FILE, /* the rows of a file follow */
	ANNOTATION_GAP,  /* lines without weight are left out */
	ANNOTATION_LINE,
	ANNOTATION_INSTRUCTION, /* of the last side, of the line before */
	ANNOTATION_KINDS,
};

struct annotation_entry {
	enum annotation_kind kind;
	bool found;       /* of a file: its source is there */
	bool newer;       /* of a file: its source was changed after the program was built */
	uint64_t number;  /* of a line, 0: not known; of an instruction its address */
	const char *text; /* valid UTF-8: path, source or instruction; "": not known */
	double self[2];   /* by side: shares, or costs of a run */
	double total[2];
};

struct annotation_entries {
	struct annotation_entry *entries;
	size_t count;
	size_t capacity;
	struct arena texts;
};

void annotation_entries_init(
	struct annotation_entries *entries, const struct annotation_rows *rows);
void annotation_entries_release(struct annotation_entries *entries);

/* The unit of an annotation's numbers; NULL: they are shares. */
const char *annotation_unit(const struct annotation_rows *rows);
/* Appends a number in a table: of counts, the unit stands elsewhere. */
void annotation_put_cell(const char *unit, double value, struct buf *out);
/* The same with its sign. */
void annotation_put_difference(const char *unit, double value, struct buf *out);
/* Appends a number in a sentence: with its unit. */
void annotation_put_figure(const struct annotation_rows *rows, double value, struct buf *out);

/*
 * Which lines of a function became slower from one side to the other, as a sentence.
 */

/*
 * Appends which lines have most of what the function grew by, and the instruction that most of the
 * first one's weight is at: "work.c:9 +12 ms, other lines +1 ms of +13 ms; ...". Nothing where no
 * line has a fifth of it.
 */
void annotation_put_growth(const struct annotation_rows *rows, struct buf *out);

/*
 * Appends, of a function that did not grow, the line that has more of it than before: "work.c:9
 * grew from 20 % to 31 % of the function, which shrank by 12 ms; ...". So it is where the machine
 * was faster after, or another part of the function became quicker. Lines whose part is larger only
 * because others shrank are not named: a line is compared with what became of the function's lines
 * by the median. Nothing where none has 5 % of the function more than that.
 */
void annotation_put_shift(const struct annotation_rows *rows, struct buf *out);

#endif
