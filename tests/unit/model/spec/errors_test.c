/*
 * Walks tests/golden/errors_yaml: what workload_read() says of each NAME.yaml is in NAME.expected.
 * With GOLDEN_UPDATE set in the environment the expected texts are written instead.
 */
#include "unit.h"

#include "base/buf.h"
#include "base/file.h"
#include "spec/workload.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

void suite_spec_errors(void);

#define FOLDER "tests/golden/errors_yaml"

static void
compare(const char *path, const char *text)
{
	struct buf expected = {0};
	struct err err = {0};

	if (getenv("GOLDEN_UPDATE")) {
		CU_ASSERT_EQUAL(file_write(path, text, strlen(text), &err), 0);
		return;
	}
	CU_ASSERT_EQUAL(file_read(path, &expected, 65536, &err), 0);
	if (strcmp(buf_text(&expected), text) != 0)
		printf("%s: expected:\n%sfound:\n%s", path, buf_text(&expected), text);
	UNIT_STR_EQ(text, buf_text(&expected));
	buf_release(&expected);
}

static void
check_file(const char *name)
{
	char path[512];
	char expected_path[512];
	char text[ERR_TEXT_MAX + 2];
	struct config config;
	struct workload workload;
	struct err err = {0};

	config_init(&config);
	snprintf(path, sizeof(path), FOLDER "/%s", name);
	snprintf(expected_path, sizeof(expected_path), FOLDER "/%.*s.expected",
		(int)(strlen(name) - strlen(".yaml")), name);
	int result = workload_read(&workload, path, &config, &err);

	CU_ASSERT_EQUAL(result, -1);
	if (result == 0) {
		printf("%s: no error\n", path);
		workload_release(&workload);
	}
	CU_ASSERT_EQUAL(err_exit_code(&err), 2);
	snprintf(text, sizeof(text), "%s\n", err.text);
	compare(expected_path, text);
	config_release(&config);
}

static void
each_malformed_file_has_its_located_message(void)
{
	DIR *dir = opendir(FOLDER);
	struct dirent *entry;
	unsigned cases = 0;

	if (!dir) {
		unit_skip("not started in the repository's root");
		return;
	}
	while ((entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".yaml") != 0)
			continue;
		check_file(entry->d_name);
		cases++;
	}
	closedir(dir);
	CU_ASSERT(cases >= 25);
}

void
suite_spec_errors(void)
{
	static const struct unit_case cases[] = {
		{"each_malformed_file_has_its_located_message",
			each_malformed_file_has_its_located_message},
		{NULL, NULL},
	};

	unit_suite("spec/errors", cases);
}
