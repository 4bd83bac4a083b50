/*
 * The limit on the CPU time of this process's control group and those above it, as container
 * engines set it, and the time that it made threads wait: of either version of control groups
 * (Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst).
 */
#ifndef MACHINE_CPU_LIMIT_H
#define MACHINE_CPU_LIMIT_H

/* The tightest group's limit as a number of CPUs; 0: there is none. `root` is "" but for tests. */
double cpu_limit(const char *root);

/* Time in ns that threads of these groups were kept waiting by their limits; NAN: not known. */
double cpu_limit_waited_ns(const char *root);

#endif
