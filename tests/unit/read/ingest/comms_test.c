#include "ingest/perfdata_internal.h"

#include "profile/sample_times.h"
#include "unit.h"

#include <stdio.h>

void suite_ingest_comms(void);

static void
test_names(void)
{
	struct comms comms;

	comms_init(&comms);
	comms_set(&comms, 7, "Web Content");
	comms_set(&comms, 8, "");
	UNIT_STR_EQ(comms_name(&comms, 7), "Web_Content");
	UNIT_STR_EQ(comms_name(&comms, 8), "(unnamed)");
	CU_ASSERT(!comms_know(&comms, 9));
	UNIT_STR_EQ(comms_name(&comms, 9), ":9");
	UNIT_STR_EQ(comms_name(&comms, UINT32_MAX), ":-1");
	UNIT_STR_EQ(comms_name(&comms, 0), "swapper");
	comms_release(&comms);
}

static void
test_renamed(void)
{
	struct comms comms;

	comms_init(&comms);
	comms_set(&comms, 7, "sh");
	comms_set(&comms, 8, "sh");
	CU_ASSERT_EQUAL(comms_name_id(&comms, 7), comms_name_id(&comms, 8));
	comms_set(&comms, 7, "prog");
	CU_ASSERT_NOT_EQUAL(comms_name_id(&comms, 7), comms_name_id(&comms, 8));
	UNIT_STR_EQ(comms_name(&comms, 7), "prog");
	comms_release(&comms);
}

static void
test_fork(void)
{
	struct comms comms;

	comms_init(&comms);
	comms_set(&comms, 7, "server");
	comms_fork(&comms, 8, 7);
	comms_set(&comms, 7, "other");
	UNIT_STR_EQ(comms_name(&comms, 8), "server");
	/* For a parent that no record named nothing is inherited, and nothing of oneself. */
	comms_fork(&comms, 10, 9);
	CU_ASSERT(!comms_know(&comms, 10));
	UNIT_STR_EQ(comms_name(&comms, 10), ":10");
	comms_fork(&comms, 7, 7);
	UNIT_STR_EQ(comms_name(&comms, 7), "other");
	comms_release(&comms);
}

static void
test_many(void)
{
	struct comms comms;
	char name[32];
	unsigned wrong = 0;

	comms_init(&comms);
	for (uint32_t tid = 1; tid < 5000; tid++) {
		snprintf(name, sizeof(name), "thread_%u", tid);
		comms_set(&comms, tid, name);
	}
	for (uint32_t tid = 1; tid < 5000; tid++) {
		snprintf(name, sizeof(name), "thread_%u", tid);
		wrong += strcmp(comms_name(&comms, tid), name) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	comms_release(&comms);
}

static const struct unit_case cases[] = {
	{"names_are_shown_without_spaces_and_never_empty", test_names},
	{"threads_of_one_name_have_one_id_until_one_is_renamed", test_renamed},
	{"a_new_thread_has_the_name_that_its_parent_had", test_fork},
	{"names_survive_growth", test_many},
	{NULL, NULL},
};

void
suite_ingest_comms(void)
{
	unit_suite("ingest/comms", cases);
}
