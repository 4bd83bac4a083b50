#include "base/lcs.h"

#include "base/mem.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_base_lcs(void);

/* Each letter is a key; the pairs as the letter's place in `into`, '-' for none. */
static void
expect_pairs(const char *from, const char *into, const char *expected)
{
	uint64_t keys[2][32];
	uint32_t of[32];
	char text[33] = "";
	struct allowance cells = {10000};

	for (size_t i = 0; from[i]; i++)
		keys[0][i] = (uint64_t)from[i];
	for (size_t i = 0; into[i]; i++)
		keys[1][i] = (uint64_t)into[i];
	lcs_pair((struct lcs_keys){keys[0], strlen(from)}, (struct lcs_keys){keys[1], strlen(into)},
		&cells, of);
	for (size_t i = 0; from[i]; i++)
		text[i] = (char)(of[i] == LCS_NONE ? '-' : '0' + (char)of[i]);
	text[strlen(from)] = 0;
	UNIT_STR_EQ(text, expected);
}

static void
equal_keys_are_paired_in_order(void)
{
	expect_pairs("abc", "abc", "012");
	expect_pairs("abc", "axbyc", "024");
	expect_pairs("abxcd", "abcd", "01-23");
	expect_pairs("abc", "", "---");
	expect_pairs("", "abc", "");
	/* "ga", "gc" and "ac" are as long; the last is taken. */
	expect_pairs("gac", "agcat", "-02");
}

static void
tables_are_bounded_by_the_allowance(void)
{
	const uint64_t from[] = {1, 2, 3, 4};
	const uint64_t into[] = {1, 3, 5, 4};
	struct allowance cells = {3};
	uint32_t of[4];

	lcs_pair((struct lcs_keys){from, 4}, (struct lcs_keys){into, 4}, &cells, of);
	CU_ASSERT_EQUAL(of[0], 0);
	CU_ASSERT_EQUAL(of[2], LCS_NONE);
	CU_ASSERT_EQUAL(of[3], 3);
}

/* A line is new near the beginning and one near the end: 9,998 lines between them, some alike. */
static void
long_sequences_are_paired_at_keys_that_occur_once(void)
{
	enum { N = 10000 };
	uint64_t *from = mem_zalloc(N, sizeof(*from));
	uint64_t *into = mem_zalloc(N + 2, sizeof(*into));
	uint32_t *of = mem_zalloc(N, sizeof(*of));
	struct allowance cells = {1 << 20};
	size_t wrong = 0;

	for (size_t i = 0; i < N; i++) {
		from[i] = i % 3 == 0 ? 7 : 100 + i;
		into[i + (i > 0) + (i > N - 2)] = from[i];
	}
	into[1] = 1;
	into[N] = 2;
	lcs_pair((struct lcs_keys){from, N}, (struct lcs_keys){into, N + 2}, &cells, of);
	for (size_t i = 0; i < N; i++)
		wrong += of[i] != i + (i > 0) + (i > N - 2);
	CU_ASSERT_EQUAL(wrong, 0);
	free(of);
	free(into);
	free(from);
}

void
suite_base_lcs(void)
{
	static const struct unit_case cases[] = {
		{"equal_keys_are_paired_in_order", equal_keys_are_paired_in_order},
		{"tables_are_bounded_by_the_allowance", tables_are_bounded_by_the_allowance},
		{"long_sequences_are_paired_at_keys_that_occur_once",
			long_sequences_are_paired_at_keys_that_occur_once},
		{NULL, NULL},
	};

	unit_suite("base/lcs", cases);
}
