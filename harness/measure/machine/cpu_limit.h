/*
 * The limit on CPU time of this process's control group and those above it, as container engines
 * set it: of either version of control groups (Documentation/admin-guide/cgroup-v1 and
 * cgroup-v2.rst).
 */
#ifndef MACHINE_CPU_LIMIT_H
#define MACHINE_CPU_LIMIT_H

/* As a number of CPUs, by the tightest group; 0: there is none. `root` is "" but for tests. */
double cpu_limit(const char *root);

/* Time in ns that threads of these groups have been kept waiting by their limits; NAN: not known.
 */
double cpu_limit_waited_ns(const char *root);

#endif
