/*
 * This machine, as far as costs depend on it: the properties that must agree before costs are
 * compared, others for information, its CPUs, and the limits on their time.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "base/err.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct machine {
	char arch[32];       /* "x86_64" */
	char cpu_model[128]; /* "AMD EPYC" and family/model/stepping where the name has none */
	unsigned cpus;       /* allowed to this process */
	char kernel[128];    /* release */
	char os[128];        /* PRETTY_NAME of os-release */
	char hypervisor[64]; /* "" if none is known */
	double memory_gib;
};

/*
 * An error where the processor's description cannot be read: the machine would be of another class.
 * A system without one is "unknown".
 */
int machine_inspect(struct machine *machine, struct err *err);

/*
 * Sets cpu_model from the text of /proc/cpuinfo. Where the model's name holds no number (virtual
 * machines often say "AMD EPYC" alone), family, model and stepping follow in parentheses.
 */
void machine_read_cpuinfo(struct machine *machine, const char *text);

/*
 * The machine class, which names its folder of baselines: architecture, CPU model and event in
 * [a-z0-9._-], such as "x86_64-amd-epyc-9v74-cpu-clock"; or `configured` if that is not NULL.
 * `presented` takes the place of the CPU model where programs see another processor ("": none):
 * "x86_64-avx2-1a2b3c4d-callgrind". Words that say nothing about speed ("Processor", "64-Core",
 * "@ 2.80GHz", the stepping) are left out, so that the name is the same on every machine of a
 * fleet. It never starts with '.' or '-'.
 */
void machine_class(const struct machine *machine, const char *event, const char *presented,
	const char *configured, char *out, size_t size);

/*
 * The CPUs of the machine: lists of them, the ones that share a core, and the plan of which ones
 * the program and its reader run on.
 */

/* The CPUs that the program runs on, and the one that this process reads its samples on. */
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
/* Adds ", NOTE" to its text. */
void cpu_plan_note(struct cpu_plan *plan, const char *note);

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

/*
 * The limit on CPU time of this process's control group and those above it, as container engines
 * set it: of either version of control groups (Documentation/admin-guide/cgroup-v1 and
 * cgroup-v2.rst).
 */

/* The tightest group's limit as a number of CPUs; 0: there is none. `root` is "" but for tests. */
double cpu_limit(const char *root);

/* Time in ns that threads of these groups were kept waiting by their limits; NAN: not known. */
double cpu_limit_waited_ns(const char *root);

#endif
