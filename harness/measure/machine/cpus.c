#include "machine/cpus.h"

#include "base/buf.h"
#include "base/sysfs.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
cpus_all(cpu_set_t *cpus)
{
	const long configured = sysconf(_SC_NPROCESSORS_CONF);

	CPU_ZERO(cpus);
	for (long cpu = 0; cpu < configured && cpu < CPU_SETSIZE; cpu++)
		CPU_SET((size_t)cpu, cpus);
}

/* One number of a list, at *at; -1 if there is none or it is no CPU. */
static long
list_number(const char **at)
{
	char *end;

	if (**at < '0' || **at > '9')
		return -1;
	errno = 0;
	long number = strtol(*at, &end, 10);

	if (errno != 0 || number >= CPU_SETSIZE)
		return -1;
	*at = end;
	return number;
}

int
cpu_list_parse(const char *text, cpu_set_t *cpus)
{
	const char *at = text;

	CPU_ZERO(cpus);
	for (;;) {
		long first = list_number(&at);
		long last = first;

		if (first < 0)
			return -1;
		if (*at == '-') {
			at++;
			last = list_number(&at);
			if (last < first)
				return -1;
		}
		for (long cpu = first; cpu <= last; cpu++)
			CPU_SET((size_t)cpu, cpus);
		if (*at == '\0')
			return 0;
		if (*at++ != ',')
			return -1;
	}
}

int
cpu_list_parse_all(const char *text, cpu_set_t *cpus)
{
	if (strcmp(text, "all") != 0)
		return cpu_list_parse(text, cpus);
	cpus_all(cpus);
	return 0;
}

void
cpu_list_format(const cpu_set_t *cpus, char *text, size_t size)
{
	struct buf out = {0};

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		int last = cpu;

		while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, cpus))
			last++;
		buf_printf(&out, out.len > 0 ? ",%d" : "%d", cpu);
		if (last > cpu)
			buf_printf(&out, "-%d", last);
		cpu = last;
	}
	snprintf(text, size, "%s", buf_text(&out));
	buf_release(&out);
}

void
cpu_siblings(const char *root, const cpu_set_t *cpus, cpu_set_t *siblings)
{
	cpu_set_t both;

	CPU_ZERO(siblings);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[96];
		char line[256];
		cpu_set_t core;

		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		if (sysfs_read(root, path, line, sizeof(line)) && cpu_list_parse(line, &core) == 0)
			CPU_OR(siblings, siblings, &core);
	}
	CPU_AND(&both, siblings, cpus);
	CPU_XOR(siblings, siblings, &both);
}

static int
last_cpu(const cpu_set_t *cpus)
{
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET((size_t)cpu, cpus))
			return cpu;
	return -1;
}

/*
 * The last allowed CPU that the program does not run on, on its own core where there is one;
 * -1 if the program has them all.
 */
static int
reader_for(const cpu_set_t *allowed, const cpu_set_t *program)
{
	cpu_set_t both;
	cpu_set_t others;
	cpu_set_t siblings;
	cpu_set_t apart;

	CPU_AND(&both, allowed, program);
	CPU_XOR(&others, allowed, &both);
	cpu_siblings("", program, &siblings);
	CPU_AND(&both, &others, &siblings);
	CPU_XOR(&apart, &others, &both);
	return last_cpu(CPU_COUNT(&apart) > 0 ? &apart : &others);
}

static int
plan_list(const char *pin, const cpu_set_t *allowed, struct cpu_plan *plan, struct err *err)
{
	char names[128];
	cpu_set_t usable;

	if (cpu_list_parse(pin, &plan->program) < 0)
		return err_set(err, ERR_USAGE,
			"'%s' is not a CPU list: expected auto, none, or numbers and ranges such as "
			"2-3,5",
			pin);
	CPU_AND(&usable, &plan->program, allowed);
	if (CPU_EQUAL(&usable, &plan->program))
		return 0;
	cpu_list_format(allowed, names, sizeof(names));
	return err_set(err, ERR_MEASURE,
		"cannot pin the program to CPUs %s: this process may use only %s", pin, names);
}

int
cpu_plan_make(const char *pin, struct cpu_plan *plan, struct err *err)
{
	char names[64];
	cpu_set_t allowed;

	*plan = (struct cpu_plan){.reader = -1};
	if (strcmp(pin, "none") == 0) {
		snprintf(plan->text, sizeof(plan->text), "not pinned");
		return 0;
	}
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read which CPUs are allowed");
	if (strcmp(pin, "auto") == 0)
		CPU_SET((size_t)last_cpu(&allowed), &plan->program);
	else if (plan_list(pin, &allowed, plan, err) < 0)
		return -1;
	plan->pinned = true;
	plan->reader = reader_for(&allowed, &plan->program);
	cpu_list_format(&plan->program, names, sizeof(names));
	if (plan->reader >= 0)
		snprintf(plan->text, sizeof(plan->text), "program on CPU %s, reader on CPU %d",
			names, plan->reader);
	else
		snprintf(plan->text, sizeof(plan->text), "program and reader on CPU %s", names);
	return 0;
}
