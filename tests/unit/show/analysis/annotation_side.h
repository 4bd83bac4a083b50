/* A profile of the function f and the weights of its lines, for the tests of annotation*.c. */
#ifndef UNIT_ANALYSIS_ANNOTATION_SIDE_H
#define UNIT_ANALYSIS_ANNOTATION_SIDE_H

#include "analysis/annotation.h"
#include "output/sample.h"

#include <string.h>

struct side {
	struct profile profile;
	struct line_weights weights;
};

SAMPLE_UNUSED static void
side_begin(struct side *side, const char *file, uint32_t line)
{
	profile_init(&side->profile);
	line_weights_init(&side->weights, "f");
	const frame_id id = profile_frame(&side->profile, "f", 1, FRAME_USER);
	struct frame *frame = &side->profile.frames.frames[id];

	frame->file = strtab_intern(&side->profile.strings, file, strlen(file));
	frame->line = line;
}

SAMPLE_UNUSED static void
side_add(struct side *side, const char *file, uint32_t line, double weight)
{
	const struct line_place place = {.file = file, .line = line};

	line_weights_begin(&side->weights, weight);
	line_weights_add(&side->weights, &place, weight, true);
}

SAMPLE_UNUSED static struct annotation
sides_annotation(const struct side *sides, size_t nsides)
{
	struct annotation annotation = {.nsides = nsides};

	for (size_t i = 0; i < nsides; i++)
		annotation.sides[i] = (struct annotation_side){
			.profile = &sides[i].profile, .weights = &sides[i].weights};
	return annotation;
}

SAMPLE_UNUSED static void
sides_end(struct side *sides, size_t nsides)
{
	for (size_t i = 0; i < nsides; i++) {
		profile_release(&sides[i].profile);
		line_weights_release(&sides[i].weights);
	}
}

#endif
