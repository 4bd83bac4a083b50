#include "output/changes.h"

#include "sample.h"

void suite_output_changes(void);

static void
a_comparison_without_a_gate_says_which_way(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	changes_write_diff(&sample.judgements[0].comparison, 0, false, &out);
	sample_check_golden("diff.txt", &out);
	UNIT_CONTAINS(buf_text(&out), "slower      parse_value");
	sample_release(&sample);
	buf_release(&out);
}

void
suite_output_changes(void)
{
	static const struct unit_case cases[] = {
		{"a_comparison_without_a_gate_says_which_way",
			a_comparison_without_a_gate_says_which_way},
		{NULL, NULL},
	};

	unit_suite("output/changes", cases);
}
