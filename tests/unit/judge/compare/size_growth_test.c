#include "compare/size_growth.h"

#include "profile/folded.h"
#include "unit.h"

#include <string.h>

void suite_compare_size_growth(void);

static void
read_sizes(struct profile *profile, const char *stacks)
{
	struct err err = {.kind = ERR_NONE};
	struct buf text = {0};

	buf_printf(&text, "# metric: size\n# unit: bytes\n%s", stacks);
	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(profile, "x", buf_text(&text), text.len, &err), 0);
	buf_release(&text);
}

static void
check_growth(const char *before, const char *after, const char *expected)
{
	const struct comparison_options options = {.mode = COMPARISON_EXACT, .alpha = 0.05};
	struct comparison comparison;
	struct profile sides[2];
	struct buf out = {0};

	read_sizes(&sides[0], before);
	read_sizes(&sides[1], after);
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	CU_ASSERT(size_growth_is_known(&comparison));
	size_growth_put(&comparison, &out);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
	comparison_release(&comparison);
	profile_release(&sides[1]);
	profile_release(&sides[0]);
}

static void
a_section_has_the_parts_that_grew_most(void)
{
	check_growth("p;.text;main 100\np;.text;gone 40\np;.data;d 8\n",
		"p;.text;main 300\np;.text;parse 5000\np;.text;a 3\np;.text;b 2\np;.data;d 8\n",
		"5,165 B more in .text: parse (+5,000 B), main (+200 B), a (+3 B) and 1 more\n");
}

static void
instantiations_of_a_template_are_one_part(void)
{
	check_growth("p;.text;Sorter<...>;Sorter<int>::sort 100\np;.text;x 9\n",
		"p;.text;Sorter<...>;Sorter<int>::sort 100\np;.text;Sorter<...>;Sorter<a>::sort 300\n"
		"p;.text;Sorter<...>;Sorter<b>::sort 200\np;.text;x 10\n",
		"501 B more in .text: 2 instantiations of Sorter<...> (+500 B), x (+1 B)\n");
	/* Where one grew, it is named; and so is a function that is in a namespace. */
	check_growth("p;.text;Sorter<...>;Sorter<int>::sort 100\np;.text;ns;ns::f 9\n",
		"p;.text;Sorter<...>;Sorter<int>::sort 100\np;.text;Sorter<...>;Sorter<a>::sort 300\n"
		"p;.text;ns;ns::f 19\n",
		"310 B more in .text: Sorter<a>::sort (+300 B), ns::f (+10 B)\n");
}

static void
two_sections_are_shown_and_files_named_if_there_are_several(void)
{
	check_growth("p;.text;main 100\np;.data;d 8\np;.bss;b 8\nl.so;.text;own 5\n",
		"p;.text;main 104\np;.data;d 16\np;.bss;b 10\nl.so;.text;own 25\n",
		"20 B more in .text of l.so: own (+20 B)\n8 B more in .data of p: d (+8 B)\n");
}

static void
nothing_is_said_where_no_section_grew(void)
{
	check_growth("p;.text;main 100\np;.text;f 10\n", "p;.text;main 90\np;.text;f 20\n", "");
}

static void
sizes_are_known_by_their_metric(void)
{
	const struct comparison_options options = {.mode = COMPARISON_EXACT, .alpha = 0.05};
	const char text[] = "# metric: alloc\n# unit: bytes\np;main 5\n";
	struct err err = {.kind = ERR_NONE};
	struct comparison comparison;
	struct profile sides[2];

	for (size_t i = 0; i < 2; i++) {
		profile_init(&sides[i]);
		CU_ASSERT_EQUAL_FATAL(folded_read(&sides[i], "x", text, strlen(text), &err), 0);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	CU_ASSERT(!size_growth_is_known(&comparison));
	comparison_release(&comparison);
	profile_release(&sides[1]);
	profile_release(&sides[0]);
}

static const struct unit_case cases[] = {
	{"a_section_has_the_parts_that_grew_most", a_section_has_the_parts_that_grew_most},
	{"instantiations_of_a_template_are_one_part", instantiations_of_a_template_are_one_part},
	{"two_sections_are_shown_and_files_named_if_there_are_several",
		two_sections_are_shown_and_files_named_if_there_are_several},
	{"nothing_is_said_where_no_section_grew", nothing_is_said_where_no_section_grew},
	{"sizes_are_known_by_their_metric", sizes_are_known_by_their_metric},
	{NULL, NULL},
};

void
suite_compare_size_growth(void)
{
	unit_suite("compare/size_growth", cases);
}
