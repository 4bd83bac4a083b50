#include "machine/cpus.h"

#include "machine_tree.h"
#include "unit.h"

#include <math.h>

void suite_machine_cpu_limit(void);

static void
the_tightest_group_counts(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	machine_put(&scratch, "/proc/self/cgroup", "0::/a/b\n");
	machine_put(&scratch, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	CU_ASSERT_EQUAL(cpu_limit(scratch.dir), 0);
	machine_put(&scratch, "/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
	CU_ASSERT_EQUAL(cpu_limit(scratch.dir), 0.5);
	machine_put(&scratch, "/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
	CU_ASSERT_EQUAL(cpu_limit(scratch.dir), 0.5);
	scratch_release(&scratch);
}

/* The root group has no limit; ours does. */
static void
our_group_of_the_first_version_counts(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	machine_put(&scratch, "/proc/self/cgroup",
		"9:name=systemd:/ours\n3:cpuset:/ours\n1:cpuacct,cpu:/ours\n0::/\n");
	machine_put(&scratch, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
	machine_put(&scratch, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	CU_ASSERT_EQUAL(cpu_limit(scratch.dir), 0);
	machine_put(&scratch, "/sys/fs/cgroup/cpu/ours/cpu.cfs_quota_us", "200000\n");
	machine_put(&scratch, "/sys/fs/cgroup/cpu/ours/cpu.cfs_period_us", "100000\n");
	CU_ASSERT_EQUAL(cpu_limit(scratch.dir), 2);
	scratch_release(&scratch);
}

static void
times_of_both_versions_are_in_ns(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	CU_ASSERT(isnan(cpu_limit_waited_ns(scratch.dir)));
	machine_put(&scratch, "/proc/self/cgroup", "1:cpu:/ours\n0::/a\n");
	machine_put(&scratch, "/sys/fs/cgroup/cpu/ours/cpu.stat",
		"nr_periods 15\nnr_throttled 10\nthrottled_time 221148982\n");
	CU_ASSERT_EQUAL(cpu_limit_waited_ns(scratch.dir), 221148982);
	machine_put(&scratch, "/sys/fs/cgroup/unified/a/cpu.stat",
		"usage_usec 7\nnr_throttled 1\nthrottled_usec 18\n");
	CU_ASSERT_EQUAL(cpu_limit_waited_ns(scratch.dir), 221166982);
	scratch_release(&scratch);
}

void
suite_machine_cpu_limit(void)
{
	static const struct unit_case cases[] = {
		{"the_tightest_group_counts", the_tightest_group_counts},
		{"our_group_of_the_first_version_counts", our_group_of_the_first_version_counts},
		{"times_of_both_versions_are_in_ns", times_of_both_versions_are_in_ns},
		{NULL, NULL},
	};

	unit_suite("machine/cpu_limit", cases);
}
