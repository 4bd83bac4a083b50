#include "output/output.h"

#include "sample.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_output_output(void);

static void
every_output_has_a_name_of_its_own_and_a_summary(void)
{
	for (size_t i = 0; report_outputs[i]; i++) {
		CU_ASSERT(strlen(report_outputs[i]->name) > 0);
		CU_ASSERT(strlen(report_outputs[i]->summary) > 0);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT(strcmp(report_outputs[i]->name, report_outputs[k]->name) != 0);
	}
	for (size_t i = 0; workload_outputs[i]; i++) {
		CU_ASSERT(strlen(workload_outputs[i]->name) > 0);
		CU_ASSERT(strlen(workload_outputs[i]->summary) > 0);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT(
				strcmp(workload_outputs[i]->name, workload_outputs[k]->name) != 0);
	}
}

/* What stands between `open` and `close` is left out, wherever that is. */
static void
leave_out(struct buf *text, const char *open, const char *close)
{
	struct buf kept = {0};
	const char *at = buf_text(text);

	for (const char *from = strstr(at, open); from; from = strstr(at, open)) {
		from += strlen(open);
		const char *to = strstr(from, close);

		buf_put(&kept, at, (size_t)(from - at));
		at = to ? to : from;
	}
	buf_puts(&kept, at);
	buf_release(text);
	*text = kept;
}

/* Styles and scripts of pages and pictures are their own files, and tested as such. */
static void
check_golden(const char *name, struct buf *out)
{
	leave_out(out, "<style>", "</style>");
	leave_out(out, "<script>", "</script>");
	leave_out(out, "'sha256-", "'");
	sample_check_golden(name, out);
}

/*
 * tests/golden/output/NAME for the gate's files, workload.NAME for those of a workload. They show:
 *
 * - report.txt begins with the verdict, and has growth that the policy lets pass, without the
 *   function that passed;
 * - junit.xml has an element for each status; a failure begins with file, line and function; a name
 *   seen before gets a number; the extended form has places and warnings, too;
 * - annotations.txt marks the line of a failing finding;
 * - index.html has the severest workload first, whatever the order of the report, and in it the
 *   picture between the finding and its causes; the finding's source lines, the line that grew most
 *   marked; functions by verdict, then change, each run of a tested one as a dot; and differences
 * of the two sides.
 */
static void
every_output_is_its_golden_file(void)
{
	struct report_view view;
	struct sample sample;

	sample_init(&sample, false);
	for (size_t i = 0; report_outputs[i]; i++) {
		struct buf out = {0};

		output_write(report_outputs[i], &sample.report, &out);
		check_golden(report_outputs[i]->name, &out);
		buf_release(&out);
	}
	report_view_init(&view, &sample.report);
	for (size_t i = 0; workload_outputs[i]; i++) {
		struct buf out = {0};
		char *name = mem_printf("workload.%s", workload_outputs[i]->name);

		/* Only a large report has a page a workload. */
		view.is_large = workload_outputs[i] == &output_workload_page;
		view.workloads[0].files = view.is_large ? "" : "cjson_parse/";
		CU_ASSERT_TRUE(workload_outputs[i]->write(&view, &view.workloads[0], &out));
		/* Packed by whatever zstd is here: replay_file_test.c reads it, tests/golden/replay
		 * too. */
		if (workload_outputs[i] != &output_replay)
			check_golden(name, &out);
		free(name);
		buf_release(&out);
	}
	report_view_release(&view);
	sample_release(&sample);
}

static bool
exists(const char *folder, const char *workload, const char *name)
{
	char *path = workload ? mem_printf("%s/%s/%s", folder, workload, name)
			      : mem_printf("%s/%s", folder, name);
	bool result = file_exists(path);

	free(path);
	return result;
}

static void
every_file_is_where_the_design_says(void)
{
	char folder[] = "/tmp/profile_run_output_XXXXXX";
	struct sample sample;
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	sample_init(&sample, true);
	CU_ASSERT_EQUAL(output_write_all(&sample.report, folder, &err), 0);
	for (size_t i = 0; report_outputs[i]; i++)
		CU_ASSERT_TRUE(exists(folder, NULL, report_outputs[i]->name));
	for (size_t i = 0; workload_outputs[i]; i++)
		CU_ASSERT_EQUAL(exists(folder, "cjson_parse", workload_outputs[i]->name),
			workload_outputs[i] != &output_workload_page);
	/* Nothing is written where there is nothing to say. */
	CU_ASSERT_TRUE(exists(folder, "deep", "baseline.svg"));
	CU_ASSERT_FALSE(exists(folder, "deep", "diff.svg"));
	CU_ASSERT_FALSE(exists(folder, "new", "baseline.svg"));
	CU_ASSERT_FALSE(exists(folder, "gone", "flamegraph.svg"));
	CU_ASSERT_TRUE(exists(folder, "gone", "report.txt"));
	sample_release(&sample);
	CU_ASSERT_EQUAL(file_remove_tree(folder, &err), 0);
}

static bool
file_has(const char *folder, const char *name, const char *text)
{
	char *path = file_join(folder, name);
	struct buf contents = {0};
	struct err err = {0};
	bool has = file_read(path, &contents, 64 << 20, &err) == 0 &&
		   strstr(buf_text(&contents), text) != NULL;

	buf_release(&contents);
	free(path);
	return has;
}

/* One workload more than fit on a page: each fourth fails, the others pass. */
static void
a_large_report_is_an_index_and_a_page_a_workload(void)
{
	enum { COUNT = REPORT_LARGE + 1 };
	char folder[] = "/tmp/profile_run_output_XXXXXX";
	char names[COUNT][8];
	struct report_workload workloads[COUNT];
	struct sample sample;
	struct judgement passing;
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	sample_init(&sample, false);
	passing = sample.judgements[0];
	passing.verdict.status = STATUS_PASS;
	passing.verdict.findings = &sample.findings[2];
	passing.verdict.nfindings = 1;
	passing.verdict.nall = 1;
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "w%02zu", i);
		workloads[i] = sample.workloads[0];
		workloads[i].folder = names[i];
		if (i % 4 != 0)
			workloads[i].judgement = &passing;
	}
	sample.report.workloads = workloads;
	sample.report.nworkloads = COUNT;
	CU_ASSERT_EQUAL(output_write_all(&sample.report, folder, &err), 0);
	CU_ASSERT_TRUE(file_has(folder, "index.html", "href=\"w01/index.html\""));
	CU_ASSERT_FALSE(file_has(folder, "index.html", "<h3>Findings"));
	CU_ASSERT_TRUE(file_has(folder, "w00/index.html", "<h3>Findings"));
	CU_ASSERT_TRUE(file_has(folder, "w00/index.html", "href=\"diff.svg"));
	CU_ASSERT_TRUE(exists(folder, "w00", "diff.svg"));
	CU_ASSERT_FALSE(exists(folder, "w01", "diff.svg"));
	CU_ASSERT_FALSE(file_has(folder, "w01/index.html", "diff.svg"));
	CU_ASSERT_TRUE(file_has(folder, "w01/index.html", "href=\"replay.bin\""));
	CU_ASSERT_TRUE(exists(folder, "w01", "replay.bin"));
	CU_ASSERT_TRUE(file_has(folder, "verdict.json", "\"brief\":\ttrue"));
	CU_ASSERT_FALSE(file_has(folder, "report.txt", "w01/diff.svg"));

	sample.report.full = true;
	CU_ASSERT_EQUAL(output_write_all(&sample.report, folder, &err), 0);
	CU_ASSERT_TRUE(exists(folder, "w01", "diff.svg"));
	CU_ASSERT_TRUE(file_has(folder, "index.html", "<h3>Findings"));
	CU_ASSERT_TRUE(file_has(folder, "verdict.json", "\"brief\":\tfalse"));
	sample_release(&sample);
	CU_ASSERT_EQUAL(file_remove_tree(folder, &err), 0);
}

static void
the_same_report_gives_the_same_bytes(void)
{
	struct buf text[2];

	text[0] = (struct buf){0};
	text[1] = (struct buf){0};
	for (size_t i = 0; report_outputs[i]; i++) {
		for (size_t k = 0; k < 2; k++) {
			struct sample sample;

			buf_clear(&text[k]);
			sample_init(&sample, true);
			output_write(report_outputs[i], &sample.report, &text[k]);
			sample_release(&sample);
		}
		CU_ASSERT(text[0].len > 0);
		UNIT_STR_EQ(buf_text(&text[0]), buf_text(&text[1]));
	}
	buf_release(&text[0]);
	buf_release(&text[1]);
}

static void
a_file_that_cannot_be_written_is_named(void)
{
	char folder[] = "/tmp/profile_run_output_XXXXXX";
	struct sample sample;
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	char *in_the_way = file_join(folder, "cjson_parse");

	CU_ASSERT_EQUAL(file_write(in_the_way, "x", 1, &err), 0);
	sample_init(&sample, false);
	CU_ASSERT_EQUAL(output_write_all(&sample.report, folder, &err), -1);
	UNIT_CONTAINS(err.text, "cjson_parse");
	sample_release(&sample);
	free(in_the_way);
	CU_ASSERT_EQUAL(file_remove_tree(folder, &err), 0);
}

void
suite_output_output(void)
{
	static const struct unit_case cases[] = {
		{"every_output_is_its_golden_file", every_output_is_its_golden_file},
		{"every_output_has_a_name_of_its_own_and_a_summary",
			every_output_has_a_name_of_its_own_and_a_summary},
		{"every_file_is_where_the_design_says", every_file_is_where_the_design_says},
		{"a_large_report_is_an_index_and_a_page_a_workload",
			a_large_report_is_an_index_and_a_page_a_workload},
		{"the_same_report_gives_the_same_bytes", the_same_report_gives_the_same_bytes},
		{"a_file_that_cannot_be_written_is_named", a_file_that_cannot_be_written_is_named},
		{NULL, NULL},
	};

	unit_suite("output/output", cases);
}
