#include "profile/stack_table.h"

#include "base/mem.h"
#include "profile/folded.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_profile_stack_table(void);

static int
read_text(struct profile *profile, const char *text, struct err *err)
{
	/* Exactly as large as the text, so that a sanitizer sees a read beyond its end. */
	const size_t len = strlen(text);
	char *copy = mem_dup(text, len);
	const struct file_view view = {.data = copy, .len = len};

	profile_init(profile);
	int result = stack_table_read(profile, "t", &view, err);

	free(copy);
	return result;
}

#define FOLDED                                                               \
	"# runs: 4\n# event: cpu-clock\n;# a 1 0 0 0\na;b c_[k] 0 0 2.5 0\n" \
	"a;b c_[k];d;e 1 2 3 4\na;b c_[k];\xef\xbb\xbf"                      \
	"f 0 0 0 1e+20\nb;a 0 7 0 0\n"
#define TABLE                                                                                      \
	"# profile_run stacks 1\n# runs: 4\n# event: cpu-clock\nframes 7\n# a\na\nb c_[k]\nd\ne\n" \
	"\xef\xbb\xbf"                                                                             \
	"f\nb\nstacks 5\n0 1|1\n0 2 3|-2 2.5\n2 4 5|1 2 3 4\n2 6|-3 1e+20\n0 7 2|-1 7\n"

static void
a_table_is_what_folded_text_is(void)
{
	struct profile folded;
	struct profile table;
	struct buf out = {0};
	struct err err = {0};

	profile_init(&folded);
	CU_ASSERT_EQUAL_FATAL(folded_read(&folded, "f", FOLDED, strlen(FOLDED), &err), 0);
	profile_sort(&folded);
	stack_table_write(&folded, &out);
	UNIT_STR_EQ(buf_text(&out), TABLE);
	CU_ASSERT_EQUAL_FATAL(read_text(&table, TABLE, &err), 0);
	profile_sort(&table);
	buf_clear(&out);
	folded_write(&table, FOLDED_RUNS, &out);
	UNIT_STR_EQ(buf_text(&out), FOLDED);
	CU_ASSERT_EQUAL(table.nruns, 4);
	CU_ASSERT_EQUAL(table.tree.nnodes, folded.tree.nnodes);
	CU_ASSERT_EQUAL(memcmp(table.tree.nodes, folded.tree.nodes,
				table.tree.nnodes * sizeof(*table.tree.nodes)),
		0);
	CU_ASSERT_EQUAL(table.runs[1].samples, 9);
	buf_release(&out);
	profile_release(&table);
	profile_release(&folded);
}

/* Cut at every byte: an error each time. */
static void
a_truncated_table_is_an_error(void)
{
	for (size_t len = 0; len < strlen(TABLE); len++) {
		struct err err = {0};
		struct profile profile;
		char *text = mem_dup(TABLE, len);

		CU_ASSERT_EQUAL(read_text(&profile, text, &err), -1);
		CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
		profile_release(&profile);
		free(text);
	}
}

static void
whatever_is_wrong_is_pointed_at(void)
{
#define HEAD "# profile_run stacks 1\n# runs: 2\nframes 2\na\nb\n"
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{"# profile_run stacks 2\n", "t:1:22: error: another version"},
		{"# profile_run stacks 1\nframes 0\n", "t:2:1: error: expected '# runs: N'"},
		{"# profile_run stacks 1\n# runs: 10001\n", "t:2:9: error: 'runs' must be"},
		{"# profile_run stacks 1\n# runs: 2\nstacks 1\n",
			"t:3:1: error: expected 'frames N'"},
		{"# profile_run stacks 1\n# runs: 2\nframes 4294967295\na\n",
			"t:3:8: error: too large"},
		{"# profile_run stacks 1\n# runs: 2\nframes 4294967296\na\n",
			"error: expected a whole number below"},
		{"# profile_run stacks 1\n# runs: 2\nframes 1\na;b\nstacks 1\n0 1|1\n",
			"t:4:2: error: a frame cannot have ';'"},
		{HEAD "stacks 0\n", "t:6:1: error: no stacks"},
		{HEAD "stacks 2\n0 1|1\n", "t:6:8: error: too large"},
		{HEAD "stacks 1\n0 1|1\n0 2|1\n", "t:8:1: error: text behind the last"},
		{HEAD "stacks 1\n1 1|1\n",
			"t:7:1: error: 1 frames of the stack before, which has 0"},
		{HEAD "stacks 1\n-1 1|1\n", "t:7:1: error: expected how many"},
		{HEAD "stacks 1\n0 3|1\n",
			"t:7:3: error: expected the number of a frame, from 1 to 2"},
		{HEAD "stacks 1\n0 0|1\n", "t:7:3: error: expected the number"},
		{HEAD "stacks 1\n0  1|1\n", "t:7:3: error: expected the number"},
		{HEAD "stacks 2\n0 1|1\n1|1   \n", "t:8:2: error: expected a blank"},
		{HEAD "stacks 1\n0 1 2 \n", "t:7:7: error: expected the number"},
		{HEAD "stacks 1\n0 1|1 2 3\n",
			"t:7:9: error: a weight behind the last of the 2 runs"},
		{HEAD "stacks 1\n0 1|-2 3\n", "t:7:8: error: a weight behind the last"},
		{HEAD "stacks 1\n0 1|-1\n", "t:7:5: error: expected '-N'"},
		{HEAD "stacks 1\n0 1|-0 1\n", "t:7:5: error: expected '-N'"},
		{HEAD "stacks 1\n0 1|0 1\n", "t:7:5: error: expected a weight"},
		{HEAD "stacks 1\n0 1|nan\n", "t:7:5: error: expected a weight"},
		{HEAD "stacks 1\n0 1|1e999\n", "t:7:5: error: expected a weight"},
		{HEAD "stacks 1\n0 1|1\r\n", "t:7:5: error: expected a weight"},
		{HEAD "stacks 2\n0 1|1e308\n0 2|1e308\n", "t:8:5: error: the weights of run 1"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct profile profile;

		CU_ASSERT_EQUAL(read_text(&profile, cases[i].text, &err), -1);
		UNIT_CONTAINS(err.text, cases[i].says);
		profile_release(&profile);
	}
}

void
suite_profile_stack_table(void)
{
	static const struct unit_case cases[] = {
		{"a_table_is_what_folded_text_is", a_table_is_what_folded_text_is},
		{"a_truncated_table_is_an_error", a_truncated_table_is_an_error},
		{"whatever_is_wrong_is_pointed_at", whatever_is_wrong_is_pointed_at},
		{NULL, NULL},
	};

	unit_suite("profile/stack_table", cases);
}
