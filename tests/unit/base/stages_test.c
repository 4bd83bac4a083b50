#include "base/stages.h"

#include "unit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void suite_base_stages(void);

#define PARCELS 4
#define ROUNDS 500

/* What goes through: in each parcel the number of its round. */
static struct {
	struct stages *stages;
	unsigned numbers[PARCELS];
	bool first_done[PARCELS];
	unsigned nsecond; /* written by second stages, one at a time */
	bool wrong;
	atomic_bool held;
	atomic_bool broke_in;
	atomic_bool threads[64];
} now;

static void
first(void *context, unsigned parcel, unsigned thread)
{
	(void)context;
	atomic_store(&now.threads[thread], true);
	now.first_done[parcel] = true;
}

static void
second(void *context, unsigned parcel, unsigned thread)
{
	(void)context;
	(void)thread;
	if (atomic_load(&now.held))
		atomic_store(&now.broke_in, true);
	now.wrong |= !now.first_done[parcel] || now.numbers[parcel] != now.nsecond;
	now.first_done[parcel] = false;
	now.nsecond++;
}

static void
start(unsigned nthreads)
{
	const struct stages_options options = {
		.nthreads = nthreads, .nparcels = PARCELS, .first = first, .second = second};

	memset(&now, 0, sizeof(now));
	now.stages = stages_new(&options);
}

static void
pass_rounds(unsigned nthreads)
{
	unsigned parcel = 0;

	start(nthreads);
	CU_ASSERT_EQUAL(stages_nthreads(now.stages), nthreads);
	for (unsigned i = 0; i < ROUNDS; i++) {
		now.numbers[parcel] = i;
		unsigned next = stages_pass(now.stages);

		CU_ASSERT_EQUAL(next, (parcel + 1) % PARCELS);
		parcel = next;
	}
	stages_wait(now.stages);
	CU_ASSERT_EQUAL(now.nsecond, ROUNDS);
	CU_ASSERT_FALSE(now.wrong);
	stages_free(now.stages);
}

static void
all_goes_through_both_in_order(void)
{
	pass_rounds(1);
	pass_rounds(2);
	pass_rounds(7);
}

static void
alone_a_parcel_is_done_when_it_was_passed_on(void)
{
	start(1);
	for (unsigned i = 0; i < 3; i++) {
		now.numbers[i] = i;
		stages_pass(now.stages);
		CU_ASSERT_EQUAL(now.nsecond, i + 1);
	}
	CU_ASSERT_TRUE(now.threads[0]);
	stages_free(now.stages);
}

static void
held_no_second_stage_runs(void)
{
	unsigned parcel = 0;

	start(3);
	for (unsigned i = 0; i < ROUNDS; i++) {
		now.numbers[parcel] = i;
		parcel = stages_pass(now.stages);
		stages_hold(now.stages);
		atomic_store(&now.held, true);
		/* What a second stage writes can be read, and stays as it is. */
		unsigned before = now.nsecond;

		for (unsigned k = 0; k < 100; k++)
			atomic_signal_fence(memory_order_seq_cst);
		CU_ASSERT_EQUAL(now.nsecond, before);
		atomic_store(&now.held, false);
	}
	stages_wait(now.stages);
	CU_ASSERT_FALSE(atomic_load(&now.broke_in));
	CU_ASSERT_FALSE(now.wrong);
	CU_ASSERT_EQUAL(now.nsecond, ROUNDS);
	stages_free(now.stages);
}

static void
nothing_need_be_passed_on(void)
{
	start(0);
	CU_ASSERT(stages_nthreads(now.stages) >= 1);
	stages_hold(now.stages);
	stages_wait(now.stages);
	CU_ASSERT_EQUAL(now.nsecond, 0);
	stages_free(now.stages);
	stages_free(NULL);
}

void
suite_base_stages(void)
{
	static const struct unit_case cases[] = {
		{"all_goes_through_both_in_order", all_goes_through_both_in_order},
		{"alone_a_parcel_is_done_when_it_was_passed_on",
			alone_a_parcel_is_done_when_it_was_passed_on},
		{"held_no_second_stage_runs", held_no_second_stage_runs},
		{"nothing_need_be_passed_on", nothing_need_be_passed_on},
		{NULL, NULL},
	};

	unit_suite("base/stages", cases);
}
