/*
 * A workload as tests, which CI systems show: whether it could be measured, and each of its
 * findings. JUnit, CTRF, TeamCity and GitLab have the same ones, under the same names.
 */
#ifndef OUTPUT_TEST_CASES_H
#define OUTPUT_TEST_CASES_H

#include "base/strtab.h"
#include "output/report_view.h"

#include <stdbool.h>
#include <stddef.h>

/* Longer names make result pages unusable; the whole name is in verdict.json. */
#define TEST_NAME_BYTES 1024
/* Longer texts are refused by one CI system or another. */
#define TEST_TEXT_COLUMNS 2000

/* Texts are never NULL, and not yet escaped, but for `name`. */
struct test_case {
	/*
	 * "functions: parse (self)": the same in every report, whatever its result; valid UTF-8
	 * without control characters, and no other of its workload is the same.
	 */
	const char *name;
	const char *check; /* "functions": the rule */
	const char *path;  /* in the repository; "": not known */
	unsigned line;
	double seconds; /* of measuring; 0 of a finding */
	enum status status;
	bool is_listed;      /* as the view says of a finding */
	const char *message; /* one line: how it changed, or why it is not judged */
	/* "parse (self): +13.4 % (...)" and, on a second line, the reason; of bounded length */
	const char *text;
	const char *body; /* of several lines: place, change, reason, causes, report */
};

struct test_cases {
	struct test_case *cases; /* the measurement first, unless that is a finding; the arena's */
	size_t count;
	struct arena arena;
	struct strtab names;
};

/* Borrows from the view. */
void test_cases_init(struct test_cases *tests, const struct report_view *view,
	const struct workload_view *workload);
void test_cases_release(struct test_cases *tests);

/* Whether the gate has a finding about a measurement that failed. */
bool test_measurement_is_a_finding(const struct workload_view *workload);

/* Appends the causes, each on a line after `indent`; if `brief`, only those that are brief. */
void test_put_causes(const struct judgement *judgement, const struct finding *finding, bool brief,
	const char *indent, struct buf *out);

#endif
