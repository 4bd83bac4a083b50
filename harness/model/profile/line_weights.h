/*
 * Where one function's weight is: by source line, and by address in its code.
 *
 * A reader of profiles fills it while it reads, stack by stack (ingest_options.lines). The `self`
 * of a line or an address was executed there, also in functions that were inlined there; `total`
 * adds the calls from there, once for each stack however often it recurs.
 */
#ifndef PROFILE_LINE_WEIGHTS_H
#define PROFILE_LINE_WEIGHTS_H

#include "base/map.h"
#include "base/strtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_weight {
	str_id file;   /* as the debug information names it; 0: not known */
	uint32_t line; /* 0: not known */
	uint32_t last; /* number of the stack that was added last */
	double self;
	double total;
};

struct code_weight {
	uint64_t offset; /* in the file of its code; of a call, an address inside it */
	uint32_t line;   /* index of the line that it was compiled from */
	uint32_t module; /* number of the file */
	uint32_t last;
	double self;
	double total;
};

/* Where a frame of the function stands in a stack. */
struct line_place {
	const char *file; /* NULL: not known */
	uint32_t line;
	const char *module; /* path of the file of its code; NULL: there is none, or it is not known
			     */
	uint64_t offset;
};

struct line_weights {
	const char *function; /* its name in the profile; borrowed */
	struct strtab strings;
	struct line_weight *lines;
	size_t nlines;
	size_t lines_capacity;
	struct code_weight *codes;
	size_t ncodes;
	size_t codes_capacity;
	struct key_map by_line;   /* (file, line) -> index of `lines` */
	struct key_map by_module; /* path as str_id -> number of the file */
	struct key_map by_start;  /* (file, line) and file of the code ... */
	struct map by_code;       /* ... and the offset in it -> index of `codes` */
	double self;
	double total;
	double whole;   /* of all stacks, with the function or without */
	uint32_t stack; /* number of the one being added */
	uint32_t last;  /* the one that was added last with the function on it */
};

void line_weights_init(struct line_weights *weights, const char *function);
void line_weights_release(struct line_weights *weights);

/* Begins a stack of this weight; line_weights_add() is called for each frame of the function. */
void line_weights_begin(struct line_weights *weights, double weight);
/* `leaf`: what was executing was in the code of this frame. */
void line_weights_add(
	struct line_weights *weights, const struct line_place *place, double weight, bool leaf);

/* Multiplies all weights so far by `factor`. */
void line_weights_scale(struct line_weights *weights, double factor);

/* Path of the file that holds the code. */
const char *line_weights_module(const struct line_weights *weights, uint32_t module);
/* Path of a source file; NULL where it is not known. */
const char *line_weights_file(const struct line_weights *weights, str_id file);

#endif
