#include "output/output.h"
#include "sample.h"

#include <stdlib.h>
#include <unistd.h>

void suite_output_junit(void);

static void
written(struct buf *out, bool hostile)
{
	struct sample sample;

	*out = (struct buf){0};
	sample_init(&sample, hostile);
	output_write(&output_junit, &sample.report, out);
	sample_release(&sample);
}

/* 0 where xmllint finds `out` to be of the form in tests/fixtures/junit. */
static int
xmllint(const struct buf *out)
{
	char folder[] = "/tmp/profile_run_junit_XXXXXX";
	struct err err = {0};

	if (!mkdtemp(folder))
		return -1;
	char *path = file_join(folder, "junit.xml");
	char *command = mem_printf("said=$(xmllint --noout --schema "
				   "tests/fixtures/junit/junit.xsd '%s' 2>&1) || "
				   "{ echo \"$said\"; exit 1; }",
		path);
	int result = file_write(path, buf_text(out), out->len, &err);

	if (result == 0)
		result = system(command);
	free(command);
	free(path);
	file_remove_tree(folder, &err);
	return result;
}

static void
check_form(bool hostile)
{
	struct buf out;

	if (system("command -v xmllint >/dev/null 2>&1") != 0) {
		unit_skip("xmllint is not installed");
		return;
	}
	written(&out, hostile);
	CU_ASSERT_EQUAL(xmllint(&out), 0);
	buf_release(&out);
}

static void
both_strict_schemas_would_take_it(void)
{
	check_form(false);
}

static void
hostile_names_keep_the_form(void)
{
	check_form(true);
}

static void
an_error_is_told_once_with_or_without_a_finding(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	sample.judgements[2].verdict.nfindings = 0;
	sample.judgements[2].verdict.nall = 0;
	output_write(&output_junit, &sample.report, &out);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "<error "), 1);
	CU_ASSERT_EQUAL(sample_count(buf_text(&out), "errors=\"1\""), 1);
	UNIT_CONTAINS(buf_text(&out), "message=\"&quot;bin/gone&quot;: exit code 3\"");
	sample_release(&sample);
	buf_release(&out);
}

static void
a_name_is_the_same_whatever_became_of_it(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	for (size_t i = 0; i < sizeof(sample.findings) / sizeof(sample.findings[0]); i++)
		sample.findings[i].effect.tested = false;
	output_write(&output_junit, &sample.report, &out);
	UNIT_CONTAINS(buf_text(&out), "name=\"functions: parse_value (self)\"");
	UNIT_CONTAINS(buf_text(&out), "name=\"functions: print_value (self)\"");
	sample_release(&sample);
	buf_release(&out);
}

static void
names_hold_no_control_characters(void)
{
	struct buf out;

	written(&out, true);
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "<script"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "]]>"));
	buf_release(&out);
}

void
suite_output_junit(void)
{
	static const struct unit_case cases[] = {
		{"both_strict_schemas_would_take_it", both_strict_schemas_would_take_it},
		{"hostile_names_keep_the_form", hostile_names_keep_the_form},
		{"an_error_is_told_once_with_or_without_a_finding",
			an_error_is_told_once_with_or_without_a_finding},
		{"a_name_is_the_same_whatever_became_of_it",
			a_name_is_the_same_whatever_became_of_it},
		{"names_hold_no_control_characters", names_hold_no_control_characters},
		{NULL, NULL},
	};

	unit_suite("output/junit", cases);
}
