#include "base/background.h"

#include "unit.h"

#include <stdbool.h>

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
		background_wait(background, 0);
		if (count != i + 1)
			CU_FAIL("a task that was waited for is not done");
	}
	/* Waiting again is waiting for nothing. */
	background_wait(background, 0);
	CU_ASSERT_EQUAL(count, TASKS);
	background_free(background);
}

struct numbered {
	unsigned *last;
	unsigned number;
	bool in_order;
};

static void
follow(void *argument)
{
	struct numbered *task = argument;

	task->in_order = *task->last + 1 == task->number;
	*task->last = task->number;
}

static void
test_order(void)
{
	struct background *background = background_new();
	struct numbered tasks[100];
	unsigned last = 0;

	for (unsigned i = 0; i < 100; i++) {
		tasks[i] = (struct numbered){.number = i + 1, .last = &last};
		background_start(background, follow, &tasks[i]);
		if (i < 3)
			continue;
		background_wait(background, 3);
		if (!tasks[i - 3].in_order)
			CU_FAIL("a task that must be done is not, or not in its turn");
	}
	background_wait(background, 0);
	CU_ASSERT_EQUAL(last, 100);
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
		{"tasks_are_done_in_order_and_all_but_the_last_can_be_waited_for", test_order},
		{"the_last_task_is_done_before_the_end", test_end},
		{0},
	};

	unit_suite("base/background", cases);
}
