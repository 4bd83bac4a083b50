/*
 * How the lines of an analysis are made: wrapped to a width, coloured or not, and how functions and
 * shares are written in its sentences.
 */
#ifndef ANALYSIS_SENTENCES_H
#define ANALYSIS_SENTENCES_H

#include "analysis/analysis.h"
#include "analysis/data.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define ANALYSIS_COLUMNS 100 /* of a line, unless the options say otherwise */

enum analysis_style {
	STYLE_PLAIN,
	STYLE_HEADING,
	STYLE_NAME,
	STYLE_FAINT,
	STYLE_HOT,
	STYLE_WARM,
};

/* Appends `text` in that style, where colour is enabled. `text` is safe for a terminal. */
void analysis_put_styled(struct buf *out, const struct analysis_options *options,
	enum analysis_style style, const char *text);

size_t analysis_columns(const struct analysis_options *options);

/*
 * Appends `text`, made safe, in lines of at most `columns`; those after the first are indented by
 * `indent`, the width that the first has used already. Words longer than a line lose their middle,
 * unless `whole`. A number and its unit stand on one line.
 */
void analysis_wrap(struct buf *out, const char *text, size_t indent, size_t columns, bool whole);

/* Appends spaces. */
void analysis_pad(struct buf *out, size_t columns);

/* A function's name for a sentence, shortened to about 60 columns, with the suffix of its kind. */
void analysis_put_name(struct buf *out, const struct profile *profile, frame_id frame);
/* "parse_value (cJSON.c:120)", or the name alone. */
void analysis_put_function(struct buf *out, const struct profile *profile, frame_id frame);
/* Functions among which a weight divides, the largest first. */
struct analysis_parts {
	const struct analysis_edges *edges;
	double all;   /* the weight that they divide */
	double least; /* smaller parts of it are not named, but for the first */
	bool placed;  /* named with their places */
};

/* "62.1 % parse, 20.0 % print, 17.9 % 4 more": the three largest, and the others together. */
void analysis_put_parts(
	struct buf *out, const struct profile *profile, const struct analysis_parts *parts);
/* "12.3 %" of the whole profile. */
void analysis_put_share(struct buf *out, const struct analysis_data *data, double weight);

#endif
