/*
 * `profile_run annotate`: the source lines and instructions of one function with their weights, as
 * text or, for reports, as rows.
 */
#ifndef COMMANDS_ANNOTATE_H
#define COMMANDS_ANNOTATE_H

#include "analysis/annotation.h"
#include "base/buf.h"
#include "code/listing.h"

struct annotate_request {
	struct annotation_side sides[2]; /* before and after; a single one is at [0] */
	size_t nsides;
	const char *root;  /* the folder below which the programs are; NULL: this system */
	bool listing;      /* list all instructions of the function, too */
	size_t most_lines; /* show only so many lines, those with most weight; 0: all */
};

/* The code of a side. */
struct annotate_code {
	struct annotation_instruction *instructions;
	size_t count;
	size_t capacity;
	struct code_listing *listings; /* one for each file; own the texts of the instructions */
	size_t nlistings;
};

/* The rows of an annotation, and what they refer to. Not to be moved. */
struct annotate_result {
	struct annotation annotation;
	struct annotation_rows rows;
	struct annotate_code code[2]; /* by side */
};

/*
 * Disassembles the function's code on each side, finds which instructions correspond to one another
 * (code/listing.h), and adds up the weights of both sides.
 */
void annotate_rows(const struct annotate_request *request, struct annotate_result *result);
void annotate_result_release(struct annotate_result *result);

/*
 * Appends the annotation. Where programs are missing, code is not understood or there is no
 * disassembler, the instructions are left out with a warning; on the side before, only their
 * weights are left out, without a warning. A source file that is missing, or newer than the
 * program, is marked.
 */
void annotate_function(const struct annotate_request *request, struct buf *out);

#endif
