/*
 * What is known of the code of each function of a comparison: whether its machine code is the same
 * in both builds, and whether its source is the same in both commits. Plain data; commands/gate/
 * fills it in.
 */
#ifndef COMPARE_CODE_STATES_H
#define COMPARE_CODE_STATES_H

#include "profile/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The machine code of a function after, compared with that before. */
enum code_state {
	CODE_UNKNOWN, /* not read: another machine's, no symbol, kernel, JIT */
	CODE_SAME,    /* the same bytes, addresses apart */
	CODE_CHANGED,
	CODE_NEW,
	CODE_GONE,
};

/* The source of a function, by the difference of two commits. */
enum source_state {
	SOURCE_UNKNOWN, /* no debug information, or no file of the repository that can be read */
	SOURCE_OUTSIDE, /* not in the repository: a library, the language's runtime */
	SOURCE_SAME,    /* no line of it changed */
	SOURCE_CHANGED,
	SOURCE_USES, /* no line of it changed, but a macro that it uses did */
};

struct code_states {
	/* By frame of the comparison's profile. Entry 0 is CODE_CHANGED where data that the program
	 * reads may have changed, which can reach all code. */
	enum code_state *by_frame;
	/* The same of the source; NULL: nothing is known of it. */
	enum source_state *source;
	/* The changed type, macro or inlined function that a function is compiled from, which can
	 * change its code where its lines are the same: a number from 1; 0: none is known to be.
	 * Of a changed function that is inlined, its own. NULL: none changed. */
	uint32_t *definition;
	size_t nframes;
	/* Functions in files that differ between the sides: with the same code, and with other. */
	size_t nsame;
	size_t nchanged;
};

/* Whether no line of a function changed, though its code may have, with what it is compiled from.
 */
static inline bool
code_has_same_lines(const struct code_states *code, frame_id frame)
{
	return code->source[frame] == SOURCE_SAME || code->source[frame] == SOURCE_USES;
}

/* Whether changed definitions changed the code of a function, as no line of its own changed. */
static inline bool
code_is_defined_anew(const struct code_states *code, frame_id frame)
{
	return code && code->source && code->definition && frame < code->nframes &&
	       code->by_frame[frame] != CODE_SAME && code_has_same_lines(code, frame);
}

/*
 * The changed type, macro or inlined function because of which the code of a function changed; 0:
 * none is known, or which of several.
 */
static inline uint32_t
code_definition(const struct code_states *code, frame_id frame)
{
	return code_is_defined_anew(code, frame) ? code->definition[frame] : 0;
}

#endif
