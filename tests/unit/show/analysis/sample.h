/* Profiles made from folded lines, for the tests of analysis_*.c. */
#ifndef UNIT_ANALYSIS_SAMPLE_H
#define UNIT_ANALYSIS_SAMPLE_H

#include "analysis/data.h"
#include "analysis/traits.h"
#include "output/sample.h"

struct stack {
	const char *frames; /* NULL ends a list */
	double weight;
};

SAMPLE_UNUSED static void
stacks_fill(struct profile *profile, const struct stack *stacks)
{
	profile_init(profile);
	size_t run = profile_add_run(profile);

	for (; stacks->frames; stacks++)
		sample_add(profile, run, stacks->frames, stacks->weight);
	profile_sort(profile);
}

/* What one trait says of a profile, title and text; "" where it says nothing. */
SAMPLE_UNUSED static void
trait_says(void (*trait)(struct advices *), const struct profile *profile, struct buf *out)
{
	const struct analysis_options options = {0};
	struct analysis_data data;
	unsigned *classes = function_classes(profile);

	analysis_data_init(&data, profile);
	struct advices advices = {.data = &data, .options = &options, .classes = classes};

	trait(&advices);
	CU_ASSERT_TRUE(advices.nitems <= 1);
	buf_clear(out);
	for (size_t i = 0; i < advices.nitems; i++) {
		buf_printf(out, "%s\n%s", buf_text(&advices.items[i].title),
			buf_text(&advices.items[i].text));
		CU_ASSERT_TRUE(advices.items[i].share > 0 && advices.items[i].share <= 1);
		buf_release(&advices.items[i].title);
		buf_release(&advices.items[i].text);
	}
	free(advices.items);
	analysis_data_release(&data);
	free(classes);
}

SAMPLE_UNUSED static void
check_trait(void (*trait)(struct advices *), const struct stack *stacks, const char *expected)
{
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	trait_says(trait, &profile, &out);
	CU_ASSERT_STRING_EQUAL(buf_text(&out), expected);
	if (strcmp(buf_text(&out), expected) != 0)
		printf("said: %s", buf_text(&out));
	profile_release(&profile);
	buf_release(&out);
}

#endif
