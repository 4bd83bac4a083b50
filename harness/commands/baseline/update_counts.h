/*
 * Adding counted instructions to baselines that are stored already, whose times stay as they are.
 */
#ifndef PIPELINE_UPDATE_COUNTS_H
#define PIPELINE_UPDATE_COUNTS_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_options.h"

/*
 * Adds counted instructions and, where it is missing, the machine code of functions to the stored
 * baselines of the workloads, of whatever class of machines. They are of the program that the
 * baseline ran: the build of the working tree, if that is the same by its hash or digest, else the
 * baseline's commit, built as for `--against`. Where no digest is stored, the build of its commit
 * is taken for it. A line for each is appended to `text`; *exit_code is 2 where one was not
 * counted.
 */
int update_counts(
	const struct gate_options *options, int *exit_code, struct buf *text, struct err *err);

#endif
