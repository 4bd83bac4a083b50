#include "output/output.h"

#include "html_check.h"
#include "sample.h"

void suite_output_html(void);

/* Appends the section of a workload from the page. */
static void
write_workload(const struct sample *sample, size_t workload, struct buf *out)
{
	struct buf page = {0};
	struct buf id = {0};

	output_write(&output_html, &sample->report, &page);
	buf_printf(&id, "id=\"w-%s\"", sample->judgements[workload].input.workload->name);
	const char *section = strstr(buf_text(&page), buf_text(&id));
	const char *end = section ? strstr(section, "</section>") : NULL;

	CU_ASSERT_PTR_NOT_NULL(end);
	if (end)
		buf_put(out, section, (size_t)(end - section));
	buf_release(&id);
	buf_release(&page);
}

/* With PAGE_DIR set, both pages are left there for tests/browser to look at. */
static void
leave(const struct buf *page, const char *name)
{
	const char *folder = getenv("PAGE_DIR");
	struct err err = {0};

	if (!folder)
		return;
	char *path = file_join(folder, name);

	CU_ASSERT_EQUAL(file_write(path, buf_text(page), page->len, &err), 0);
	free(path);
}

static void
written(struct buf *out, bool hostile)
{
	struct sample sample;

	*out = (struct buf){0};
	sample_init(&sample, hostile);
	output_write(&output_html, &sample.report, out);
	sample_release(&sample);
	leave(out, hostile ? "sample_hostile.html" : "sample.html");
}

static void
the_only_scripts_are_the_pages_own(void)
{
	struct buf out;

	written(&out, true);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "<script"), 2);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "<style"), 2);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "'sha256-"), 4);
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
	/* But for the names of namespaces. */
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "http:"),
		sample_count(buf_text(&out), "http://www.w3.org/"));
	/* And but for links to the source. */
	CU_ASSERT(sample_count(buf_text(&out), "https:") > 0);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "https:"),
		sample_count(buf_text(&out),
			"<a href=\"https://git.example/tool/blob/fedcba9876543210fedcba9876543210fedcba98/"
			"li%20b/%22%3E%3Cscript%3E%23%29%5D.c?a&amp;b#L1362\">"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), " src="));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "<link"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "<object"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "<iframe"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), " style="));
	buf_release(&out);
}

/* What a record says is not taken for good. */
static void
links_to_the_source_are_of_the_web_only(void)
{
	static const char *const wrong[] = {"javascript:alert(1)//{path}",
		"https://a/{path}\"onclick=\"x", "https://a/{path}{", "{path}", "", NULL};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct sample sample;
		struct buf out = {0};

		sample_init(&sample, false);
		sample.report.source_url = wrong[i];
		output_write(&output_html, &sample.report, &out);
		output_write(&output_markdown, &sample.report, &out);
		CU_ASSERT_EQUAL(sample_count(buf_text(&out), "cJSON.c:1362</a>"), 0);
		CU_ASSERT_EQUAL(sample_count(buf_text(&out), "](http"), 0);
		CU_ASSERT_EQUAL(sample_count(buf_text(&out), "javascript"), 0);
		sample_release(&sample);
		buf_release(&out);
	}
}

/* Every element that is opened is closed, whatever the names. */
static void
the_body_is_well_formed(void)
{
	for (int hostile = 0; hostile < 2; hostile++) {
		struct buf out;

		written(&out, hostile != 0);
		CU_ASSERT_TRUE(html_check_body(&out));
		buf_release(&out);
	}
}

/* The page of the sample's workloads and one more, the first of which has this status. */
static void
write_many(struct buf *out, bool hostile, enum status status)
{
	struct report_workload many[SAMPLE_WORKLOADS + 1];
	struct sample sample;

	sample_init(&sample, hostile);
	memcpy(many, sample.workloads, sizeof(sample.workloads));
	many[SAMPLE_WORKLOADS] = many[1];
	many[SAMPLE_WORKLOADS].folder = "again";
	sample.judgements[0].verdict.status = status;
	sample.report.workloads = many;
	sample.report.nworkloads = SAMPLE_WORKLOADS + 1;
	output_write(&output_html, &sample.report, out);
	sample_release(&sample);
}

static void
the_body_of_many_workloads_is_well_formed(void)
{
	struct buf out = {0};

	write_many(&out, true, STATUS_PASS);
	CU_ASSERT_TRUE(html_check_body(&out));
	buf_release(&out);
}

static void
of_many_workloads_those_that_passed_have_tables_as_text(void)
{
	static const char text[] = "<pre class=\"rows\" data-class=\"sortable functions compared\"";
	static const char table[] = "<table class=\"sortable functions compared\">";
	struct buf out = {0};

	write_many(&out, false, STATUS_PASS);
	const char *rows = strstr(buf_text(&out), text);
	const char *end = rows ? strstr(rows, "</pre>") : NULL;

	CU_ASSERT_PTR_NOT_NULL(end);
	if (end) {
		char *passed = mem_dup(rows + 1, (size_t)(end - rows) - 1);

		UNIT_CONTAINS(passed, "\nFunction\tVerdict\tBefore\tAfter\tDelta\t");
		UNIT_CONTAINS(passed, "\tpass\t");
		UNIT_CONTAINS(passed, "\tbefore ");
		CU_ASSERT_PTR_NULL(strchr(passed, '<'));
		free(passed);
	}
	const size_t passed = sample_count(buf_text(&out), table);

	buf_clear(&out);
	write_many(&out, false, STATUS_FAIL);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), table), passed + 1);
	buf_release(&out);
}

/* It comes from a profile, which may be a stranger's. */
static void
the_unit_of_costs_is_escaped(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++) {
		struct profile *profile = &sample.judgements[i].comparison.profile;

		if (profile->cost_unit)
			profile->cost_unit = sample_intern(profile, "<b>&");
	}
	output_write(&output_html, &sample.report, &out);
	UNIT_CONTAINS(buf_text(&out), "&lt;b&gt;&amp;");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "<b>&"));
	sample_release(&sample);
	buf_release(&out);
}

static void
the_finding_that_a_workload_failed_by_is_open(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	write_workload(&sample, 0, &out);
	UNIT_CONTAINS(buf_text(&out), "<details open=\"\"><summary>Functions, runs, validity");
	buf_clear(&out);
	sample.judgements[0].verdict.status = STATUS_PASS;
	write_workload(&sample, 0, &out);
	UNIT_CONTAINS(buf_text(&out), "<details><summary>Functions, runs, flame graph, ");
	sample_release(&sample);
	buf_release(&out);
}

static void
small_functions_are_folded_away_and_counted(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	for (size_t run = 0; run < SAMPLE_RUNS; run++) {
		sample_add(&sample.candidate, run, "cjson;main;tiny_a", 1);
		sample_add(&sample.candidate, run, "cjson;main;tiny_b", 1);
	}
	/* It has no baseline: what it cost is all there is to say. */
	write_workload(&sample, 3, &out);
	const char *rest = strstr(buf_text(&out), "<details class=\"rest\">");

	UNIT_CONTAINS(buf_text(&out), " more functions of less than 0.50 % of the cost each, ");
	CU_ASSERT_PTR_NOT_NULL(rest);
	UNIT_CONTAINS(rest ? rest : "", "#function=tiny_a\">tiny_a</a></code>");
	sample_release(&sample);
	buf_release(&out);
}

/* The regular expression that the picture searches for is that of the rule's pattern. */
static void
a_rule_opens_the_picture_with_its_functions(void)
{
	static const struct {
		const char *pattern, *address;
	} cases[] = {
		{"parse_*", "diff.svg#search=%5Eparse_.%2A%24\""},
		{"a?[!x-z].b(int)", "diff.svg#search=%5Ea.%5B%5Ex-z%5D%5C.b%5C%28int%5C%29%24\""},
		{"open[", "diff.svg#search=%5Eopen%5C%5B%24\""},
		{"[unknown]", "diff.svg#function=%5Bunknown%5D\""},
	};
	struct sample sample;

	sample_init(&sample, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct gate_rule_spec rule = {.pattern = cases[i].pattern};
		struct buf out = {0};

		sample.findings[0].frame = 0;
		sample.findings[0].named = &rule;
		output_write(&output_html, &sample.report, &out);
		UNIT_CONTAINS(buf_text(&out), cases[i].address);
		buf_release(&out);
	}
	sample_release(&sample);
}

/* One percentile alone is no distribution. */
static void
latencies_are_drawn_by_percentile(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	output_write(&output_html, &sample.report, &out);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "Latency by percentile"), 0);
	buf_clear(&out);
	for (size_t run = 0; run < SAMPLE_RUNS; run++) {
		counter_set(&sample.baseline.profile.runs[run], COUNTER_LATENCY_P50, 1e6);
		counter_set(&sample.candidate.runs[run], COUNTER_LATENCY_P50, 1.5e6);
	}
	output_write(&output_html, &sample.report, &out);
	CU_ASSERT_TRUE(html_check_body(&out));
	CU_ASSERT_TRUE(sample_count(buf_text(&out), "Latency by percentile") > 0);
	UNIT_CONTAINS(
		buf_text(&out), "before: p50 1.00 ms, p99.9 2.00 ms; after: p50 1.50 ms, p99.9 ");
	/* The least is at the lower end of the scale, the largest at the upper one. */
	UNIT_CONTAINS(buf_text(&out), "<path d=\"M64.0 116.0L340.0 ");
	UNIT_CONTAINS(buf_text(&out), "L340.0 12.0\"");
	sample_release(&sample);
	buf_release(&out);
}

static void
a_file_of_any_name_is_one_word_of_its_command(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	sample.specs[0].path = "workloads/$(touch X);'.yaml";
	write_workload(&sample, 0, &out);
	UNIT_CONTAINS(buf_text(&out),
		"profile_run gate --runs 9 &#39;workloads/$(touch X);&#39;\\&#39;&#39;.yaml&#39;</code>");
	buf_release(&out);
	sample_release(&sample);
}

void
suite_output_html(void)
{
	static const struct unit_case cases[] = {
		{"the_only_scripts_are_the_pages_own", the_only_scripts_are_the_pages_own},
		{"nothing_comes_from_elsewhere", nothing_comes_from_elsewhere},
		{"links_to_the_source_are_of_the_web_only",
			links_to_the_source_are_of_the_web_only},
		{"the_body_is_well_formed", the_body_is_well_formed},
		{"the_body_of_many_workloads_is_well_formed",
			the_body_of_many_workloads_is_well_formed},
		{"of_many_workloads_those_that_passed_have_tables_as_text",
			of_many_workloads_those_that_passed_have_tables_as_text},
		{"the_unit_of_costs_is_escaped", the_unit_of_costs_is_escaped},
		{"the_finding_that_a_workload_failed_by_is_open",
			the_finding_that_a_workload_failed_by_is_open},
		{"small_functions_are_folded_away_and_counted",
			small_functions_are_folded_away_and_counted},
		{"latencies_are_drawn_by_percentile", latencies_are_drawn_by_percentile},
		{"a_rule_opens_the_picture_with_its_functions",
			a_rule_opens_the_picture_with_its_functions},
		{"a_file_of_any_name_is_one_word_of_its_command",
			a_file_of_any_name_is_one_word_of_its_command},
		{NULL, NULL},
	};

	unit_suite("output/html", cases);
}
