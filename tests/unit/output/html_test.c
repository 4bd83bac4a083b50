#include "output/html.h"

#include "output/outputs.h"
#include "sample.h"

void suite_output_html(void);

static void
written(struct buf *out, bool hostile)
{
	struct sample sample;

	buf_init(out);
	sample_init(&sample, hostile);
	output_html.write(&sample.report, out);
	sample_release(&sample);
}

static void
the_only_script_is_the_pages_own(void)
{
	struct buf out;

	written(&out, true);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "<script"), 1);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "<style"), 1);
	UNIT_CONTAINS(buf_text(&out), "&lt;script&gt;alert(1)&lt;/script&gt;");
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	buf_release(&out);
}

static void
nothing_comes_from_elsewhere(void)
{
	struct buf out;

	written(&out, true);
	UNIT_CONTAINS(buf_text(&out), "default-src 'none'");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "http:"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "https:"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), " src="));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), " style="));
	buf_release(&out);
}

/* Every element that is opened is closed. */
static void
tags_are_balanced(void)
{
	static const char *const tags[] = {"details", "summary", "table", "thead", "tbody",
		"figure", "section", "header", "main", "object", "figcaption", "div", "ul", "svg",
		"pre", "g"};
	struct buf out;

	written(&out, true);
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		char open[2][24];
		char close[24];

		snprintf(open[0], sizeof(open[0]), "<%s>", tags[i]);
		snprintf(open[1], sizeof(open[1]), "<%s ", tags[i]);
		snprintf(close, sizeof(close), "</%s>", tags[i]);
		CU_ASSERT_EQUAL(sample_count(buf_text(&out), open[0]) +
					sample_count(buf_text(&out), open[1]),
			sample_count(buf_text(&out), close));
	}
	buf_release(&out);
}

static void
every_run_of_a_tested_function_is_a_dot(void)
{
	struct buf out;

	written(&out, false);
	const char *row = strstr(buf_text(&out), "<th scope=\"row\"><code>parse_value</code>");

	const char *end = row ? strstr(row, "</tr>") : NULL;

	CU_ASSERT_PTR_NOT_NULL(end);
	char *cells = mem_dup(end ? row : "", end ? (size_t)(end - row) : 0);

	CU_ASSERT_EQUAL(sample_count(cells, "<circle "), SAMPLE_RUNS + SAMPLE_RUNS);
	UNIT_CONTAINS(cells, "before: 3 runs from");
	free(cells);
	buf_release(&out);
}

static void
a_workload_that_did_not_pass_is_open(void)
{
	struct sample sample;
	struct buf out;

	buf_init(&out);
	sample_init(&sample, false);
	html_workload(&sample.workloads[0], &out);
	UNIT_CONTAINS(buf_text(&out), "id=\"w-cjson_parse\" open>");
	buf_clear(&out);
	sample.judgements[0].verdict.status = STATUS_PASS;
	html_workload(&sample.workloads[0], &out);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "id=\"w-cjson_parse\" open>"));
	sample_release(&sample);
	buf_release(&out);
}

void
suite_output_html(void)
{
	static const struct unit_case cases[] = {
		{"the_only_script_is_the_pages_own", the_only_script_is_the_pages_own},
		{"nothing_comes_from_elsewhere", nothing_comes_from_elsewhere},
		{"tags_are_balanced", tags_are_balanced},
		{"every_run_of_a_tested_function_is_a_dot",
			every_run_of_a_tested_function_is_a_dot},
		{"a_workload_that_did_not_pass_is_open", a_workload_that_did_not_pass_is_open},
		{NULL, NULL},
	};

	unit_suite("output/html", cases);
}
