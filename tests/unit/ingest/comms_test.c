#include "ingest/comms.h"

#include "unit.h"

#include <stdio.h>

void suite_ingest_comms(void);

static struct profile profile;

static void
begin(struct comms *comms, enum ingest_root root)
{
	profile_init(&profile);
	comms_init(comms, &profile, root);
}

static void
end(struct comms *comms)
{
	comms_release(comms);
	profile_release(&profile);
}

static const char *
frame_name(struct comms *comms, uint32_t pid, uint32_t tid)
{
	frame_id frame = comms_frame(comms, pid, tid);

	CU_ASSERT_EQUAL(comms_frame_made(comms, pid, tid), frame);
	return profile_frame_name(&profile, frame);
}

static void
test_names(void)
{
	struct comms comms;

	begin(&comms, INGEST_ROOT_THREAD);
	comms_set(&comms, 7, "Web Content");
	comms_set(&comms, 8, "");
	UNIT_STR_EQ(comms_name(&comms, 7), "Web_Content");
	UNIT_STR_EQ(comms_name(&comms, 8), "(unnamed)");
	UNIT_STR_EQ(comms_name(&comms, 9), ":9");
	UNIT_STR_EQ(comms_name(&comms, UINT32_MAX), ":-1");
	UNIT_STR_EQ(comms_name(&comms, 0), "swapper");
	end(&comms);
}

/* Where the root has no number in it, nothing is to be made for most threads. */
static void
test_same_name(void)
{
	struct comms comms;

	begin(&comms, INGEST_ROOT_PROCESS);
	comms_set(&comms, 7, "sh");
	comms_set(&comms, 8, "sh");
	CU_ASSERT_EQUAL(comms_frame_made(&comms, 8, 8), 0);
	frame_id frame = comms_frame(&comms, 7, 7);

	CU_ASSERT_NOT_EQUAL(frame, 0);
	CU_ASSERT_EQUAL(comms_frame_made(&comms, 8, 8), frame);
	comms_fork(&comms, 9, 8);
	CU_ASSERT_EQUAL(comms_frame_made(&comms, 9, 9), frame);
	CU_ASSERT_EQUAL(comms_frame_made(&comms, 10, 10), 0);
	end(&comms);
	begin(&comms, INGEST_ROOT_PID);
	comms_set(&comms, 7, "sh");
	comms_set(&comms, 8, "sh");
	CU_ASSERT_NOT_EQUAL(comms_frame(&comms, 7, 7), 0);
	CU_ASSERT_EQUAL(comms_frame_made(&comms, 8, 8), 0);
	end(&comms);
}

static void
test_renamed(void)
{
	struct comms comms;

	begin(&comms, INGEST_ROOT_THREAD);
	comms_set(&comms, 7, "sh");
	UNIT_STR_EQ(frame_name(&comms, 7, 7), "sh");
	comms_set(&comms, 7, "prog");
	UNIT_STR_EQ(frame_name(&comms, 7, 7), "prog");
	end(&comms);
}

static void
test_fork(void)
{
	struct comms comms;

	begin(&comms, INGEST_ROOT_THREAD);
	comms_set(&comms, 7, "server");
	comms_fork(&comms, 8, 7);
	comms_set(&comms, 7, "other");
	UNIT_STR_EQ(comms_name(&comms, 8), "server");
	/* Of a parent that no record named nothing is inherited, and nothing of oneself. */
	comms_fork(&comms, 10, 9);
	UNIT_STR_EQ(comms_name(&comms, 10), ":10");
	comms_fork(&comms, 7, 7);
	UNIT_STR_EQ(comms_name(&comms, 7), "other");
	end(&comms);
}

static void
test_roots(void)
{
	static const struct {
		enum ingest_root root;
		const char *name;
	} roots[] = {
		{INGEST_ROOT_THREAD, "worker"},
		{INGEST_ROOT_PROCESS, "server"},
		{INGEST_ROOT_PID, "worker-7"},
		{INGEST_ROOT_TID, "worker-7/8"},
	};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		struct comms comms;

		begin(&comms, roots[i].root);
		comms_set(&comms, 7, "server");
		comms_set(&comms, 8, "worker");
		UNIT_STR_EQ(frame_name(&comms, 7, 8), roots[i].name);
		end(&comms);
	}
}

static void
test_many(void)
{
	struct comms comms;
	char name[32];
	unsigned wrong = 0;

	begin(&comms, INGEST_ROOT_THREAD);
	for (uint32_t tid = 1; tid < 5000; tid++) {
		snprintf(name, sizeof(name), "thread_%u", tid);
		comms_set(&comms, tid, name);
	}
	for (uint32_t tid = 1; tid < 5000; tid++) {
		snprintf(name, sizeof(name), "thread_%u", tid);
		wrong += strcmp(comms_name(&comms, tid), name) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	end(&comms);
}

void
suite_ingest_comms(void)
{
	static const struct unit_case cases[] = {
		{"names_are_shown_without_spaces_and_never_empty", test_names},
		{"a_thread_that_is_renamed_has_another_root", test_renamed},
		{"threads_of_one_name_have_one_root_unless_it_has_their_number", test_same_name},
		{"a_new_thread_has_the_name_that_its_parent_had", test_fork},
		{"each_kind_of_root_says_what_it_should", test_roots},
		{"names_survive_growth", test_many},
		{NULL, NULL},
	};

	unit_suite("ingest/comms", cases);
}
