/*
 * How much of their time CPUs were at work.
 */
#ifndef CAPTURE_BUSY_H
#define CAPTURE_BUSY_H

#include <sched.h>
#include <stdint.h>

/*
 * Time since boot in which these CPUs did not run our machine's tasks: idle, waiting for a disk, or
 * given to others by the hypervisor. In ns, by ticks of usually 10 ms; -1 if it is not told.
 */
int64_t busy_idle_ns(const cpu_set_t *cpus);

#endif
