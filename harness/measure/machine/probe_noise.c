/*
 * The parts of `doctor` on the sources of differences between equal runs, as far as the machine
 * reports them: clock rate, turbo, SMT, other load, address layout.
 */
#include "machine/machine.h"
#include "machine/probe.h"

#include "base/sysfs.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CPU "/sys/devices/system/cpu"
#define NOT_TOLD "not visible on this machine"

/* A larger spread between equal pieces of work shows in measurements. */
#define SPREAD_LIMIT 0.05
/* Other load above this part of all CPUs disturbs. */
#define LOAD_LIMIT 0.10

static void
probe_frequency(const struct probe_context *context, struct probe_result *result)
{
	double spread = context->pace.spread;
	bool steady = spread <= SPREAD_LIMIT;

	SAY(result->found, "equal pieces of work took CPU time within %.1f %%", spread * 100);
	probe_conclude(result, steady ? PROBE_OK : PROBE_LIMITED,
		steady ? "the machine's speed is steady"
		       : "the machine's speed varies: compare builds in one session",
		"use `gate --against` (interleaved runs), stop other programs, or use `gate --prepare` where the clock can be set");
}

/* "800 to 3400 MHz", where both are known. */
static void
say_range(const char *root, char *text, size_t size)
{
	double low = sysfs_number(root, CPU "/cpu0/cpufreq/scaling_min_freq");
	double high = sysfs_number(root, CPU "/cpu0/cpufreq/scaling_max_freq");

	text[0] = '\0';
	if (low > 0 && high > 0)
		snprintf(text, size, ", %.0f to %.0f MHz", low / 1000, high / 1000);
}

static void
probe_scaling(const struct probe_context *context, struct probe_result *result)
{
	char governor[64];
	char driver[64];
	char range[64];

	if (!sysfs_read(context->root, CPU "/cpu0/cpufreq/scaling_governor", governor,
		    sizeof(governor))) {
		SAY(result->found, NOT_TOLD);
		probe_conclude(result, PROBE_LIMITED, "the clock may change between runs, unseen",
			"use bare metal, a virtual machine with dedicated CPUs, or interleaved runs (`gate --against`)");
		return;
	}
	sysfs_read(context->root, CPU "/cpu0/cpufreq/scaling_driver", driver, sizeof(driver));
	say_range(context->root, range, sizeof(range));
	SAY(result->found, "governor %s of driver %s%s", governor, driver[0] ? driver : "not known",
		range);
	bool fast = strcmp(governor, "performance") == 0;

	probe_conclude(result, fast ? PROBE_OK : PROBE_LIMITED,
		fast ? "the clock does not depend on load"
		     : "the clock rises and falls with the load: short runs are slower, and runs "
		       "differ",
		"`gate --prepare`, or `cpupower frequency-set -g performance`, as root");
}

static void
probe_turbo(const struct probe_context *context, struct probe_result *result)
{
	char line[16];
	bool on;

	if (sysfs_read(context->root, CPU "/intel_pstate/no_turbo", line, sizeof(line))) {
		on = strcmp(line, "0") == 0;
		SAY(result->found, "intel_pstate/no_turbo is %s: turbo is %s", line,
			on ? "on" : "off");
	} else if (sysfs_read(context->root, CPU "/cpufreq/boost", line, sizeof(line))) {
		on = strcmp(line, "1") == 0;
		SAY(result->found, "cpufreq/boost is %s: turbo is %s", line, on ? "on" : "off");
	} else {
		SAY(result->found, NOT_TOLD);
		probe_conclude(result, PROBE_LIMITED,
			"the clock may depend on temperature and on other cores",
			"use a machine whose turbo can be turned off");
		return;
	}
	probe_conclude(result, on ? PROBE_LIMITED : PROBE_OK,
		on ? "the clock depends on temperature and on other cores"
		   : "the clock does not depend on temperature or other cores",
		"`gate --prepare` as root, or the setting named here");
}

static void
say_shared(const char *root, const cpu_set_t *program, struct probe_result *result)
{
	char names[64];
	char program_names[64];
	cpu_set_t siblings;

	cpu_siblings(root, program, &siblings);
	cpu_list_format(program, program_names, sizeof(program_names));
	if (CPU_COUNT(&siblings) == 0)
		return;
	cpu_list_format(&siblings, names, sizeof(names));
	SAY(result->found, "SMT is on: CPU %s is a thread of the core of the program's CPU %s",
		names, program_names);
	probe_conclude(result, PROBE_LIMITED,
		"load on the sibling thread slows the program by up to half",
		"`gate --prepare` as root, `echo off > " CPU
		"/smt/control`, or keep the siblings idle");
}

static void
probe_smt(const struct probe_context *context, struct probe_result *result)
{
	char active[8];
	struct cpu_plan plan;
	struct err err = {0};
	bool known = sysfs_read(context->root, CPU "/smt/active", active, sizeof(active));

	probe_conclude(result, PROBE_OK, "the program has its own core", NULL);
	if (known && strcmp(active, "0") == 0)
		SAY(result->found, "SMT is off, or there is none");
	else
		SAY(result->found, "%s",
			known ? "SMT is on, the program's CPU has no sibling" : NOT_TOLD);
	if (cpu_plan_make("auto", &plan, &err) == 0)
		say_shared(context->root, &plan.program, result);
}

static void
probe_isolated(const struct probe_context *context, struct probe_result *result)
{
	char isolated[100];
	char ticks[100];

	sysfs_read(context->root, CPU "/nohz_full", ticks, sizeof(ticks));
	if (sysfs_read(context->root, CPU "/isolated", isolated, sizeof(isolated))) {
		result->status = PROBE_OK;
		SAY(result->found, "%s%s%s", isolated,
			ticks[0] && ticks[0] != '(' ? ", without ticks " : "",
			ticks[0] && ticks[0] != '(' ? ticks : "");
		SAY(result->meaning, "nothing else is put on them: `pin: %s` has them", isolated);
		return;
	}
	SAY(result->found, "none");
	probe_conclude(result, PROBE_LIMITED,
		"the scheduler may put other work on the program's CPU",
		"not needed on an idle machine; otherwise boot with `isolcpus=`, or use a cpuset partition, and set `pin:`");
}

static void
probe_load(const struct probe_context *context, struct probe_result *result)
{
	char line[128];
	double load = 0;
	const struct probe_pace *pace = &context->pace;
	bool known = sysfs_read(context->root, "/proc/loadavg", line, sizeof(line)) &&
		     sscanf(line, "%lf", &load) == 1;

	if (isnan(pace->others_share)) {
		SAY(result->found, NOT_TOLD);
		probe_conclude(result, PROBE_LIMITED, "load of other programs is not visible",
			"make /proc/stat readable");
		return;
	}
	SAY(result->found, "others kept %.0f %% of the CPUs busy during the trial",
		pace->others_share * 100);
	size_t len = strlen(result->found);

	if (known)
		snprintf(result->found + len, sizeof(result->found) - len, "; load average %.2f",
			load);
	bool quiet = pace->others_share <= LOAD_LIMIT;

	probe_conclude(result, quiet ? PROBE_OK : PROBE_LIMITED,
		quiet ? "the machine is quiet" : "disturbed by other load: runs will differ",
		"measure while nothing else runs, or with `gate --wait-quiet 10m`; reports say what disturbed the runs");
}

/* Both settings have their use: neither is a fault. */
static void
probe_addresses(const struct probe_context *context, struct probe_result *result)
{
	double setting = sysfs_number(context->root, "/proc/sys/kernel/randomize_va_space");

	if (isnan(setting)) {
		SAY(result->found, NOT_TOLD);
		probe_conclude(result, PROBE_OK, "addresses may change from run to run", NULL);
		return;
	}
	SAY(result->found, "randomize_va_space is %.0f", setting);
	probe_conclude(result, PROBE_OK,
		setting > 0
			? "addresses change from run to run: their effect is part of the variance, not of a change"
			: "every run has the same addresses: an edit may shift them, with an effect on all runs",
		NULL);
}

const struct probe_part probe_noise_parts[] = {
	{"CPU frequency", probe_frequency},
	{"frequency scaling", probe_scaling},
	{"turbo", probe_turbo},
	{"shared cores", probe_smt},
	{"isolated CPUs", probe_isolated},
	{"other load", probe_load},
	{"address layout", probe_addresses},
	{NULL, NULL},
};
