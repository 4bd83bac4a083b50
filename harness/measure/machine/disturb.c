#include "machine/disturb.h"

#include "base/clock.h"
#include "base/sysfs.h"
#include "machine/busy.h"
#include "machine/cpu_limit.h"
#include "machine/cpus.h"
#include "profile/counters.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* cpufreq's own word, of each CPU in kHz. */
static double
scaled_mhz(const char *root, const cpu_set_t *cpus)
{
	double sum = 0;
	int count = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[96];

		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
		double khz = sysfs_number(root, path);

		if (!(khz > 0))
			return NAN;
		sum += khz / 1000;
		count++;
	}
	return count > 0 ? sum / count : NAN;
}

/* "cpu MHz : 2445.422" of /proc/cpuinfo, each below its "processor : 3" (x86 only). */
static double
cpuinfo_mhz(const char *root, const cpu_set_t *cpus)
{
	char path[PATH_MAX];
	char line[1024];
	unsigned long cpu = CPU_SETSIZE;
	double sum = 0;
	int count = 0;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	FILE *file = fopen(path, "re");

	if (!file)
		return NAN;
	while (fgets(line, sizeof(line), file)) {
		const char *value = strchr(line, ':');

		if (!value)
			continue;
		if (strncmp(line, "processor", strlen("processor")) == 0)
			cpu = strtoul(value + 1, NULL, 10);
		if (strncmp(line, "cpu MHz", strlen("cpu MHz")) != 0 || cpu >= CPU_SETSIZE ||
			!CPU_ISSET(cpu, cpus))
			continue;
		sum += strtod(value + 1, NULL);
		count++;
	}
	fclose(file);
	return count > 0 && sum > 0 && isfinite(sum) ? sum / count : NAN;
}

/* "some avg10=1.87 avg60=1.93 avg300=0.85 total=9913039124", in us (Documentation/accounting/psi).
 */
static double
pressure_us(const char *root)
{
	char line[256];

	if (!sysfs_read(root, "/proc/pressure/cpu", line, sizeof(line)) ||
		strncmp(line, "some ", 5) != 0)
		return NAN;
	const char *total = strstr(line, "total=");

	return total ? strtod(total + strlen("total="), NULL) : NAN;
}

static void
read_all(const struct disturb *disturb, struct disturb_reading *reading)
{
	const cpu_set_t *sets[DISTURB_SETS];

	for (size_t i = 0; i < DISTURB_SETS; i++)
		sets[i] = &disturb->sets[i];
	busy_times_read(disturb->root, sets, DISTURB_SETS, reading->times);
	reading->at_ns = clock_ns();
	reading->pressure_us = pressure_us(disturb->root);
	reading->mhz = scaled_mhz(disturb->root, sets[DISTURB_PROGRAM]);
	reading->limited_ns = cpu_limit_waited_ns(disturb->root);
	if (isnan(reading->mhz))
		reading->mhz = cpuinfo_mhz(disturb->root, sets[DISTURB_PROGRAM]);
}

void
disturb_begin(struct disturb *disturb, const cpu_set_t *program, const char *root)
{
	cpu_set_t *sets = disturb->sets;
	cpu_set_t all;
	cpu_set_t taken;

	memset(disturb, 0, sizeof(*disturb));
	disturb->root = root;
	busy_cpus(root, &all);
	if (program)
		sets[DISTURB_PROGRAM] = *program;
	else if (sched_getaffinity(0, sizeof(cpu_set_t), &sets[DISTURB_PROGRAM]) < 0)
		CPU_ZERO(&sets[DISTURB_PROGRAM]);
	cpu_siblings(root, &sets[DISTURB_PROGRAM], &sets[DISTURB_SIBLINGS]);
	CPU_OR(&taken, &sets[DISTURB_PROGRAM], &sets[DISTURB_SIBLINGS]);
	CPU_AND(&taken, &taken, &all);
	CPU_XOR(&sets[DISTURB_OUTSIDE], &all, &taken);
	read_all(disturb, &disturb->begin);
}

void
disturb_end(struct disturb *disturb)
{
	read_all(disturb, &disturb->end);
}

static uint64_t
not_below_zero(double ns)
{
	return ns > 0 ? (uint64_t)llround(ns) : 0;
}

/* How many of a set were watched all the time: all of them, or none. */
static uint32_t
watched(const struct disturb *disturb, enum disturb_set set)
{
	int count = CPU_COUNT(&disturb->sets[set]);

	if (disturb->begin.times[set].cpus != count || disturb->end.times[set].cpus != count)
		return 0;
	return (uint32_t)count;
}

static double
steal_ns(const struct disturb *disturb, enum disturb_set set)
{
	return (double)(disturb->end.times[set].steal_ns - disturb->begin.times[set].steal_ns);
}

/* Time in which a set's CPUs ran other tasks of this machine; 0 if it was not watched. */
static uint64_t
busy_ns(const struct disturb *disturb, const struct disturb_known *known, enum disturb_set set)
{
	const cpu_set_t *cpus = &disturb->sets[set];
	const struct busy_times *begin = &disturb->begin.times[set];
	const struct busy_times *end = &disturb->end.times[set];
	bool ours = known->harness_cpu < 0 ? set == DISTURB_PROGRAM
					   : CPU_ISSET((size_t)known->harness_cpu, cpus);
	double ns = (double)(disturb->end.at_ns - disturb->begin.at_ns) * CPU_COUNT(cpus);

	if (watched(disturb, set) == 0)
		return 0;
	ns -= (double)(end->idle_ns - begin->idle_ns) + steal_ns(disturb, set);
	if (set == DISTURB_PROGRAM)
		ns -= (double)known->program_ns;
	return not_below_zero(ns - (ours ? (double)known->harness_ns : 0));
}

void
disturb_fill(const struct disturb *disturb, const struct disturb_known *known, struct run *run)
{
	const struct disturb_reading *begin = &disturb->begin;
	const struct disturb_reading *end = &disturb->end;

	run->program_cpus = watched(disturb, DISTURB_PROGRAM);
	run->sibling_cpus = watched(disturb, DISTURB_SIBLINGS);
	run->outside_cpus = watched(disturb, DISTURB_OUTSIDE);
	/* The program's counter may or may not include stolen time: this is the lower bound. */
	if (run->program_cpus > 0)
		run->steal_ns = not_below_zero(steal_ns(disturb, DISTURB_PROGRAM));
	run->others_ns = busy_ns(disturb, known, DISTURB_PROGRAM);
	run->sibling_ns = busy_ns(disturb, known, DISTURB_SIBLINGS);
	run->outside_ns = busy_ns(disturb, known, DISTURB_OUTSIDE);
	if (end->pressure_us > begin->pressure_us)
		run->pressure_ns = not_below_zero((end->pressure_us - begin->pressure_us) * 1000);
	if (end->limited_ns > begin->limited_ns)
		counter_set(run, COUNTER_LIMITED_TIME,
			(end->limited_ns - begin->limited_ns) / executions_of_run(run));
	run->begin_mhz = isnan(begin->mhz) ? 0 : begin->mhz;
	run->end_mhz = isnan(end->mhz) ? 0 : end->mhz;
}
