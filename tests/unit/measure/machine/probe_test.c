#include "machine/probe.h"

#include "capture/backend.h"
#include "unit.h"

#include <sched.h>

void suite_machine_probe(void);

#define RESULTS_MAX 64

static void
every_result_says_what_was_found_and_what_follows(void)
{
	struct probe_result results[RESULTS_MAX];
	size_t n = probe_machine(results, RESULTS_MAX, probe_backends);

	CU_ASSERT_TRUE(n >= 12);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_TRUE(results[i].found[0] != '\0');
		CU_ASSERT_TRUE(results[i].meaning[0] != '\0');
		/* What is wrong comes with a remedy. */
		if (results[i].status != PROBE_OK)
			CU_ASSERT_TRUE(results[i].remedy[0] != '\0');
		for (size_t j = 0; j < i; j++)
			CU_ASSERT_STRING_NOT_EQUAL(results[i].name, results[j].name);
	}
}

static void
room_is_respected_and_affinity_kept(void)
{
	struct probe_result results[3] = {{.name = NULL}, {.name = NULL}, {.name = "untouched"}};
	cpu_set_t before;
	cpu_set_t after;

	sched_getaffinity(0, sizeof(before), &before);
	CU_ASSERT_EQUAL(probe_machine(results, 2, probe_backends), 2);
	sched_getaffinity(0, sizeof(after), &after);
	CU_ASSERT_TRUE(CPU_EQUAL(&before, &after));
	UNIT_STR_EQ(results[2].name, "untouched");
}

static const struct unit_case cases[] = {
	{"every_result_says_what_was_found_and_what_follows",
		every_result_says_what_was_found_and_what_follows},
	{"room_is_respected_and_affinity_kept", room_is_respected_and_affinity_kept},
	{NULL, NULL},
};

void
suite_machine_probe(void)
{
	unit_suite("machine/probe", cases);
}
