/*
 * Other load of the machine while a program ran: the time that other processes and other virtual
 * machines took from the program's CPUs, the load of their SMT siblings and of all other CPUs, and
 * the clock rate.
 *
 * It is read once before and once after, which costs nothing while the program runs; but the times
 * have ticks of usually 10 ms, so that next to nothing is known of a short run.
 */
#ifndef MACHINE_DISTURB_H
#define MACHINE_DISTURB_H

#include "machine/busy.h"
#include "profile/profile.h"

#include <sched.h>
#include <stdint.h>

enum disturb_set {
	DISTURB_PROGRAM,
	DISTURB_SIBLINGS,
	DISTURB_OUTSIDE,
	DISTURB_SETS,
};

/* One reading. */
struct disturb_reading {
	uint64_t at_ns;
	struct busy_times times[DISTURB_SETS];
	double pressure_us; /* NAN: not known */
	double mhz;         /* NAN: not known */
	double limited_ns;  /* by the limit of the control group; NAN: not known */
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
	int harness_cpu; /* where that was; -1: on the program's CPUs, for want of others */
};

/* Before a run on the CPUs `program`; NULL: on all that this process may use. */
void disturb_begin(struct disturb *disturb, const cpu_set_t *program, const char *root);
/* Right after it. */
void disturb_end(struct disturb *disturb);
/* Fills in the fields of `run` about disturbances; 0 where nothing is known. */
void disturb_fill(
	const struct disturb *disturb, const struct disturb_known *known, struct run *run);

#endif
