#include "output/output.h"
#include "sample.h"

void suite_output_markdown(void);

/* What is between <pre> and </pre> is no Markdown. */
static void
drop_preformatted(struct buf *text)
{
	char *begin;

	while (text->data && (begin = strstr(text->data, "<pre>"))) {
		char *end = strstr(begin, "</pre>");

		CU_ASSERT_PTR_NOT_NULL(end);
		if (!end)
			break;
		memmove(begin, end + 6, strlen(end + 6) + 1);
	}
	text->len = strlen(buf_text(text));
}

static void
hostile_names_stay_text_in_their_cell(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, true);
	output_write(&output_markdown, &sample.report, &out);
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "<script"));
	drop_preformatted(&out);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "](javascript"));
	UNIT_CONTAINS(buf_text(&out), "pipe \\| star \\* back \\` under\\_ \\[link\\]");
	/* Every row of a table is one line that ends its last cell. */
	for (const char *at = buf_text(&out); *at;) {
		size_t len = strcspn(at, "\n");

		if (at[0] == '|')
			CU_ASSERT_EQUAL(at[len - 1], '|');
		at += len + 1;
	}
	sample_release(&sample);
	buf_release(&out);
}

static void
thousands_of_workloads_stay_under_the_limit(void)
{
	enum { MANY = 4000 };
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, true);
	struct report_workload *many = mem_zalloc(MANY, sizeof(*many));

	for (size_t i = 0; i < MANY; i++)
		many[i] = sample.workloads[1 + i % 3];
	sample.report.workloads = many;
	sample.report.nworkloads = MANY;
	output_write(&output_markdown, &sample.report, &out);
	CU_ASSERT(out.len < (size_t)900 * 1024);
	UNIT_CONTAINS(buf_text(&out), " more workloads\n");
	UNIT_CONTAINS(buf_text(&out), " more findings\n");
	free(many);
	sample_release(&sample);
	buf_release(&out);
}

void
suite_output_markdown(void)
{
	static const struct unit_case cases[] = {
		{"hostile_names_stay_text_in_their_cell", hostile_names_stay_text_in_their_cell},
		{"thousands_of_workloads_stay_under_the_limit",
			thousands_of_workloads_stay_under_the_limit},
		{NULL, NULL},
	};

	unit_suite("output/markdown", cases);
}
