/*
 * Reading the kernel's counts of load, of each CPU and of the whole machine, before and after a
 * run.
 */
#include "machine/disturb.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/sysfs.h"
#include "machine/machine.h"
#include "process/process.h"
#include "profile/counters.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Times of a line of /proc/stat, in their order (proc_stat(5)). */
enum stat_field {
	STAT_IDLE = 3,
	STAT_IOWAIT = 4,
	STAT_STEAL = 7,
	STAT_FIELDS = 8,
};

/*
 * So that sums of the file's numbers cannot overflow: 30 years of 100 ticks a second, of 9000 CPUs.
 */
#define TICKS_MAX 100000000000LL

struct cpu_line {
	unsigned long cpu;
	int64_t idle;
	int64_t steal;
	int64_t all;
};

/* "cpu3 10 20 ...": false if it is another line. */
static bool
read_line(const char *line, struct cpu_line *out)
{
	char *at;

	if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
		return false;
	*out = (struct cpu_line){.cpu = strtoul(line + 3, &at, 10)};
	if (out->cpu >= CPU_SETSIZE)
		return false;
	for (int field = 0; field < STAT_FIELDS; field++) {
		int64_t ticks = strtoll(at, &at, 10);

		if (ticks < 0 || ticks > TICKS_MAX)
			ticks = 0;
		out->all += ticks;
		if (field == STAT_IDLE || field == STAT_IOWAIT)
			out->idle += ticks;
		else if (field == STAT_STEAL)
			out->steal = ticks;
	}
	return true;
}

/* The next CPU's line; false at the end. */
static bool
next_line(FILE *file, struct cpu_line *out)
{
	char line[1024];

	/* The line of interrupts is longer than ours: its pieces begin with no "cpu". */
	while (fgets(line, sizeof(line), file))
		if (read_line(line, out))
			return true;
	return false;
}

static FILE *
open_stat(const char *root)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	return fopen(path, "re");
}

int
busy_times_read(
	const char *root, const cpu_set_t *const *sets, size_t nsets, struct busy_times *times)
{
	struct cpu_line one;
	const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	FILE *file = open_stat(root);

	memset(times, 0, nsets * sizeof(*times));
	if (!file)
		return -1;
	while (next_line(file, &one)) {
		for (size_t i = 0; i < nsets; i++) {
			if (!CPU_ISSET(one.cpu, sets[i]))
				continue;
			times[i].idle_ns += one.idle * tick_ns;
			times[i].steal_ns += one.steal * tick_ns;
			times[i].all_ns += one.all * tick_ns;
			times[i].cpus++;
		}
	}
	fclose(file);
	return 0;
}

void
busy_cpus(const char *root, cpu_set_t *cpus)
{
	struct cpu_line one;
	FILE *file = open_stat(root);

	CPU_ZERO(cpus);
	if (!file)
		return;
	while (next_line(file, &one))
		CPU_SET(one.cpu, cpus);
	fclose(file);
}

int64_t
busy_idle_ns(const cpu_set_t *cpus)
{
	struct busy_times times;

	if (busy_times_read("", &cpus, 1, &times) < 0 || times.cpus != CPU_COUNT(cpus))
		return -1;
	return times.idle_ns + times.steal_ns;
}

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

#define BUSY_SHARE 0.05
#define QUIET_SECONDS 3

/* How much of a second `cpus` were at work, ours or others'; -1 if not known. */
static double
busy_second(const cpu_set_t *cpus)
{
	const struct timespec second = {.tv_sec = 1};
	struct busy_times before;
	struct busy_times after;

	if (busy_times_read("", &cpus, 1, &before) < 0)
		return -1;
	nanosleep(&second, NULL);
	if (busy_times_read("", &cpus, 1, &after) < 0 || after.all_ns <= before.all_ns)
		return -1;
	return 1 -
	       (double)(after.idle_ns - before.idle_ns) / (double)(after.all_ns - before.all_ns);
}

int
quiet_wait(double timeout_s, struct err *err)
{
	double deadline = clock_seconds() + timeout_s;
	cpu_set_t cpus;
	int seconds = 0;

	busy_cpus("", &cpus);
	while (seconds < QUIET_SECONDS && clock_seconds() < deadline) {
		double busy = busy_second(&cpus);

		if (signals_check(err) < 0)
			return -1;
		if (busy < 0)
			return 0;
		seconds = busy <= BUSY_SHARE ? seconds + 1 : 0;
		log_progress("waiting for a quiet machine: its CPUs are %.0f %% busy", 100 * busy);
	}
	log_progress_end();
	if (timeout_s > 0 && seconds < QUIET_SECONDS)
		log_warn("the machine did not become quiet in time; measuring anyway");
	return 0;
}
