#include "machine/sysfs.h"

#include "machine_tree.h"
#include "unit.h"

#include <errno.h>
#include <math.h>

void suite_machine_sysfs(void);

static void
a_line_is_read_without_its_end(void)
{
	struct scratch scratch;
	char line[16];

	scratch_init(&scratch);
	machine_put(&scratch, "/sys/a/governor", "powersave\nsecond\n");
	machine_put(&scratch, "/sys/a/empty", "\n");
	CU_ASSERT_TRUE(sysfs_read(scratch.dir, "/sys/a/governor", line, sizeof(line)));
	UNIT_STR_EQ(line, "powersave");
	CU_ASSERT_TRUE(sysfs_read(scratch.dir, "/sys/a/governor", line, 4));
	UNIT_STR_EQ(line, "pow");
	CU_ASSERT_FALSE(sysfs_read(scratch.dir, "/sys/a/empty", line, sizeof(line)));
	CU_ASSERT_FALSE(sysfs_read(scratch.dir, "/sys/a/none", line, sizeof(line)));
	UNIT_STR_EQ(line, "");
	scratch_release(&scratch);
}

static void
what_is_no_number_is_none(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	machine_put(&scratch, "/sys/n", "3400000\n");
	machine_put(&scratch, "/sys/text", "on\n");
	machine_put(&scratch, "/sys/inf", "inf\n");
	CU_ASSERT_EQUAL(sysfs_number(scratch.dir, "/sys/n"), 3400000);
	CU_ASSERT_TRUE(isnan(sysfs_number(scratch.dir, "/sys/text")));
	CU_ASSERT_TRUE(isnan(sysfs_number(scratch.dir, "/sys/inf")));
	CU_ASSERT_TRUE(isnan(sysfs_number(scratch.dir, "/sys/none")));
	scratch_release(&scratch);
}

static void
only_what_is_there_is_written(void)
{
	struct scratch scratch;
	char line[16];

	scratch_init(&scratch);
	machine_put(&scratch, "/sys/governor", "performance\n");
	CU_ASSERT_EQUAL(sysfs_write(scratch.dir, "/sys/governor", "powersave"), 0);
	CU_ASSERT_TRUE(sysfs_read(scratch.dir, "/sys/governor", line, sizeof(line)));
	UNIT_STR_EQ(line, "powersave");
	CU_ASSERT_EQUAL(sysfs_write(scratch.dir, "/sys/none", "1"), ENOENT);
	scratch_release(&scratch);
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
	sysfs_siblings(scratch.dir, &cpus, &siblings);
	CU_ASSERT_EQUAL(CPU_COUNT(&siblings), 1);
	CU_ASSERT_TRUE(CPU_ISSET(5, &siblings));
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"a_line_is_read_without_its_end", a_line_is_read_without_its_end},
	{"what_is_no_number_is_none", what_is_no_number_is_none},
	{"only_what_is_there_is_written", only_what_is_there_is_written},
	{"siblings_leave_out_the_cpus_themselves", siblings_leave_out_the_cpus_themselves},
	{NULL, NULL},
};

void
suite_machine_sysfs(void)
{
	unit_suite("machine/sysfs", cases);
}
