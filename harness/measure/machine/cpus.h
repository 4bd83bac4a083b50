/*
 * Which CPUs the program runs on, and which one we read on.
 */
#ifndef MACHINE_CPUS_H
#define MACHINE_CPUS_H

#include "base/err.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct cpu_plan {
	bool pinned;
	cpu_set_t program; /* valid if pinned */
	int reader;        /* -1: anywhere (there is only one CPU, or nothing is pinned) */
	char text[128];    /* "program on CPU 1, reader on CPU 0" */
};

/*
 * `pin` is "auto" (the last allowed CPU for the program, another one for us), "none", or a list
 * such as "2-3,5", whose CPUs must be allowed to this process.
 */
int cpu_plan_make(const char *pin, struct cpu_plan *plan, struct err *err);

/* Fills `siblings` with the CPUs that share a core with one of `cpus`, those themselves left out,
 * as far as `root`/sys (root "" but for tests) says. */
void cpu_siblings(const char *root, const cpu_set_t *cpus, cpu_set_t *siblings);

/* Every CPU that the machine can have, online or not. */
void cpus_all(cpu_set_t *cpus);

/* Reads a list such as "2-3,5"; -1 if it is none. */
int cpu_list_parse(const char *text, cpu_set_t *cpus);
/* The same, or "all": every CPU that is configured. */
int cpu_list_parse_all(const char *text, cpu_set_t *cpus);
/* Writes a set as such a list, cut to `size`. */
void cpu_list_format(const cpu_set_t *cpus, char *text, size_t size);

/*
 * The limit on CPU time of this process's control group and those above it, as container engines
 * set it: of either version of control groups (Documentation/admin-guide/cgroup-v1 and
 * cgroup-v2.rst).
 */

/* As a number of CPUs, by the tightest group; 0: there is none. `root` is "" but for tests. */
double cpu_limit(const char *root);

/* Time in ns that threads of these groups have been kept waiting by their limits; NAN: not known.
 */
double cpu_limit_waited_ns(const char *root);

#endif
