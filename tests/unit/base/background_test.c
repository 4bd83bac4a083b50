#include "base/background.h"

#include "unit.h"

void suite_base_background(void);

#define TASKS 1000

static void
add_one(void *argument)
{
	unsigned *count = argument;

	*count += 1;
}

static void
test_tasks(void)
{
	struct background *background = background_new();
	unsigned count = 0;

	for (unsigned i = 0; i < TASKS; i++) {
		background_start(background, add_one, &count);
		background_wait(background);
		if (count != i + 1)
			CU_FAIL("a task that was waited for is not done");
	}
	/* Waiting again is waiting for nothing. */
	background_wait(background);
	CU_ASSERT_EQUAL(count, TASKS);
	background_free(background);
}

static void
test_end(void)
{
	unsigned count = 0;
	struct background *background = background_new();

	background_start(background, add_one, &count);
	background_free(background);
	CU_ASSERT_EQUAL(count, 1);
	background_free(NULL);
	background_free(background_new());
}

void
suite_base_background(void)
{
	static const struct unit_case cases[] = {
		{"each_task_is_done_when_it_was_waited_for", test_tasks},
		{"the_last_task_is_done_before_the_end", test_end},
		{0},
	};

	unit_suite("base/background", cases);
}
