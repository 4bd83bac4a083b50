/*
 * The disturbance of a run: the time that other processes and other virtual machines took from the
 * program's CPUs, the load of their SMT siblings and of all other CPUs, waits for a CPU, and the
 * clock rate.
 *
 * The kernel's counts are read once before and once after the run, which costs nothing while the
 * program runs; but they are in ticks of usually 10 ms, so that they say almost nothing about a
 * short run.
 */
#ifndef MACHINE_DISTURB_H
#define MACHINE_DISTURB_H

#include "base/err.h"
#include "profile/profile.h"

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The time that CPUs are busy, by /proc/stat (proc_stat(5)).
 */

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
 * Waiting until nothing else takes the machine's CPUs.
 */

/*
 * Waits until the CPUs together were at most 5 % busy in each of three consecutive seconds; at most
 * `timeout_s`, after which it warns. Returns at once for 0, and where their load is not known. -1
 * if it was interrupted.
 */
int quiet_wait(double timeout_s, struct err *err);

enum disturb_set {
	DISTURB_PROGRAM,  /* the CPUs of the program */
	DISTURB_SIBLINGS, /* the other SMT threads of their cores */
	DISTURB_OUTSIDE,  /* all other CPUs */
	DISTURB_SETS,
};

/* The kernel's counts at one time. */
struct disturb_reading {
	uint64_t at_ns;
	struct busy_times times[DISTURB_SETS];
	double pressure_us; /* time that some task waited for a CPU; NAN: not known */
	double mhz;         /* NAN: not known */
	double limited_ns;  /* time waited because of a control group's limit; NAN: not known */
};

struct disturb {
	const char *root; /* borrowed; "" but for tests */
	cpu_set_t sets[DISTURB_SETS];
	struct disturb_reading begin;
	struct disturb_reading end;
};

/* CPU time that is no disturbance: the program's and our own. */
struct disturb_known {
	uint64_t program_ns;
	uint64_t harness_ns;
	int harness_cpu; /* where our own was used; -1: on the program's CPUs, for want of others */
};

/* Before a run on the CPUs `program`; NULL: on all that this process may use. */
void disturb_begin(struct disturb *disturb, const cpu_set_t *program, const char *root);
/* Right after it. */
void disturb_end(struct disturb *disturb);
/* Fills in the fields of `run` about disturbances; 0 where nothing is known. */
void disturb_fill(
	const struct disturb *disturb, const struct disturb_known *known, struct run *run);

#endif
