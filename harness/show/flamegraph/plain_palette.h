/*
 * The colour of a frame in a plain flame graph: a hue with a meaning, and a shade by the function's
 * name, the same in every picture.
 *
 * Colours are the classes of assets/colours.css: a letter for the hue and a digit for the shade.
 */
#ifndef FLAMEGRAPH_PLAIN_PALETTE_H
#define FLAMEGRAPH_PLAIN_PALETTE_H

#include "flamegraph/flamegraph.h"
#include "profile/profile.h"

#include <stddef.h>

#define FLAMEGRAPH_HUES_MAX 16

struct flamegraph_hue {
	const char *meaning; /* for the legend; NULL where the hue has none */
	str_id module;       /* whose it is; 0 for the others */
	char letter;
	char shade; /* the only one; 0: by the function's name */
};

struct flamegraph_palette {
	const struct profile *profile;
	enum flamegraph_colours colours;
	const unsigned char *states;                     /* flamegraph_options.states */
	struct flamegraph_hue hues[FLAMEGRAPH_HUES_MAX]; /* in the order of the legend */
	size_t nhues;
	char *meanings[FLAMEGRAPH_HUES_MAX]; /* of modules, owned */
};

/* Modules have their hues by weight. */
void flamegraph_palette_init(struct flamegraph_palette *palette, const struct profile *profile,
	const struct flamegraph_options *options);
void flamegraph_palette_release(struct flamegraph_palette *palette);

/* Index of the frame's hue. */
size_t flamegraph_palette_hue(const struct flamegraph_palette *palette, frame_id frame);
/* The class of a hue as the legend shows it. */
void flamegraph_hue_class(const struct flamegraph_hue *hue, char class[3]);
/* The frame's class: "u3"; frames that are no functions, the whole included, have no shade. */
void flamegraph_palette_class(
	const struct flamegraph_palette *palette, frame_id frame, char class[3]);

#endif
