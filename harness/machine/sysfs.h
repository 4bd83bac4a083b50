/*
 * The small files of /proc and /sys: read and written a line at a time. Every path is taken below
 * `root`, which is "" but for tests, whose trees are of plain files.
 */
#ifndef MACHINE_SYSFS_H
#define MACHINE_SYSFS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* The first line of a file, without its end; false and "" if there is none, or it is empty. */
bool sysfs_read(const char *root, const char *path, char *line, size_t size);
/* The number that the first line begins with; NAN if there is none. */
double sysfs_number(const char *root, const char *path);
/* Writes to a file that is there. 0, or the errno of what refused it. */
int sysfs_write(const char *root, const char *path, const char *text);

/* Fills `siblings` with the CPUs that share a core with one of `cpus`, those themselves left out,
 * as far as the kernel tells. */
void sysfs_siblings(const char *root, const cpu_set_t *cpus, cpu_set_t *siblings);

#endif
