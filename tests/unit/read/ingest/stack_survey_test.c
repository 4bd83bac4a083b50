#include "ingest/stack_survey.h"

#include "base/mem.h"
#include "unit.h"

#include <stdlib.h>

static struct stack_survey
made(uint64_t stacks, uint64_t alike)
{
	return (struct stack_survey){.stacks = stacks, .complete = stacks, .alike = alike};
}

static void
test_trust(void)
{
	struct stack_survey none = made(0, 0);
	struct stack_survey nearly = made(1000, 985);
	struct stack_survey too_few = made(1000, 970);

	CU_ASSERT_FALSE(stack_survey_trusts_frame_pointers(&none));
	CU_ASSERT_TRUE(stack_survey_trusts_frame_pointers(&nearly));
	CU_ASSERT_FALSE(stack_survey_trusts_frame_pointers(&too_few));
}

static void
test_bytes(void)
{
	struct stack_survey survey = made(10000, 0);

	survey.reached[1] = 10000;
	CU_ASSERT_EQUAL(stack_survey_bytes(&survey), 4096);
	/* One sample in ten thousand may be cut off. */
	survey.reached[1] = 9999;
	survey.reached[40] = 1;
	CU_ASSERT_EQUAL(stack_survey_bytes(&survey), 4096);
	survey.reached[1] = 9000;
	survey.reached[7] = 1000;
	survey.reached[40] = 0;
	CU_ASSERT_EQUAL(stack_survey_bytes(&survey), 16384);
	survey.reached[1] = 0;
	survey.reached[60] = 9000;
	CU_ASSERT_EQUAL(stack_survey_bytes(&survey), 65528);
}

static void
test_cut_off(void)
{
	struct stack_survey survey = made(100, 0);

	survey.reached[1] = 99;
	survey.complete = 99;
	survey.truncated = 1;
	CU_ASSERT_EQUAL(stack_survey_bytes(&survey), 65528);
}

static void
test_explanation(void)
{
	struct survey_module modules[] = {
		{mem_strdup("/usr/lib/libc.so.6"), 1000, 600},
		{mem_strdup("/bin/prog"), 900, 900},
		{mem_strdup("/usr/lib/rare.so"), 5, 0},
	};
	struct stack_survey survey = made(500, 300);
	struct buf out = {0};

	survey.modules = modules;
	survey.nmodules = 3;
	stack_survey_explain(&survey, &out);
	UNIT_STR_EQ(buf_text(&out), "no frame pointers in libc.so.6 (40 % of its calls); kept in "
				    "prog; 60.0 % of the stacks are the same with both");
	buf_release(&out);
	for (size_t i = 0; i < 3; i++)
		free(modules[i].path);
}

static const struct unit_case cases[] = {
	{"frame_pointers_are_trusted_when_nearly_all_stacks_agree", test_trust},
	{"as_much_stack_is_wanted_as_nearly_all_samples_needed", test_bytes},
	{"a_copy_that_was_too_short_asks_for_the_most", test_cut_off},
	{"modules_without_frame_pointers_are_named", test_explanation},
	{NULL, NULL},
};

void suite_ingest_stack_survey(void);

void
suite_ingest_stack_survey(void)
{
	unit_suite("ingest/stack_survey", cases);
}
