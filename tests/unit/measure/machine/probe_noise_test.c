#include "machine/probe.h"

#include "machine_tree.h"
#include "unit.h"

#include <math.h>

void suite_machine_probe_noise(void);

#define CPU "/sys/devices/system/cpu"

/* What the part of that name says of a machine. */
static struct probe_result
ask(const struct scratch *scratch, const char *name)
{
	struct probe_context context = {.root = scratch->dir,
		.pace = {.spread = 0.01, .cpu_share = 1, .others_share = 0.4}};

	for (const struct probe_part *part = probe_noise_parts; part->name; part++) {
		struct probe_result result = {.name = part->name};

		if (strcmp(part->name, name) != 0)
			continue;
		part->run(&context, &result);
		return result;
	}
	CU_FAIL("there is no such part");
	return (struct probe_result){.name = NULL};
}

static void
a_machine_that_tells_nothing_is_reported_as_such(void)
{
	static const char *const names[] = {
		"frequency scaling", "turbo", "shared cores", "address layout"};
	struct scratch scratch;

	scratch_init(&scratch);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct probe_result result = ask(&scratch, names[i]);

		UNIT_STR_EQ(result.found, "not visible on this machine");
		CU_ASSERT_TRUE(result.meaning[0] != '\0');
		CU_ASSERT_TRUE(result.status == PROBE_OK || result.remedy[0] != '\0');
	}
	scratch_release(&scratch);
}

static void
scaling_tells_governor_driver_and_range(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	machine_put(&scratch, CPU "/cpu0/cpufreq/scaling_governor", "powersave\n");
	machine_put(&scratch, CPU "/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
	machine_put(&scratch, CPU "/cpu0/cpufreq/scaling_min_freq", "800000\n");
	machine_put(&scratch, CPU "/cpu0/cpufreq/scaling_max_freq", "3400000\n");
	struct probe_result result = ask(&scratch, "frequency scaling");

	UNIT_STR_EQ(result.found, "governor powersave of driver intel_pstate, 800 to 3400 MHz");
	CU_ASSERT_EQUAL(result.status, PROBE_LIMITED);
	UNIT_CONTAINS(result.remedy, "--prepare");
	machine_put(&scratch, CPU "/cpu0/cpufreq/scaling_governor", "performance\n");
	CU_ASSERT_EQUAL(ask(&scratch, "frequency scaling").status, PROBE_OK);
	scratch_release(&scratch);
}

static void
turbo_has_two_switches_of_opposite_sense(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	machine_put(&scratch, CPU "/cpufreq/boost", "1\n");
	UNIT_STR_EQ(ask(&scratch, "turbo").found, "cpufreq/boost is 1: turbo is on");
	CU_ASSERT_EQUAL(ask(&scratch, "turbo").status, PROBE_LIMITED);
	machine_put(&scratch, CPU "/cpufreq/boost", "0\n");
	CU_ASSERT_EQUAL(ask(&scratch, "turbo").status, PROBE_OK);
	machine_put(&scratch, CPU "/intel_pstate/no_turbo", "0\n");
	UNIT_STR_EQ(ask(&scratch, "turbo").found, "intel_pstate/no_turbo is 0: turbo is on");
	scratch_release(&scratch);
}

static void
isolated_cpus_are_named(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	UNIT_STR_EQ(ask(&scratch, "isolated CPUs").found, "none");
	machine_put(&scratch, CPU "/isolated", "2-3\n");
	machine_put(&scratch, CPU "/nohz_full", "3\n");
	UNIT_STR_EQ(ask(&scratch, "isolated CPUs").found, "2-3, without ticks 3");
	machine_put(&scratch, CPU "/nohz_full", "(null)\n");
	UNIT_STR_EQ(ask(&scratch, "isolated CPUs").found, "2-3");
	UNIT_CONTAINS(ask(&scratch, "isolated CPUs").meaning, "`pin: 2-3`");
	scratch_release(&scratch);
}

static void
other_load_and_addresses_are_reported(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	machine_put(&scratch, "/proc/loadavg", "3.25 2.00 1.00 1/234 567\n");
	machine_put(&scratch, "/proc/sys/kernel/randomize_va_space", "2\n");
	UNIT_STR_EQ(ask(&scratch, "other load").found,
		"others kept 40 % of the CPUs busy during the trial; load average 3.25");
	CU_ASSERT_EQUAL(ask(&scratch, "other load").status, PROBE_LIMITED);
	UNIT_STR_EQ(ask(&scratch, "address layout").found, "randomize_va_space is 2");
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"a_machine_that_tells_nothing_is_reported_as_such",
		a_machine_that_tells_nothing_is_reported_as_such},
	{"scaling_tells_governor_driver_and_range", scaling_tells_governor_driver_and_range},
	{"turbo_has_two_switches_of_opposite_sense", turbo_has_two_switches_of_opposite_sense},
	{"isolated_cpus_are_named", isolated_cpus_are_named},
	{"other_load_and_addresses_are_reported", other_load_and_addresses_are_reported},
	{NULL, NULL},
};

void
suite_machine_probe_noise(void)
{
	unit_suite("machine/probe_noise", cases);
}
