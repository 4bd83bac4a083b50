#include "cli/input.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void suite_cli_input(void);

struct files {
	char dir[32];
	char first[64];
	char second[64];
};

static void
put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(text, file);
	fclose(file);
}

static void
files_make(struct files *files, const char *first, const char *second)
{
	snprintf(files->dir, sizeof(files->dir), "/tmp/unit_input_XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(files->dir));
	snprintf(files->first, sizeof(files->first), "%s/first", files->dir);
	snprintf(files->second, sizeof(files->second), "%s/second", files->dir);
	put_file(files->first, first);
	put_file(files->second, second);
}

static int
read_two(struct files *files, struct profile profiles[2], struct err *err)
{
	const char *const paths[2] = {files->first, files->second};
	const struct input_choice choice = {0};
	int result = input_read_two(profiles, paths, &choice, err);

	unlink(files->first);
	unlink(files->second);
	rmdir(files->dir);
	return result;
}

static void
two_files_are_two_profiles(void)
{
	static const char script[] = "app 1 1.0: 1 cycles:\n\t10 f (app)\n\n";
	static const char *const texts[][2] = {
		{"a;b 3\n", "a;c 4\na 1\n"}, {"a;b 3\n", script}, {script, "a;c 4\na 1\n"}};
	static const double totals[][2] = {{3, 5}, {3, 1}, {1, 5}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct files files;
		struct profile profiles[2];
		struct err err = {0};

		files_make(&files, texts[i][0], texts[i][1]);
		CU_ASSERT_EQUAL_FATAL(read_two(&files, profiles, &err), 0);
		for (int side = 0; side < 2; side++) {
			UNIT_NEAR(profile_column_total(&profiles[side], 0), totals[i][side], 0);
			profile_release(&profiles[side]);
		}
	}
}

/* Read at once or one after the other, the error is that of the first file that has one. */
static void
the_first_error_counts(void)
{
	static const char *const texts[][3] = {
		{"a;b x\n", "a;c 4\n", "first:1:5"},
		{"a;b 1\n", "a;c y\n", "second:1:5"},
		{"a;b x\n", "a;c y\n", "first:1:5"},
		{"", "a;c 4\n", "first: "},
		{"a;b 1\n", "", "second: "},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct files files;
		struct profile profiles[2];
		struct err err = {0};

		files_make(&files, texts[i][0], texts[i][1]);
		CU_ASSERT_EQUAL(read_two(&files, profiles, &err), -1);
		CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
		UNIT_CONTAINS(err.text, texts[i][2]);
	}
}

void
suite_cli_input(void)
{
	static const struct unit_case cases[] = {
		{"two_files_are_two_profiles", two_files_are_two_profiles},
		{"the_first_error_counts", the_first_error_counts},
		{NULL, NULL},
	};

	unit_suite("cli/input", cases);
}
