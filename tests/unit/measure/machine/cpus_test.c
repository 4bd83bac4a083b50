#include "machine/cpus.h"

#include "machine_tree.h"
#include "unit.h"

void suite_machine_cpus(void);

static void
list_reads_numbers_and_ranges(void)
{
	cpu_set_t cpus;
	char text[64];

	CU_ASSERT_EQUAL(cpu_list_parse("2-4,7,0", &cpus), 0);
	CU_ASSERT_EQUAL(CPU_COUNT(&cpus), 5);
	cpu_list_format(&cpus, text, sizeof(text));
	UNIT_STR_EQ(text, "0,2-4,7");
}

static void
list_refuses_what_taskset_would(void)
{
	static const char *const wrong[] = {
		"", "a", "1-", "-1", "3-1", "1,,2", "1,", "1 2", "99999", "1-99999999999999999999"};
	cpu_set_t cpus;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_EQUAL(cpu_list_parse(wrong[i], &cpus), -1);
}

static void
auto_keeps_program_and_reader_apart(void)
{
	struct cpu_plan plan;
	struct err err = {0};
	cpu_set_t allowed;

	CU_ASSERT_EQUAL_FATAL(cpu_plan_make("auto", &plan, &err), 0);
	CU_ASSERT_TRUE(plan.pinned);
	CU_ASSERT_EQUAL(CPU_COUNT(&plan.program), 1);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (CPU_COUNT(&allowed) == 1) {
		CU_ASSERT_EQUAL(plan.reader, -1);
	} else {
		CU_ASSERT_TRUE(plan.reader >= 0 && CPU_ISSET((size_t)plan.reader, &allowed));
		CU_ASSERT_FALSE(CPU_ISSET((size_t)plan.reader, &plan.program));
	}
}

static void
none_pins_nothing(void)
{
	struct cpu_plan plan;
	struct err err = {0};

	CU_ASSERT_EQUAL(cpu_plan_make("none", &plan, &err), 0);
	CU_ASSERT_FALSE(plan.pinned);
	CU_ASSERT_EQUAL(plan.reader, -1);
}

static void
cpu_that_is_not_allowed_is_refused(void)
{
	struct cpu_plan plan;
	struct err err = {0};

	CU_ASSERT_EQUAL(cpu_plan_make("1023", &plan, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_MEASURE);
	UNIT_CONTAINS(err.text, "may use only");
	CU_ASSERT_EQUAL(cpu_plan_make("some", &plan, &err), -1);
	UNIT_CONTAINS(err.text, "not a CPU list");
}

static void
siblings_leave_out_the_cpus_themselves(void)
{
	struct scratch scratch;
	cpu_set_t cpus;
	cpu_set_t siblings;

	scratch_init(&scratch);
	machine_put(
		&scratch, "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,5\n");
	machine_put(
		&scratch, "/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2,6\n");
	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	CPU_SET(2, &cpus);
	CPU_SET(6, &cpus);
	CPU_SET(9, &cpus);
	cpu_siblings(scratch.dir, &cpus, &siblings);
	CU_ASSERT_EQUAL(CPU_COUNT(&siblings), 1);
	CU_ASSERT_TRUE(CPU_ISSET(5, &siblings));
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"list_reads_numbers_and_ranges", list_reads_numbers_and_ranges},
	{"list_refuses_what_taskset_would", list_refuses_what_taskset_would},
	{"auto_keeps_program_and_reader_apart", auto_keeps_program_and_reader_apart},
	{"none_pins_nothing", none_pins_nothing},
	{"cpu_that_is_not_allowed_is_refused", cpu_that_is_not_allowed_is_refused},
	{"siblings_leave_out_the_cpus_themselves", siblings_leave_out_the_cpus_themselves},
	{NULL, NULL},
};

void
suite_machine_cpus(void)
{
	unit_suite("machine/cpus", cases);
}
