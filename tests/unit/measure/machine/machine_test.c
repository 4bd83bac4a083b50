#include "unit.h"

#include "machine/machine.h"
#include "machine_tree.h"

#include <math.h>

void suite_machine_machine(void);

static const char *
class_of(const char *cpuinfo, const char *event)
{
	static char name[192];
	struct machine machine = {.arch = "x86_64"};

	machine_read_cpuinfo(&machine, cpuinfo);
	machine_class(&machine, event, "", NULL, name, sizeof(name));
	return name;
}

static void
a_nameless_model_gets_family_and_number(void)
{
	static const char text[] = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\n"
				   "model\t\t: 2\nmodel name\t: AMD EPYC\nstepping\t: 1\n";
	struct machine machine = {.arch = "x86_64"};

	machine_read_cpuinfo(&machine, text);
	UNIT_STR_EQ(machine.cpu_model, "AMD EPYC (family 26, model 2, stepping 1)");
	UNIT_STR_EQ(class_of(text, "cpu-clock"), "x86_64-amd-epyc-26-2-cpu-clock");
}

static void
the_class_leaves_out_what_is_not_the_kind(void)
{
	UNIT_STR_EQ(class_of("model name\t: AMD EPYC 7763 64-Core Processor\ncpu family\t: 25\n",
			    "cycles"),
		"x86_64-amd-epyc-7763-cycles");
	UNIT_STR_EQ(class_of("model name\t: Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz\n",
			    "cpu-clock"),
		"x86_64-intel-xeon-platinum-8370c-cpu-clock");
	UNIT_STR_EQ(
		class_of("model name\t: AMD Ryzen 7 PRO 5850U with Radeon Graphics\n", "cycles"),
		"x86_64-amd-ryzen-7-pro-5850u-cycles");
	UNIT_STR_EQ(class_of("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "cycles"),
		"x86_64-0x41-0xd0c-cycles");
	UNIT_STR_EQ(class_of("", "cycles"), "x86_64-unknown-cycles");
}

static void
a_class_can_always_name_a_folder(void)
{
	const char *name = class_of("model name\t: ../../etc 1;rm *\n", "cycles:u/x");

	CU_ASSERT_PTR_NULL(strpbrk(name, "/ ;*:"));
	CU_ASSERT(name[0] != '.' && name[0] != '-');
	struct machine machine = {.arch = "../x"};
	char out[192];

	machine_class(&machine, "e", "", NULL, out, sizeof(out));
	CU_ASSERT(out[0] != '.');
	machine_class(&machine, "e", "", "fleet-1", out, sizeof(out));
	UNIT_STR_EQ(out, "fleet-1");
}

static void
a_presented_processor_takes_the_place_of_the_model(void)
{
	struct machine machine = {.arch = "x86_64", .cpu_model = "AMD EPYC 7763"};
	char out[192];

	machine_class(&machine, "callgrind", "avx2-1a2b3c4d", NULL, out, sizeof(out));
	UNIT_STR_EQ(out, "x86_64-avx2-1a2b3c4d-callgrind");
}

static void
this_machine_is_described(void)
{
	struct machine machine;
	struct err err = {0};

	CU_ASSERT_EQUAL(machine_inspect(&machine, &err), 0);
	CU_ASSERT(machine.arch[0] != '\0');
	CU_ASSERT(machine.cpu_model[0] != '\0');
	CU_ASSERT(machine.kernel[0] != '\0');
	CU_ASSERT(machine.cpus >= 1);
	CU_ASSERT(machine.memory_gib > 0);
}

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

static const struct unit_case cases[] = {
	{"a_nameless_model_gets_family_and_number", a_nameless_model_gets_family_and_number},
	{"the_class_leaves_out_what_is_not_the_kind", the_class_leaves_out_what_is_not_the_kind},
	{"a_class_can_always_name_a_folder", a_class_can_always_name_a_folder},
	{"a_presented_processor_takes_the_place_of_the_model",
		a_presented_processor_takes_the_place_of_the_model},
	{"this_machine_is_described", this_machine_is_described},
	{"list_reads_numbers_and_ranges", list_reads_numbers_and_ranges},
	{"list_refuses_what_taskset_would", list_refuses_what_taskset_would},
	{"auto_keeps_program_and_reader_apart", auto_keeps_program_and_reader_apart},
	{"none_pins_nothing", none_pins_nothing},
	{"cpu_that_is_not_allowed_is_refused", cpu_that_is_not_allowed_is_refused},
	{"siblings_leave_out_the_cpus_themselves", siblings_leave_out_the_cpus_themselves},
	{"the_tightest_group_counts", the_tightest_group_counts},
	{"our_group_of_the_first_version_counts", our_group_of_the_first_version_counts},
	{"times_of_both_versions_are_in_ns", times_of_both_versions_are_in_ns},
	{NULL, NULL},
};

void
suite_machine_machine(void)
{
	unit_suite("machine/machine", cases);
}
