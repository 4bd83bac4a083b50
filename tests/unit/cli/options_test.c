#include "cli/options.h"

#include "unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void suite_cli_options(void);

static const struct cli_verb verb = {
	.name = "test", .usage = "[options]", .summary = "a test", .takes_arguments = true};

struct values {
	bool flag;
	const char *text;
	unsigned count;
	double frequency_hz;
	double duration_s;
	struct cli_arguments files;
};

/* The arguments that are left after the options; they live until the next call of parse(). */
struct left {
	const char *items[16];
	size_t count;
	bool performed;
};

static int
keep(const struct cli_call *call, void *context, struct err *err)
{
	struct left *left = context;

	(void)err;
	left->performed = true;
	left->count = call->arguments.count;
	memcpy(left->items, call->arguments.items, left->count * sizeof(left->items[0]));
	return 0;
}

static int
parse(struct values *values, struct left *left, struct err *err, const char *line)
{
	static char copy[256];
	static char name[] = "test";
	char *argv[16] = {name};
	struct cli_call call = {.verb = &verb, .argc = 1, .argv = argv};
	const struct cli_option options[] = {
		{"flag", 'f', OPTION_FLAG, NULL, &values->flag, ""},
		{"text", 't', OPTION_NEEDED_TEXT, "TEXT", &values->text, ""},
		{"count", 'n', OPTION_COUNT, "N", &values->count, ""},
		{"frequency", 'F', OPTION_FREQUENCY, "HZ", &values->frequency_hz, ""},
		{"duration", 'd', OPTION_DURATION, "S", &values->duration_s, ""},
		{"files", 'l', OPTION_LIST, "FILE...", &values->files, ""},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	*left = (struct left){0};
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[call.argc++] = word;
	return cli_perform(&call, options, keep, left, err);
}

static void
every_spelling_is_understood(void)
{
	static const char *const lines[] = {
		"--text x --count 3 -f a b",
		"--text=x --count=3 --flag a b",
		"-tx -n3 a -f b",
		"a -t x b -n 3 --flag",
		"-f -t x -n 3 -- a b",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct values v = {0};
		struct left arguments;
		struct err err = {0};

		CU_ASSERT_EQUAL_FATAL(parse(&v, &arguments, &err, lines[i]), 0);
		CU_ASSERT_TRUE(v.flag);
		UNIT_STR_EQ(v.text, "x");
		CU_ASSERT_EQUAL(v.count, 3);
		CU_ASSERT_EQUAL_FATAL(arguments.count, 2);
		UNIT_STR_EQ(arguments.items[0], "a");
		UNIT_STR_EQ(arguments.items[1], "b");
	}
}

static void
quantities_have_units(void)
{
	struct values v = {0};
	struct left arguments;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(parse(&v, &arguments, &err, "-t x -F 4.999kHz -d 1500ms"), 0);
	UNIT_NEAR(v.frequency_hz, 4999, 1e-9);
	UNIT_NEAR(v.duration_s, 1.5, 1e-9);
	CU_ASSERT_EQUAL_FATAL(parse(&v, &arguments, &err, "-t x -d 2.5"), 0);
	UNIT_NEAR(v.duration_s, 2.5, 1e-9);
}

static void
a_command_has_all_that_follows_it(void)
{
	static char words[][8] = {"test", "-f", "xz", "-f", "--text", "--help"};
	static const struct cli_verb runs = {.name = "test",
		.usage = "",
		.summary = "",
		.takes_arguments = true,
		.takes_command = true};
	char *argv[7] = {words[0], words[1], words[2], words[3], words[4], words[5], NULL};
	const struct cli_call call = {.verb = &runs, .argc = 6, .argv = argv};
	bool flag = false;
	const struct cli_option options[] = {
		{"flag", 'f', OPTION_FLAG, NULL, &flag, ""},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};
	struct left left = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(cli_perform(&call, options, keep, &left, &err), 0);
	CU_ASSERT(flag);
	CU_ASSERT_EQUAL_FATAL(left.count, 4);
	for (size_t i = 0; i < left.count; i++)
		CU_ASSERT_PTR_EQUAL(left.items[i], words[2 + i]);
}

static void
a_dash_is_an_argument(void)
{
	struct values v = {0};
	struct left arguments;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(parse(&v, &arguments, &err, "-t - -"), 0);
	UNIT_STR_EQ(v.text, "-");
	CU_ASSERT_EQUAL_FATAL(arguments.count, 1);
	UNIT_STR_EQ(arguments.items[0], "-");
}

static void
mistakes_are_usage_errors_with_advice(void)
{
	static const struct {
		const char *line;
		const char *part;
	} cases[] = {
		{"-f a", "'profile_run test' needs '--text'"},
		{"--cuont 3", "unknown option '--cuont'"},
		{"--cuont 3", "did you mean '--count'?"},
		{"-z", "unknown option '-z'"},
		{"--text", "needs a value: TEXT"},
		{"--flag=yes", "takes no value"},
		{"--count 0", "--count 0"},
		{"--count many", "--count many"},
		{"-F fast", "--frequency fast"},
		{"-d 3x", "--duration 3x"},
		{"-d -3", "--duration -3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct values v = {0};
		struct left arguments;
		struct err err = {0};

		CU_ASSERT_EQUAL(parse(&v, &arguments, &err, cases[i].line), -1);
		CU_ASSERT_EQUAL(err_exit_code(&err), 64);
		CU_ASSERT_FALSE(arguments.performed);
		UNIT_CONTAINS(err.text, cases[i].part);
		UNIT_CONTAINS(err.text, "profile_run test --help");
	}
}

/* Joins the items of a list with spaces, and frees it. */
static const char *
joined(struct cli_arguments *list)
{
	static char text[256];

	text[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%s", i > 0 ? " " : "", list->items[i]);
	}
	free(list->items);
	*list = (struct cli_arguments){0};
	return text;
}

static void
a_list_takes_what_follows_up_to_the_next_option(void)
{
	static const struct {
		const char *line;
		const char *files;
		size_t nleft;
	} cases[] = {
		{"--files a b c", "a b c", 0},
		{"--files a b -f", "a b", 0},
		{"--files a --flag b", "a", 1},
		{"--files a b --files c", "a b c", 0},
		{"--files=a b -lc d", "a b c d", 0},
		{"-l a -l b", "a b", 0},
		{"--files - a -", "- a -", 0},
		{"--files a b -- c d", "a b", 2},
		{"c --files a", "a", 1},
		{"--files a --text x b", "a", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct values v = {.text = "given"};
		struct left arguments;
		struct err err = {0};

		CU_ASSERT_EQUAL_FATAL(parse(&v, &arguments, &err, cases[i].line), 0);
		UNIT_STR_EQ(joined(&v.files), cases[i].files);
		CU_ASSERT_EQUAL(arguments.count, cases[i].nleft);
	}
}

static void
a_list_of_nothing_is_a_usage_error(void)
{
	struct values v = {.text = "given"};
	struct left arguments;
	struct err err = {0};

	CU_ASSERT_EQUAL(parse(&v, &arguments, &err, "--files"), -1);
	CU_ASSERT_EQUAL(err_exit_code(&err), 64);
	UNIT_CONTAINS(err.text, "option '--files' needs a value: FILE...");
	CU_ASSERT_EQUAL(v.files.count, 0);
}

static void
an_option_is_no_item_of_a_list(void)
{
	struct values v = {.text = "given"};
	struct left arguments;
	struct err err = {0};

	CU_ASSERT_EQUAL(parse(&v, &arguments, &err, "--files --flag a"), -1);
	CU_ASSERT_EQUAL(err_exit_code(&err), 64);
	UNIT_CONTAINS(err.text, "option '--files' needs a value: FILE...");
	free(v.files.items);
}

void
suite_cli_options(void)
{
	static const struct unit_case cases[] = {
		{"every_spelling_is_understood", every_spelling_is_understood},
		{"quantities_have_units", quantities_have_units},
		{"a_command_has_all_that_follows_it", a_command_has_all_that_follows_it},
		{"a_dash_is_an_argument", a_dash_is_an_argument},
		{"a_list_takes_what_follows_up_to_the_next_option",
			a_list_takes_what_follows_up_to_the_next_option},
		{"a_list_of_nothing_is_a_usage_error", a_list_of_nothing_is_a_usage_error},
		{"an_option_is_no_item_of_a_list", an_option_is_no_item_of_a_list},
		{"mistakes_are_usage_errors_with_advice", mistakes_are_usage_errors_with_advice},
		{NULL, NULL},
	};

	unit_suite("cli/options", cases);
}
