/*
 * `baseline update --counts`: adds counted instructions and, where it is missing, the machine code
 * of functions to the stored baselines of workloads, of whatever class of machines.
 */
#ifndef BASELINE_UPDATE_COUNTS_H
#define BASELINE_UPDATE_COUNTS_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_options.h"

/*
 * They are of the program that the baseline ran: the build of the working tree, if that is the same
 * program by its hash or digest, else the baseline's commit, built as for `--against`. Where no
 * digest is stored, the build of the commit is taken for that program. Times stay as they are.
 * Appends a line for each baseline to `text`; *exit_code is 2 where one was not counted.
 */
int update_counts(
	const struct gate_options *options, int *exit_code, struct buf *text, struct err *err);

#endif
