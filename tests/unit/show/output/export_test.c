#include "output/output.h"
#include "sample.h"
#include "schema_check.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

void suite_output_export(void);

static void
each_format_is_its_golden_file(void)
{
	struct sample sample;

	sample_init(&sample, false);
	for (size_t i = 0; export_formats[i]; i++) {
		struct buf out = {0};
		char *name = mem_printf("export.%s", export_formats[i]->name);

		output_write(export_formats[i], &sample.report, &out);
		sample_check_golden(name, &out);
		CU_ASSERT_PTR_EQUAL(export_format_find(export_formats[i]->name), export_formats[i]);
		free(name);
		buf_release(&out);
	}
	CU_ASSERT_PTR_NULL(export_format_find("nothing"));
	sample_release(&sample);
}

static bool
is_json(const struct report_output *format)
{
	return format == &export_benchmark_action || format == &export_bencher ||
	       format == &export_sarif || format == &export_ctrf ||
	       format == &export_gitlab_code_quality || format == &export_github_check;
}

static void
hostile_names_keep_the_form(void)
{
	struct sample sample;

	sample_init(&sample, true);
	for (size_t i = 0; export_formats[i]; i++) {
		struct buf out = {0};

		output_write(export_formats[i], &sample.report, &out);
		CU_ASSERT_TRUE(sample_is_plain(&out));
		CU_ASSERT_TRUE(sample_is_utf8(&out));
		if (is_json(export_formats[i])) {
			cJSON *json = cJSON_Parse(buf_text(&out));

			CU_ASSERT_PTR_NOT_NULL(json);
			cJSON_Delete(json);
		}
		buf_release(&out);
	}
	sample_release(&sample);
}

static cJSON *
written_sarif(bool hostile)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, hostile);
	output_write(&export_sarif, &sample.report, &out);
	cJSON *document = cJSON_ParseWithLength(buf_text(&out), out.len);

	buf_release(&out);
	sample_release(&sample);
	return document;
}

static bool
has_rule(const cJSON *rules, const char *id)
{
	const cJSON *rule;

	cJSON_ArrayForEach(rule, rules)
	{
		if (strcmp(cJSON_GetObjectItem(rule, "id")->valuestring, id) == 0)
			return true;
	}
	return false;
}

static void
sarif_is_valid_by_its_schema(void)
{
	cJSON *schema = read_schema("tests/fixtures/sarif/written.schema.json");
	struct validation validation = {.schema = schema};
	const cJSON *definition;

	UNIT_NEED(schema);
	for (int hostile = 0; hostile < 2; hostile++) {
		cJSON *document = written_sarif(hostile);

		UNIT_NEED(document);
		CU_ASSERT_TRUE(validate(&validation, schema, document));
		if (validation.problem)
			printf("%s: %s\n", validation.where, validation.problem);
		cJSON_Delete(document);
	}
	cJSON_ArrayForEach(definition, cJSON_GetObjectItem(schema, "$defs"))
	{
		CU_ASSERT_EQUAL(count_unused(&validation, definition), 0);
	}
	cJSON *document = written_sarif(false);

	UNIT_NEED(document);
	cJSON_AddNullToObject(cJSON_GetArrayItem(cJSON_GetObjectItem(document, "runs"), 0), "x");
	CU_ASSERT_FALSE(validate(&validation, schema, document));
	cJSON_Delete(document);
	cJSON_Delete(schema);
}

/* As a schema cannot say. */
static void
sarif_names_each_rule_of_its_results(void)
{
	cJSON *document = written_sarif(false);
	const cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "runs"), 0);
	const cJSON *driver = cJSON_GetObjectItem(cJSON_GetObjectItem(run, "tool"), "driver");
	const cJSON *rules = cJSON_GetObjectItem(driver, "rules");
	const cJSON *results = cJSON_GetObjectItem(run, "results");
	const cJSON *result;

	CU_ASSERT(cJSON_GetArraySize(results) > 3);
	cJSON_ArrayForEach(result, results)
	{
		CU_ASSERT_TRUE(has_rule(rules, cJSON_GetObjectItem(result, "ruleId")->valuestring));
	}
	cJSON_Delete(document);
}

/* Name, labels whose quotes and backslashes are escaped, a number. */
static bool
is_sample(const char *line, size_t len)
{
	const char *end = line + len;
	const char *at = memchr(line, '{', len);
	bool quoted = false;

	if (!at || strncmp(line, "profile_run_", 12) != 0)
		return false;
	for (at++; at < end && (quoted || *at != '}'); at++) {
		if (quoted && *at == '\\')
			at++;
		else if (*at == '"')
			quoted = !quoted;
	}
	char *rest;

	if (at + 1 >= end || at[1] != ' ')
		return false;
	strtod(at + 2, &rest);
	return rest == end;
}

static void
each_line_of_openmetrics_is_a_sample_or_a_comment(void)
{
	for (int hostile = 0; hostile < 2; hostile++) {
		struct sample sample;
		struct buf out = {0};

		sample_init(&sample, hostile);
		output_write(&export_openmetrics, &sample.report, &out);
		for (const char *at = buf_text(&out); *at;) {
			size_t len = strcspn(at, "\n");

			CU_ASSERT(at[0] == '#' || is_sample(at, len));
			at += len + 1;
		}
		UNIT_CONTAINS(buf_text(&out), "\n# EOF\n");
		buf_release(&out);
		sample_release(&sample);
	}
}

/* A required check that is "neutral" lets a change pass: an undecided one that fails is a failure.
 */
static void
a_check_run_concludes_as_the_job_ends(void)
{
	static const struct {
		enum status status;
		int exit_code;
		const char *conclusion;
	} ends[] = {
		{STATUS_FAIL, 1, "failure"},
		{STATUS_ERROR, 2, "failure"},
		{STATUS_INCONCLUSIVE, 3, "failure"},
		{STATUS_INCONCLUSIVE, 0, "success"},
		{STATUS_WARN, 0, "success"},
		{STATUS_PASS, 0, "success"},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sample sample;
		struct buf out = {0};

		sample_init(&sample, false);
		sample.report.status = ends[i].status;
		sample.report.exit_code = ends[i].exit_code;
		output_write(&export_github_check, &sample.report, &out);
		cJSON *body = cJSON_Parse(buf_text(&out));

		UNIT_STR_EQ(
			cJSON_GetObjectItem(body, "conclusion")->valuestring, ends[i].conclusion);
		cJSON_Delete(body);
		buf_release(&out);
		sample_release(&sample);
	}
}

static void
a_check_run_has_fifty_annotations(void)
{
	enum { MANY = 30 };
	struct report_workload many[MANY];
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	/* At the place of the finding that fails. */
	sample.findings[2].status = STATUS_WARN;
	sample.findings[2].frame = sample.findings[0].frame;
	for (size_t i = 0; i < MANY; i++)
		many[i] = sample.workloads[0];
	sample.report.workloads = many;
	sample.report.nworkloads = MANY;
	output_write(&export_github_check, &sample.report, &out);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "\"start_line\""), 50);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "\"failure\",\n\t\t\t\t\"title\""), 30);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "\"warning\""), 20);
	sample_release(&sample);
	buf_release(&out);
}

void
suite_output_export(void)
{
	static const struct unit_case cases[] = {
		{"each_format_is_its_golden_file", each_format_is_its_golden_file},
		{"hostile_names_keep_the_form", hostile_names_keep_the_form},
		{"a_check_run_concludes_as_the_job_ends", a_check_run_concludes_as_the_job_ends},
		{"a_check_run_has_fifty_annotations", a_check_run_has_fifty_annotations},
		{"sarif_is_valid_by_its_schema", sarif_is_valid_by_its_schema},
		{"sarif_names_each_rule_of_its_results", sarif_names_each_rule_of_its_results},
		{"each_line_of_openmetrics_is_a_sample_or_a_comment",
			each_line_of_openmetrics_is_a_sample_or_a_comment},
		{NULL, NULL},
	};

	unit_suite("output/export", cases);
}
