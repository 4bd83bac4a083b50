#include "output/output.h"
#include "sample.h"

#include <stdlib.h>

void suite_output_annotations(void);

static void
written(struct buf *out, bool hostile)
{
	struct sample sample;

	*out = (struct buf){0};
	sample_init(&sample, hostile);
	output_write(&output_annotations, &sample.report, out);
	sample_release(&sample);
}

static void
the_changed_line_with_the_growth_is_marked(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	sample.lines.changed_path = "lib/other.c";
	sample.lines.changed_line = 131;
	output_write(&output_annotations, &sample.report, &out);
	UNIT_CONTAINS(buf_text(&out),
		"\n::error file=lib/other.c,line=131,title=profile_run%3A cjson_parse::parse_value");
	sample_release(&sample);
	buf_release(&out);
}

static void
hostile_names_are_no_commands(void)
{
	struct buf out;

	written(&out, true);
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	for (const char *at = buf_text(&out); *at; at = strchr(at, '\n') + 1)
		CU_ASSERT(strncmp(at, "::error ", 8) == 0 || strncmp(at, "::warning ", 10) == 0 ||
			  strncmp(at, "::notice ", 9) == 0);
	buf_release(&out);
}

static void
ten_of_many_are_shown(void)
{
	enum { MANY = 40 };
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	struct report_workload *many = mem_zalloc(MANY, sizeof(*many));

	/* Each of the last two has one error, or one warning. */
	for (size_t i = 0; i < MANY; i++)
		many[i] = sample.workloads[2 + i % 2];
	sample.report.workloads = many;
	sample.report.nworkloads = MANY;
	output_write(&output_annotations, &sample.report, &out);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "::error "), 10);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "::warning "), 10);
	/* The gate itself, 20 errors and 20 warnings; nine of each are shown. */
	UNIT_CONTAINS(buf_text(&out), "::error title=profile_run::12 more: see the report\n");
	UNIT_CONTAINS(buf_text(&out), "::warning title=profile_run::11 more: see the report\n");
	free(many);
	sample_release(&sample);
	buf_release(&out);
}

void
suite_output_annotations(void)
{
	static const struct unit_case cases[] = {
		{"the_changed_line_with_the_growth_is_marked",
			the_changed_line_with_the_growth_is_marked},
		{"hostile_names_are_no_commands", hostile_names_are_no_commands},
		{"ten_of_many_are_shown", ten_of_many_are_shown},
		{NULL, NULL},
	};

	unit_suite("output/annotations", cases);
}
