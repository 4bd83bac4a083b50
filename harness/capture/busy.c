#include "capture/busy.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Times of a line of /proc/stat, in their order (proc_stat(5)). */
enum stat_field {
	STAT_IDLE = 3,
	STAT_IOWAIT = 4,
	STAT_STEAL = 7,
	STAT_FIELDS = 8,
};

/* "cpu3 10 20 ...": the idle ticks of that line, -1 if it is of none of the CPUs. */
static int64_t
line_idle(const char *line, const cpu_set_t *cpus)
{
	char *at;
	int64_t idle = 0;

	if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
		return -1;
	unsigned long cpu = strtoul(line + 3, &at, 10);

	if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, cpus))
		return -1;
	for (int field = 0; field < STAT_FIELDS; field++) {
		int64_t ticks = strtoll(at, &at, 10);

		if (field == STAT_IDLE || field == STAT_IOWAIT || field == STAT_STEAL)
			idle += ticks;
	}
	return idle;
}

int64_t
busy_idle_ns(const cpu_set_t *cpus)
{
	char line[1024];
	FILE *file = fopen("/proc/stat", "re");
	int64_t ticks = 0;
	int found = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		int64_t idle = line_idle(line, cpus);

		/* The line of interrupts is longer than ours: its pieces begin with no "cpu". */
		if (idle < 0)
			continue;
		ticks += idle;
		found++;
	}
	fclose(file);
	return found == CPU_COUNT(cpus) ? ticks * (1000000000 / sysconf(_SC_CLK_TCK)) : -1;
}
