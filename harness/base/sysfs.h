/*
 * The small files of /proc and /sys. Every path is taken below
 * `root`, which is "" but for tests, whose trees are of plain files.
 */
#ifndef BASE_SYSFS_H
#define BASE_SYSFS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line of a file, without its end; false and "" if there is none, or it is empty. */
bool sysfs_read(const char *root, const char *path, char *line, size_t size);
/*
 * The value of the first line "KEY : value" of `text`, a file such as /proc/cpuinfo; false and ""
 * if there is none.
 */
bool sysfs_value(const char *text, const char *key, char *value, size_t size);
/* The whole file as it is, in `text`, which is cleared first; "" if it cannot be read. */
const char *sysfs_text(const char *root, const char *path, struct buf *text);
/* The number that the first line begins with; NAN if there is none. */
double sysfs_number(const char *root, const char *path);
/* Writes to a file that is there. 0, or the errno of what refused it. */
int sysfs_write(const char *root, const char *path, const char *text);
/*
 * The pid of a process in its innermost namespace, by the text of its /proc/PID/status; 0 if that
 * does not say.
 */
uint32_t sysfs_inner_pid(const char *status);

#endif
