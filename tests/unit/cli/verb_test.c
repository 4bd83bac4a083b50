#include "cli/verb.h"

#include "unit.h"

#include <stdio.h>

void suite_cli_verb(void);

static int
call(const char *word, struct err *err)
{
	char program[] = "profile_run";
	char copy[32] = "";
	char *argv[] = {program, copy, NULL};
	int exit_code = 77;

	*err = (struct err){0};
	snprintf(copy, sizeof(copy), "%s", word ? word : "");
	int result = cli_main(word ? 2 : 1, argv, &exit_code, err);

	CU_ASSERT_EQUAL(exit_code, 0);
	return result;
}

static void
a_missing_or_unknown_verb_lists_them_all(void)
{
	static const char *const words[] = {NULL, "", "gat", "gates"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct err err;

		CU_ASSERT_EQUAL(call(words[i], &err), -1);
		CU_ASSERT_EQUAL(err_exit_code(&err), 64);
		for (size_t verb = 0; cli_verbs[verb]; verb++)
			UNIT_CONTAINS(err.text, cli_verbs[verb]->name);
	}
}

static void
every_verb_has_a_name_of_its_own_a_usage_and_a_summary(void)
{
	for (size_t i = 0; cli_verbs[i]; i++) {
		CU_ASSERT(strlen(cli_verbs[i]->name) > 0);
		CU_ASSERT_PTR_NOT_NULL(cli_verbs[i]->usage);
		CU_ASSERT(strlen(cli_verbs[i]->summary) > 10);
		CU_ASSERT_PTR_NOT_NULL(cli_verbs[i]->run);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(strcmp(cli_verbs[i]->name, cli_verbs[k]->name), 0);
	}
}

/* A new verb that reads belongs behind confine(); one that only runs programs, into this list. */
static void
all_verbs_but_those_that_run_programs_are_confined(void)
{
	static const char *const others[] = {"init", "gate", "capture", "stat", "crosscheck", "mcp",
		"watch", "bisect", "calibrate", "doctor", "completions"};
	const size_t nothers = sizeof(others) / sizeof(others[0]);
	size_t nfound = 0;

	for (size_t i = 0; cli_verbs[i]; i++) {
		bool found = false;

		for (size_t k = 0; k < nothers; k++)
			found = found || strcmp(cli_verbs[i]->name, others[k]) == 0;
		CU_ASSERT_EQUAL(cli_verbs[i]->is_confined, !found);
		nfound += found;
	}
	CU_ASSERT_EQUAL(nfound, nothers);
}

static void
a_verb_is_called_with_itself_and_what_follows(void)
{
	char program[] = "profile_run";
	char word[] = "convert";
	char option[] = "--no-such-option";
	char *argv[] = {program, word, option, NULL};
	int exit_code = 77;
	struct err err = {0};

	CU_ASSERT_EQUAL(cli_main(3, argv, &exit_code, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	UNIT_CONTAINS(err.text, "--no-such-option");
	UNIT_CONTAINS(err.text, "profile_run convert");
}

static const struct unit_case cases[] = {
	{"a_missing_or_unknown_verb_lists_them_all", a_missing_or_unknown_verb_lists_them_all},
	{"every_verb_has_a_name_of_its_own_a_usage_and_a_summary",
		every_verb_has_a_name_of_its_own_a_usage_and_a_summary},
	{"all_verbs_but_those_that_run_programs_are_confined",
		all_verbs_but_those_that_run_programs_are_confined},
	{"a_verb_is_called_with_itself_and_what_follows",
		a_verb_is_called_with_itself_and_what_follows},
	{NULL, NULL},
};

void
suite_cli_verb(void)
{
	unit_suite("cli/verb", cases);
}
