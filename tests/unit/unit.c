#include "unit.h"

#include <CUnit/TestRun.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* "DIR/NAME", or "DIR/NAME:CLAIM" for one case; NULL-ended, and all if it is empty. */
static char **wanted;
static bool listing_suites;
static bool listing_cases;
static const char *skip_reason;
static unsigned passed;
static unsigned failed;
static unsigned skipped;

static bool
is_wanted(const char *suite, const char *claim)
{
	const size_t length = strlen(suite);

	if (!*wanted)
		return true;
	for (char **name = wanted; *name; name++)
		if (strncmp(*name, suite, length) == 0 &&
			((*name)[length] == '\0' ||
				((*name)[length] == ':' && strcmp(*name + length + 1, claim) == 0)))
			return true;
	return false;
}

void
unit_suite(const char *name, const struct unit_case *cases)
{
	CU_pSuite suite = NULL;

	if (listing_suites)
		printf("%s\n", name);
	for (; !listing_suites && cases->claim; cases++) {
		if (listing_cases) {
			printf("%s:%s\n", name, cases->claim);
		} else if (is_wanted(name, cases->claim)) {
			if (!suite)
				suite = CU_add_suite(name, NULL, NULL);
			CU_add_test(suite, cases->claim, cases->run);
		}
	}
}

void
unit_skip(const char *reason)
{
	skip_reason = reason;
}

static void
begin_test(const CU_pTest test, const CU_pSuite suite)
{
	(void)test;
	(void)suite;
	skip_reason = NULL;
}

/* One line a case, in the words that tests/total adds up. */
static void
end_test(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure)
{
	if (failure) {
		failed++;
		printf("fail unit %s: %s\n", suite->pName, test->pName);
		for (CU_pFailureRecord at = failure; at; at = at->pNext)
			printf("  %s:%u: %s\n", at->strFileName, at->uiLineNumber,
				at->strCondition);
	} else if (skip_reason) {
		skipped++;
		printf("skip unit %s: %s (%s)\n", suite->pName, test->pName, skip_reason);
	} else {
		passed++;
		printf("pass unit %s: %s\n", suite->pName, test->pName);
	}
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	wanted = argv + 1;
	listing_suites = argc > 1 && strcmp(argv[1], "--list") == 0;
	listing_cases = argc > 1 && strcmp(argv[1], "--cases") == 0;
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (size_t i = 0; unit_suites[i]; i++)
		unit_suites[i]();
	if (listing_suites || listing_cases) {
		CU_cleanup_registry();
		return 0;
	}
	CU_set_test_start_handler(begin_test);
	CU_set_test_complete_handler(end_test);
	CU_run_all_tests();
	/* A suite that could not start is counted by CUnit alone. */
	unsigned failures = CU_get_number_of_failures();

	CU_cleanup_registry();
	fprintf(stderr, "unit: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failures > 0 || failed > 0 || passed + skipped == 0;
}
