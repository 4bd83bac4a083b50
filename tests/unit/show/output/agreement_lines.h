/* Source lines of a function with a finding, as a gate has them, for agreement_test.c. */
#ifndef OUTPUT_AGREEMENT_LINES_H
#define OUTPUT_AGREEMENT_LINES_H

#include "analysis/annotation.h"
#include "output/report.h"
#include "output/rows.h"

#include <string.h>

/* The source lines of parse, by the samples of a few captures: their sums are not its costs. */
struct lines_of_parse {
	struct line_weights weights[2];
	struct annotation annotation;
	struct annotation_rows rows;
	struct annotation_entries entries;
	struct buf growth;
	struct report_lines lines;
};

/* Of the lines 10 and 11, in samples: 11 has most of the growth. */
static const double samples_of_lines[2][2] = {{30, 30}, {33, 57}};

/* 0: there is none, or it was not compared. */
static inline frame_id
find_parse(const struct judgement *judgement)
{
	const struct profile *profile = &judgement->comparison.profile;

	for (frame_id id = 1; judgement->compared && id < profile->frames.nframes; id++)
		if (strcmp(profile_frame_name(profile, id), "parse") == 0)
			return id;
	return 0;
}

/* As a gate makes them: parts of the costs that the function has in its row. */
static inline void
make_lines(struct lines_of_parse *parse, const struct judgement *judgement, frame_id frame)
{
	const struct comparison *comparison = &judgement->comparison;
	double costs[2];

	rows_self_costs(comparison, &judgement->verdict, frame, costs);
	parse->annotation = (struct annotation){.nsides = 2};
	for (size_t side = 0; side < 2; side++) {
		struct line_weights *weights = &parse->weights[side];

		line_weights_init(weights, "parse");
		for (uint32_t i = 0; i < 2; i++) {
			line_weights_begin(weights, samples_of_lines[side][i]);
			line_weights_add(weights,
				&(struct line_place){.file = "parse.c", .line = 10 + i},
				samples_of_lines[side][i], true);
		}
		parse->annotation.sides[side] =
			(struct annotation_side){.profile = &comparison->profile,
				.weights = weights,
				.own_cost = costs[side]};
	}
	annotation_rows_init(&parse->rows, &parse->annotation);
	annotation_entries_init(&parse->entries, &parse->rows);
	annotation_put_growth(&parse->rows, &parse->growth);
	parse->lines = (struct report_lines){.function = "parse",
		.pairs = true,
		.unit = annotation_unit(&parse->rows),
		.growth = buf_text(&parse->growth),
		.entries = parse->entries.entries,
		.nentries = parse->entries.count};
}

static inline void
release_lines(struct lines_of_parse *parse)
{
	if (!parse->lines.function)
		return;
	annotation_entries_release(&parse->entries);
	annotation_rows_release(&parse->rows);
	line_weights_release(&parse->weights[0]);
	line_weights_release(&parse->weights[1]);
	buf_release(&parse->growth);
}

#endif
