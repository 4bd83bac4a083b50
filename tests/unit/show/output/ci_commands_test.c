#include "output/ci_commands.h"
#include "sample.h"

#include <stdlib.h>

void suite_output_ci_commands(void);

static void
written(struct buf *out, const struct report_output *output, bool hostile)
{
	struct sample sample;

	*out = (struct buf){0};
	sample_init(&sample, hostile);
	output_write(output, &sample.report, out);
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

/* As GitHub's runner reads a line: a command of ours, in which no other one begins. */
static void
check_github_line(const char *line)
{
	CU_ASSERT(strncmp(line, "::error ", 8) == 0 || strncmp(line, "::warning ", 10) == 0 ||
		  strncmp(line, "::notice ", 9) == 0);
}

/* As Azure's agent does: from "##vso[", anywhere, to the first ']'; the rest is text. */
static void
check_azure_line(const char *line)
{
	CU_ASSERT(strncmp(line, "##vso[task.logissue type=error", 30) == 0 ||
		  strncmp(line, "##vso[task.logissue type=warning", 32) == 0);
	CU_ASSERT_EQUAL(sample_count(line, "##vso["), 1);
	CU_ASSERT_PTR_NOT_NULL(strchr(line, ']'));
	for (const char *at = strchr(line, '%'); at; at = strchr(at + 1, '%'))
		CU_ASSERT(strncmp(at, "%AZP25", 6) == 0 || strncmp(at, "%0A", 3) == 0 ||
			  strncmp(at, "%3B", 3) == 0 || strncmp(at, "%5D", 3) == 0);
}

/* As TeamCity reads a message: a name, and values whose only special characters are escaped. */
static void
check_teamcity_line(const char *line)
{
	bool quoted = false;
	const char *at = line + strlen("##teamcity[");

	CU_ASSERT_NSTRING_EQUAL(line, "##teamcity[", strlen("##teamcity["));
	for (; *at && (quoted || *at != ']'); at++) {
		CU_ASSERT((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7f);
		if (quoted && *at == '|') {
			CU_ASSERT_PTR_NOT_NULL(strchr("|'n[]0", *++at));
		} else {
			CU_ASSERT(*at != '[');
			quoted ^= *at == '\'';
		}
	}
	CU_ASSERT_STRING_EQUAL(at, "]");
}

static void
hostile_names_begin_and_end_no_command(void)
{
	static const struct {
		const struct report_output *output;
		void (*check)(const char *line);
	} systems[] = {
		{&output_annotations, check_github_line},
		{&export_azure, check_azure_line},
		{&export_teamcity, check_teamcity_line},
	};

	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		struct buf out;

		written(&out, systems[i].output, true);
		CU_ASSERT_TRUE(sample_is_plain(&out));
		CU_ASSERT_TRUE(sample_is_utf8(&out));
		CU_ASSERT(out.len > 0);
		for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
			systems[i].check(line);
		buf_release(&out);
	}
}

/* Each the name of a function that failed, and of its file. */
static void
names_that_are_commands_are_text(void)
{
	static const struct {
		const char *name;
		const char *azure;
		const char *teamcity;
	} names[] = {
		{"a\n##vso[task.complete result=Succeeded]",
			";sourcepath=a%0A##vso?task.complete result=Succeeded%5D;",
			"a|0xfffd##vso|[task.complete result=Succeeded|]"},
		{"']\n##teamcity[buildStatus status='SUCCESS']",
			";sourcepath='%5D%0A##teamcity?buildStatus status='SUCCESS'%5D;",
			"|'|]|0xfffd##teamcity|[buildStatus status=|'SUCCESS|'|]"},
		{"a|b%0A%AZP25;", "a|b%AZP250A%AZP25AZP25;", "a||b%0A%AZP25;"},
		{"\xff\x1b\r::error::x", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd::error::x",
			"|0xfffd|0xfffd|0xfffd::error::x"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct sample sample;
		struct buf azure = {0}, teamcity = {0};

		sample_init(&sample, false);
		sample.findings[0].subject = names[i].name;
		sample.lines.changed_path = names[i].name;
		sample.lines.changed_line = 7;
		output_write(&export_azure, &sample.report, &azure);
		output_write(&export_teamcity, &sample.report, &teamcity);
		UNIT_CONTAINS(buf_text(&azure), names[i].azure);
		UNIT_CONTAINS(buf_text(&teamcity), names[i].teamcity);
		CU_ASSERT_EQUAL(sample_count(buf_text(&azure), "\n"),
			sample_count(buf_text(&azure), "##vso["));
		CU_ASSERT_EQUAL(sample_count(buf_text(&teamcity), "\n"),
			sample_count(buf_text(&teamcity), "##teamcity["));
		sample_release(&sample);
		buf_release(&azure);
		buf_release(&teamcity);
	}
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
	buf_clear(&out);
	output_write(&export_azure, &sample.report, &out);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "##vso[task.logissue type=error"), 10);
	UNIT_CONTAINS(buf_text(&out),
		"##vso[task.logissue type=error]profile_run: 12 more: see the report\n");
	free(many);
	sample_release(&sample);
	buf_release(&out);
}

/* A build that a required check lets pass has no problem; one that fails has one. */
static void
teamcity_has_a_problem_where_the_job_fails(void)
{
	static const struct {
		enum status status;
		int exit_code;
		const char *expected;
	} ends[] = {
		{STATUS_FAIL, 1, "##teamcity[buildProblem description='profile_run: "},
		{STATUS_ERROR, 2, "##teamcity[buildProblem description='profile_run: "},
		{STATUS_INCONCLUSIVE, 3, "##teamcity[message text='profile_run: "},
		{STATUS_WARN, 0, "##teamcity[message text='profile_run: "},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sample sample;
		struct buf out = {0};

		sample_init(&sample, false);
		sample.report.status = ends[i].status;
		sample.report.exit_code = ends[i].exit_code;
		output_write(&export_teamcity, &sample.report, &out);
		UNIT_CONTAINS(buf_text(&out), ends[i].expected);
		CU_ASSERT_EQUAL(sample_count(buf_text(&out), "buildProblem"),
			ends[i].exit_code == 1 || ends[i].exit_code == 2);
		sample_release(&sample);
		buf_release(&out);
	}
}

static void
the_environment_names_one_system(void)
{
	static const char *const variables[] = {"GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"};
	static const struct report_output *const outputs[] = {
		&output_annotations, &export_azure, &export_teamcity};
	const struct report_output *commands = &output_json;
	struct err err = {0};

	for (size_t i = 0; i < 3; i++)
		unsetenv(variables[i]);
	CU_ASSERT_EQUAL(ci_commands_choose(NULL, &commands, &err), 0);
	CU_ASSERT_PTR_NULL(commands);
	for (size_t i = 3; i-- > 0;) {
		setenv(variables[i], "1", 1);
		CU_ASSERT_EQUAL(ci_commands_choose("auto", &commands, &err), 0);
		CU_ASSERT_PTR_EQUAL(commands, outputs[i]);
	}
	CU_ASSERT_EQUAL(ci_commands_choose("none", &commands, &err), 0);
	CU_ASSERT_PTR_NULL(commands);
	CU_ASSERT_EQUAL(ci_commands_choose("teamcity", &commands, &err), 0);
	CU_ASSERT_PTR_EQUAL(commands, &export_teamcity);
	CU_ASSERT_EQUAL(ci_commands_choose("jenkins", &commands, &err), -1);
	UNIT_CONTAINS(err.text, "'--ci jenkins'");
	for (size_t i = 0; i < 3; i++)
		unsetenv(variables[i]);
}

void
suite_output_ci_commands(void)
{
	static const struct unit_case cases[] = {
		{"the_changed_line_with_the_growth_is_marked",
			the_changed_line_with_the_growth_is_marked},
		{"hostile_names_begin_and_end_no_command", hostile_names_begin_and_end_no_command},
		{"names_that_are_commands_are_text", names_that_are_commands_are_text},
		{"ten_of_many_are_shown", ten_of_many_are_shown},
		{"teamcity_has_a_problem_where_the_job_fails",
			teamcity_has_a_problem_where_the_job_fails},
		{"the_environment_names_one_system", the_environment_names_one_system},
		{NULL, NULL},
	};

	unit_suite("output/ci_commands", cases);
}
