/*
 * Unit tests: each tests/unit/DIR/NAME_test.c mirrors harness/DIR/NAME.c and defines
 *
 *     void suite_DIR_NAME(void) { unit_suite("DIR/NAME", cases); }
 *
 * A case's name is a claim: "weights_survive_growth".
 */
#ifndef UNIT_H
#define UNIT_H

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

struct unit_case {
	const char *claim;
	void (*run)(void);
};

/* Every suite of the program, NULL-ended; made by the Makefile from the file names. */
extern void (*const unit_suites[])(void);

/* Adds a suite; `cases` ends with a NULL claim. */
void unit_suite(const char *name, const struct unit_case *cases);

/* Ends the current case as skipped; it must return right after. The reason is reported. */
void unit_skip(const char *reason);

/* What follows cannot do without it; says so to static analysis, too. */
#define UNIT_NEED(pointer)                             \
	do {                                           \
		CU_ASSERT_PTR_NOT_NULL_FATAL(pointer); \
		if (!(pointer))                        \
			abort();                       \
	} while (0)
#define UNIT_STR_EQ(actual, expected) CU_ASSERT_STRING_EQUAL(actual, expected)
#define UNIT_CONTAINS(text, part) CU_ASSERT_PTR_NOT_NULL(strstr(text, part))
#define UNIT_NEAR(actual, expected, tolerance) CU_ASSERT_DOUBLE_EQUAL(actual, expected, tolerance)

#endif
