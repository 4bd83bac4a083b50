/*
 * How the two sides of a comparison were measured.
 */
#ifndef COMPARE_COMPARISON_MODE_H
#define COMPARE_COMPARISON_MODE_H

/* With that it is said what may be held against what: see model.h. */
enum comparison_mode {
	COMPARISON_STORED, /* on different days: relative to the stable rest, with its spread */
	COMPARISON_PAIRED, /* alternating on one machine: plain costs, pair by pair; run.pair */
	COMPARISON_EXACT,  /* counted, not sampled: the same program costs the same */
};

#endif
