/*
 * The parts of an annotation: one function of one profile, or of two, and the lines of its
 * source that have weight on either side.
 */
#ifndef ANALYSIS_ANNOTATION_H
#define ANALYSIS_ANNOTATION_H

#include "analysis/line_map.h"
#include "base/allowance.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "profile/line_weights.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The source files of an annotation: which file of one side is which of the other, and where the
 * lines before the change are after it.
 */

/* Where the sources of a side are. */
struct source_place {
	const char *folder; /* below which they are; NULL: where its debug information says */
	const char *root;   /* that relative names start from; NULL: here */
	int64_t built_s;    /* when the last of its programs was written; 0: not known */
};

struct annotation_file {
	const char *path;  /* as the last side that has it names it; NULL: not known */
	const char *shown; /* in its place, for people; NULL: nothing is */
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

/* One profile. */
struct annotation_side {
	const struct profile *profile;
	const struct line_weights *weights;
	struct source_place sources;
	/* What the function's own code costs, where that is known better than by `profile`; or 0.
	 */
	double own_cost;
};

/* An instruction of the function's code. */
struct annotation_instruction {
	uint32_t module; /* of its side's weights */
	uint32_t bytes;
	uint64_t offset; /* in the file of the module */
	uint64_t address;
	const char *function; /* the name of the symbol that it is of */
	const char *text;
	uint32_t same; /* of one before: the index of the one after it; UINT32_MAX: not known */
};

/* The instructions of a side, by module and offset; there may be none. Borrowed. */
struct annotation_code {
	const struct annotation_instruction *instructions;
	size_t count;
};

struct annotation {
	struct annotation_side sides[2]; /* before and after; one of them is at [0] */
	size_t nsides;
	struct annotation_code code[2]; /* by side */
	bool listing;                   /* all of them, in their order, behind the lines */
	size_t most_lines;              /* only so many, those with most weight; 0: all */
};

/* A line of source on both sides. */
struct annotation_row {
	uint32_t file; /* index of `files` */
	uint32_t line; /* as the last side has it; 0: not known */
	double self[2];
	double total[2];
};

/* An instruction of the last side, below the line that it was compiled from. */
struct annotation_cell {
	uint32_t row;
	uint32_t instruction; /* index of the last side's */
	double self[2];
	double total[2];
};

struct annotation_rows {
	const struct annotation *annotation;
	struct annotation_files files;
	struct annotation_row *rows; /* by file, most weight first, and line */
	size_t count;
	size_t capacity;
	size_t left_out;               /* lines with less weight, beyond the most that are wanted */
	struct key_map by_line;        /* (file, line) -> index of `rows` as they were collected */
	struct annotation_cell *cells; /* with weight, by row and instruction */
	size_t ncells;
	size_t cells_capacity;
	bool costs; /* figures are costs of a run, not shares */
};

void annotation_rows_init(struct annotation_rows *rows, const struct annotation *annotation);
void annotation_rows_release(struct annotation_rows *rows);

/*
 * The instruction of the last side that holds a side's code, or is the same as the one that does;
 * SIZE_MAX: its text is not known, or it has no counterpart.
 */
size_t annotation_instruction_of(
	const struct annotation *annotation, size_t side, const struct code_weight *code);

/* The only side, or the one after the change. */
const struct annotation_side *annotation_last(const struct annotation *annotation);
/* The frame that says where the function is declared; NULL if none does. */
const struct frame *annotation_declaration(const struct annotation_side *side);

/* A weight as a share of its profile's, or as a part of the cost of an execution. */
double annotation_figure(const struct annotation_rows *rows, size_t side, double weight);

/* The first of rows->cells that is of this row, or of one behind it. */
size_t annotation_first_cell(const struct annotation_rows *rows, size_t row);
/* The file's name for people; "": not known. */
const char *annotation_file_shown(const struct annotation_file *file);

/*
 * The source lines of one function with the weight of each, and below them their instructions that
 * have weight; of two profiles, with the difference.
 */

void annotation_write(const struct annotation_rows *rows, struct buf *out);

/*
 * An annotation as it is shown, row by row: the files, their lines with weight and the lines around
 * these, and below each line its instructions. Plain data, so that a report can keep it.
 */

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
/* Appends a number in a sentence: with its unit. */
void annotation_put_figure(const struct annotation_rows *rows, double value, struct buf *out);
/* Appends a difference in a table, with its sign. */
void annotation_put_difference(const char *unit, double value, struct buf *out);

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
