#include "unit.h"

#include <CUnit/TestRun.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char *only;
static bool listing;
static const char *skip_reason;
static unsigned passed;
static unsigned failed;
static unsigned skipped;

void
unit_suite(const char *name, const struct unit_case *cases)
{
	if (listing)
		printf("%s\n", name);
	if (listing || (only && strcmp(only, name) != 0))
		return;
	CU_pSuite suite = CU_add_suite(name, NULL, NULL);

	for (; cases->claim; cases++)
		CU_add_test(suite, cases->claim, cases->run);
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
	only = argc > 1 ? argv[1] : NULL;
	listing = only && strcmp(only, "--list") == 0;
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (size_t i = 0; unit_suites[i]; i++)
		unit_suites[i]();
	if (listing) {
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
