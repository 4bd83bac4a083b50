#include "base/sysfs.h"

#include "machine/machine_tree.h"
#include "unit.h"

#include <errno.h>
#include <math.h>

void suite_base_sysfs(void);

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
a_value_is_of_exactly_its_key(void)
{
	static const char text[] = "model\t\t: 17\nmodel name\t: A B\nmodel name\t: C\nflags :\n";
	char value[4];

	CU_ASSERT_TRUE(sysfs_value(text, "model name", value, sizeof(value)));
	UNIT_STR_EQ(value, "A B");
	CU_ASSERT_TRUE(sysfs_value(text, "model", value, sizeof(value)));
	UNIT_STR_EQ(value, "17");
	CU_ASSERT_TRUE(sysfs_value(text, "flags", value, sizeof(value)));
	UNIT_STR_EQ(value, "");
	CU_ASSERT_FALSE(sysfs_value(text, "mod", value, sizeof(value)));
	UNIT_STR_EQ(value, "");
}

static void
a_process_in_a_container_is_known_by_its_own_number(void)
{
	CU_ASSERT_EQUAL(sysfs_inner_pid("Name:\tx\nNSpid:\t712\t33\t1\nNSpgid:\t5\n"), 1);
	CU_ASSERT_EQUAL(sysfs_inner_pid("Name:\tx\nNSpid:\t712\n"), 712);
	CU_ASSERT_EQUAL(sysfs_inner_pid("Name:\tNSpid:\n"), 0);
	CU_ASSERT_EQUAL(sysfs_inner_pid("\nNSpid:\t\n"), 0);
}

static const struct unit_case cases[] = {
	{"a_line_is_read_without_its_end", a_line_is_read_without_its_end},
	{"what_is_no_number_is_none", what_is_no_number_is_none},
	{"only_what_is_there_is_written", only_what_is_there_is_written},
	{"a_value_is_of_exactly_its_key", a_value_is_of_exactly_its_key},
	{"a_process_in_a_container_is_known_by_its_own_number",
		a_process_in_a_container_is_known_by_its_own_number},
	{NULL, NULL},
};

void
suite_base_sysfs(void)
{
	unit_suite("base/sysfs", cases);
}
