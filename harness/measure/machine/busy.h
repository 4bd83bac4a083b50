/*
 * The time that CPUs are busy, by /proc/stat (proc_stat(5)), and waiting until they are not.
 */
#ifndef MACHINE_BUSY_H
#define MACHINE_BUSY_H

#include "base/err.h"

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

/* Times of a set of CPUs since boot; in ns, but measured in ticks of usually 10 ms. */
struct busy_times {
	int64_t idle_ns;  /* nothing to run, or all of it waiting for a disk */
	int64_t steal_ns; /* given to others by the hypervisor */
	int64_t all_ns;   /* all time: idle, stolen and busy */
	int cpus;         /* CPUs of the set whose times are known */
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

/*
 * Waits until the CPUs together were at most 5 % busy in each of three consecutive seconds; at most
 * `timeout_s`, after which it warns. Returns at once for 0, and where their load is not known. -1
 * if it was interrupted.
 */
int quiet_wait(double timeout_s, struct err *err);

#endif
