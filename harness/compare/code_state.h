/*
 * What became of the machine code of each function between two builds. Plain data: pipeline/ fills
 * it in from code/, compare/ and gate/ use it.
 */
#ifndef COMPARE_CODE_STATE_H
#define COMPARE_CODE_STATE_H

#include "profile/frame.h"

#include <stddef.h>

enum code_state {
	CODE_UNKNOWN, /* not read: another machine's, no symbol, kernel, JIT */
	CODE_SAME,    /* the same bytes, addresses apart */
	CODE_CHANGED,
	CODE_NEW,
	CODE_GONE,
};

struct code_states {
	enum code_state *by_frame; /* of the comparison's profile */
	size_t nframes;
};

#endif
