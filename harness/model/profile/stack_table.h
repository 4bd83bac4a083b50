/*
 * A table of stacks: the runs of a profile as text without what folded text repeats. Names stand
 * once, a stack begins where it leaves the one before, and runs without samples are skipped:
 *
 *     # profile_run stacks 1
 *     # runs: 4
 *     # event: cpu-clock
 *     frames 3
 *     main
 *     parse_value
 *     parse_string
 *     stacks 2
 *     0 1 2 3|12 11 14 9
 *     1 3|-2 1
 *
 * Behind the lines "# key: value" of folded text (folded.h) are the frames, numbered from 1,
 * as folded text writes them. A stack is the number of frames that it shares with the one before,
 * from the root, and the numbers of the others down to the leaf; then, behind '|', the weights by
 * run: "-2" is two runs without any, and those behind the last weight have none either.
 *
 * Stacks are in the order of folded text, and frames in that of their first use: reading such a
 * table gives the profile that reading the folded text gives, ids included.
 */
#ifndef PROFILE_STACK_TABLE_H
#define PROFILE_STACK_TABLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file_view.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether text that begins with these bytes is meant as a table, of whatever version. */
bool stack_table_detect(const char *text, size_t len);

/*
 * Reads a table, or a pipe to its end, as columns added to `profile`; `file` is for errors only.
 * Whatever is not as above is an error with its location: another version, a count that differs
 * from what follows or could not fit into the file, a number that is none, or of no frame, a stack
 * that shares more than there is, weights of more runs than there are, text behind the last stack.
 */
int stack_table_read(
	struct profile *profile, const char *file, const struct file_view *view, struct err *err);

/*
 * Appends the profile, which must be sorted (profile_sort()). Stacks without weight are left out.
 */
void stack_table_write(const struct profile *profile, struct buf *out);

#endif
