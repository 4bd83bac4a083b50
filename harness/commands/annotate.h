/*
 * The source lines and instructions of one function with their weights, as text, for `profile_run
 * annotate`.
 */
#ifndef COMMANDS_ANNOTATE_H
#define COMMANDS_ANNOTATE_H

#include "analysis/annotation.h"
#include "base/buf.h"
#include "code/listing.h"

struct annotate_request {
	struct annotation_side sides[2]; /* before and after; one of them is at [0] */
	size_t nsides;
	const char *root;  /* below which the programs are; NULL: they are of this system */
	bool listing;      /* the whole assembly of the function, too */
	size_t most_lines; /* only so many, those with most weight; 0: all */
};

/* The code of a side. */
struct annotate_code {
	struct annotation_instruction *instructions;
	size_t count;
	size_t capacity;
	struct code_listing
		*listings; /* of each file of code; the instructions' texts are theirs */
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
 * (code/listing.h), and adds up both sides; what is missing as said below.
 */
void annotate_rows(const struct annotate_request *request, struct annotate_result *result);
void annotate_result_release(struct annotate_result *result);

/*
 * Appends the annotation. Programs that are not there, code that is not understood and a missing
 * disassembler leave the instructions out, and a warning says so; of the side before only its
 * weights, and nothing does. A source that is missing, or newer than the program, is marked as
 * such.
 */
void annotate_function(const struct annotate_request *request, struct buf *out);

#endif
