/*
 * The share of their time that CPUs were busy.
 */
#ifndef MACHINE_BUSY_H
#define MACHINE_BUSY_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

/* For a set of CPUs, since boot; in ns, by ticks of usually 10 ms. */
struct busy_times {
	int64_t idle_ns;  /* nothing to run, or all of it waiting for a disk */
	int64_t steal_ns; /* given to others by the hypervisor */
	int64_t all_ns;   /* those and all others */
	int cpus;         /* of the set, how many are known */
};

/*
 * Fills times[i] for sets[i], all from one reading of `root`/proc/stat (root "" but for tests). -1
 * if there is no such file.
 */
int busy_times_read(
	const char *root, const cpu_set_t *const *sets, size_t nsets, struct busy_times *times);

/* All CPUs whose times are known; empty if none are. */
void busy_cpus(const char *root, cpu_set_t *cpus);

/*
 * Time since boot in which these CPUs did not run our machine's tasks: idle, waiting for a disk, or
 * given to others by the hypervisor; -1 if not known.
 */
int64_t busy_idle_ns(const cpu_set_t *cpus);

#endif
