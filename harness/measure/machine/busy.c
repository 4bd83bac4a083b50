#include "machine/busy.h"

#include "base/clock.h"
#include "base/log.h"
#include "process/signals.h"

#include <limits.h>
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
