/*
 * The CPUs of the machine: lists of them, the ones that share a core, and the plan of which ones
 * the program and its reader run on.
 */
#ifndef MACHINE_CPUS_H
#define MACHINE_CPUS_H

#include "base/err.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Which CPUs the program runs on, and which one this process reads its samples on. */
struct cpu_plan {
	bool pinned;
	cpu_set_t program; /* valid if pinned */
	int reader;        /* -1: anywhere (there is only one CPU, or nothing is pinned) */
	char text[128];    /* "program on CPU 1, reader on CPU 0" */
};

/*
 * `pin` is "auto" (the last allowed CPU for the program, another one for the reader), "none", or a
 * list such as "2-3,5", whose CPUs must be allowed to this process.
 */
int cpu_plan_make(const char *pin, struct cpu_plan *plan, struct err *err);

/*
 * Sets `siblings` to the CPUs that share a core with one of `cpus`, without `cpus` themselves, as
 * far as `root`/sys (root "" but for tests) says.
 */
void cpu_siblings(const char *root, const cpu_set_t *cpus, cpu_set_t *siblings);

/* Every CPU that the machine can have, online or not. */
void cpus_all(cpu_set_t *cpus);

/* Reads a list such as "2-3,5"; -1 if the text is not one. */
int cpu_list_parse(const char *text, cpu_set_t *cpus);
/* The same, or "all": every CPU that is configured. */
int cpu_list_parse_all(const char *text, cpu_set_t *cpus);
/* Writes a set as such a list, cut to `size`. */
void cpu_list_format(const cpu_set_t *cpus, char *text, size_t size);

#endif
