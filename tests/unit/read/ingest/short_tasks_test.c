#include "ingest/short_tasks.h"

#include "unit.h"

void suite_ingest_short_tasks(void);

#define MS 1000000ULL

static const struct perf_event_attr followed = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.freq = 1,
	.sample_freq = 100,
	.inherit = 1,
	.enable_on_exec = 1,
};

static void
take(struct short_tasks *tasks, uint32_t type, uint32_t tid, uint64_t time_ns)
{
	struct record record = {.type = type, .id = {.tid = tid, .time_ns = time_ns}};

	if (type != PERF_RECORD_SAMPLE)
		record.u.task = (struct record_task){.pid = tid, .tid = tid};
	short_tasks_take(tasks, &record);
}

/* The second has a sample, the third runs longer than a period, the last does not end. */
static struct profile
read_tasks(const struct perf_event_attr *attr)
{
	struct short_tasks tasks;
	struct profile profile = {0};

	short_tasks_init(&tasks, attr);
	take(&tasks, PERF_RECORD_FORK, 11, 100 * MS);
	take(&tasks, PERF_RECORD_EXIT, 11, 102 * MS);
	take(&tasks, PERF_RECORD_FORK, 12, 110 * MS);
	take(&tasks, PERF_RECORD_SAMPLE, 12, 115 * MS);
	take(&tasks, PERF_RECORD_EXIT, 12, 119 * MS);
	take(&tasks, PERF_RECORD_FORK, 13, 120 * MS);
	take(&tasks, PERF_RECORD_EXIT, 13, 190 * MS);
	/* Its number is used again. */
	take(&tasks, PERF_RECORD_FORK, 12, 200 * MS);
	take(&tasks, PERF_RECORD_EXIT, 12, 201 * MS);
	take(&tasks, PERF_RECORD_EXIT, 12, 209 * MS);
	take(&tasks, PERF_RECORD_FORK, 14, 210 * MS);
	/* The program itself was not forked. */
	take(&tasks, PERF_RECORD_SAMPLE, 10, 220 * MS);
	take(&tasks, PERF_RECORD_EXIT, 10, 230 * MS);
	short_tasks_describe(&tasks, &profile);
	short_tasks_release(&tasks);
	return profile;
}

static void
those_without_a_sample_miss_at_most_one_each(void)
{
	const struct profile profile = read_tasks(&followed);

	CU_ASSERT_EQUAL(profile.unsampled_tasks, 3);
	UNIT_NEAR(profile.unsampled_most, 0.2 + 1 + 0.1, 1e-9);
}

static void
a_clock_has_its_period(void)
{
	struct perf_event_attr attr = followed;

	attr.freq = 0;
	attr.sample_period = 20 * MS;
	UNIT_NEAR(read_tasks(&attr).unsampled_most, 0.1 + 1 + 0.05, 1e-9);
}

static void
events_of_whole_cpus_miss_none(void)
{
	struct perf_event_attr attr = followed;

	attr.enable_on_exec = 0;
	CU_ASSERT_EQUAL(read_tasks(&attr).unsampled_tasks, 0);
	attr = followed;
	attr.inherit = 0;
	CU_ASSERT_EQUAL(read_tasks(&attr).unsampled_tasks, 0);
	/* How often other events happen is not known. */
	attr = followed;
	attr.freq = 0;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	CU_ASSERT_EQUAL(read_tasks(&attr).unsampled_tasks, 0);
}

void
suite_ingest_short_tasks(void)
{
	static const struct unit_case cases[] = {
		{"those_without_a_sample_miss_at_most_one_each",
			those_without_a_sample_miss_at_most_one_each},
		{"a_clock_has_its_period", a_clock_has_its_period},
		{"events_of_whole_cpus_miss_none", events_of_whole_cpus_miss_none},
		{NULL, NULL},
	};

	unit_suite("ingest/short_tasks", cases);
}
