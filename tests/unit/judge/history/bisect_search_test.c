#include "history/bisect_search.h"

#include "unit.h"

#include <string.h>

void suite_history_bisect_search(void);

#define MOST 256

struct search {
	enum bisect_state states[MOST];
	size_t n;
	unsigned tries;
	unsigned nothing; /* tries that said nothing */
};

/* Searches a line whose first slow commit is `culprit`; commits with broken[i] say nothing. */
static void
search(struct search *s, size_t n, size_t culprit, const bool *broken)
{
	size_t next;

	*s = (struct search){.n = n};
	s->states[n - 1] = BISECT_SLOW;
	s->states[0] = BISECT_FAST;
	while (bisect_next(s->states, n, &next)) {
		struct bisect_range range = bisect_range_of(s->states, n);

		CU_ASSERT_FATAL(next > range.fast && next < range.slow);
		CU_ASSERT_EQUAL_FATAL(s->states[next], BISECT_UNTRIED);
		s->tries++;
		if (broken[next]) {
			s->nothing++;
			s->states[next] = s->nothing % 2 ? BISECT_SKIPPED : BISECT_UNDECIDED;
		} else {
			s->states[next] = next >= culprit ? BISECT_SLOW : BISECT_FAST;
		}
	}
}

static unsigned
log2_up(size_t n)
{
	unsigned bits = 0;

	while (((size_t)1 << bits) < n)
		bits++;
	return bits;
}

static void
every_position_of_every_line_is_found_in_the_fewest_tries(void)
{
	static const bool none[MOST];
	struct search s;

	for (size_t n = 2; n <= 70; n++) {
		for (size_t culprit = 1; culprit < n; culprit++) {
			search(&s, n, culprit, none);
			struct bisect_range range = bisect_range_of(s.states, n);

			CU_ASSERT_EQUAL_FATAL(range.slow, culprit);
			CU_ASSERT_EQUAL_FATAL(range.fast, culprit - 1);
			CU_ASSERT_FATAL(s.tries <= log2_up(n - 1));
		}
	}
}

/* What is left is the culprit with those that say nothing right before it, and no more. */
static void
check_left(const struct search *s, size_t culprit, const bool *broken)
{
	struct bisect_range range = bisect_range_of(s->states, s->n);
	size_t fast = culprit - 1;
	size_t slow = culprit;

	while (broken[fast])
		fast--;
	while (broken[slow])
		slow++;
	CU_ASSERT_EQUAL_FATAL(range.fast, fast);
	CU_ASSERT_EQUAL_FATAL(range.slow, slow);
}

static void
every_pattern_of_skipped_commits_leaves_no_more_than_these(void)
{
	struct search s;

	for (size_t n = 2; n <= 12; n++) {
		for (unsigned pattern = 0; pattern < 1U << (n - 2); pattern++) {
			bool broken[MOST] = {false};

			for (size_t i = 1; i + 1 < n; i++)
				broken[i] = pattern >> (i - 1) & 1;
			for (size_t culprit = 1; culprit < n; culprit++) {
				search(&s, n, culprit, broken);
				check_left(&s, culprit, broken);
				CU_ASSERT_FATAL(s.tries <= n - 2);
			}
		}
	}
}

static void
the_neighbour_of_a_skipped_commit_is_next(void)
{
	enum bisect_state states[17] = {BISECT_FAST, [16] = BISECT_SLOW};
	size_t next;

	CU_ASSERT_TRUE(bisect_next(states, 17, &next));
	CU_ASSERT_EQUAL(next, 8);
	states[8] = BISECT_SKIPPED;
	CU_ASSERT_TRUE(bisect_next(states, 17, &next));
	CU_ASSERT_EQUAL(next, 7);
	states[7] = BISECT_UNDECIDED;
	CU_ASSERT_TRUE(bisect_next(states, 17, &next));
	CU_ASSERT_EQUAL(next, 10);
	states[10] = BISECT_SLOW;
	CU_ASSERT_TRUE(bisect_next(states, 17, &next));
	CU_ASSERT_EQUAL(next, 5);
}

static void
a_long_row_of_broken_commits_is_left_soon(void)
{
	struct search s;
	bool broken[MOST] = {false};

	for (size_t i = 80; i < 140; i++)
		broken[i] = true;
	search(&s, 200, 30, broken);
	check_left(&s, 30, broken);
	CU_ASSERT(s.nothing <= 6);
	search(&s, 200, 170, broken);
	check_left(&s, 170, broken);
	CU_ASSERT(s.nothing <= 6);
}

static void
nothing_is_left_to_try_beside_one_another(void)
{
	const enum bisect_state states[] = {BISECT_FAST, BISECT_SLOW};
	size_t next;

	CU_ASSERT_FALSE(bisect_next(states, 2, &next));
	CU_ASSERT_EQUAL(bisect_steps_left(states, 2), 0);
}

static void
steps_are_told_ahead(void)
{
	enum bisect_state states[17] = {BISECT_FAST, [16] = BISECT_SLOW};

	CU_ASSERT_EQUAL(bisect_steps_left(states, 17), 4);
	states[8] = BISECT_SLOW;
	CU_ASSERT_EQUAL(bisect_steps_left(states, 17), 3);
	states[4] = BISECT_SKIPPED;
	CU_ASSERT_EQUAL(bisect_steps_left(states, 17), 3);
	CU_ASSERT_STRING_EQUAL(bisect_state_name(BISECT_UNDECIDED), "undecided");
}

void
suite_history_bisect_search(void)
{
	static const struct unit_case cases[] = {
		{"every_position_of_every_line_is_found_in_the_fewest_tries",
			every_position_of_every_line_is_found_in_the_fewest_tries},
		{"every_pattern_of_skipped_commits_leaves_no_more_than_these",
			every_pattern_of_skipped_commits_leaves_no_more_than_these},
		{"the_neighbour_of_a_skipped_commit_is_next",
			the_neighbour_of_a_skipped_commit_is_next},
		{"a_long_row_of_broken_commits_is_left_soon",
			a_long_row_of_broken_commits_is_left_soon},
		{"nothing_is_left_to_try_beside_one_another",
			nothing_is_left_to_try_beside_one_another},
		{"steps_are_told_ahead", steps_are_told_ahead},
		{NULL, NULL},
	};

	unit_suite("history/bisect_search", cases);
}
