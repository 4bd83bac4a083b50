/*
 * Which functions are judged where instruction counts are compared with those of another machine:
 * functions of the program, whose files are in the checkout, and functions of files that are the
 * same on both sides. A library that was built otherwise there executes other instructions, which
 * is no change of the program.
 */
#ifndef GATE_COUNT_SCOPE_H
#define GATE_COUNT_SCOPE_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Copies the functions that are judged of two profiles by file (profile/files.h), with their files,
 * into two profiles that are made here. Appends to `note` the files that are left out, where their
 * functions have a thousandth of a side's instructions or more: "libc.so.6 is another build: its
 * functions (4.0 % of the instructions) are not judged"; nothing where all are judged. Returns the
 * part of the instructions that is left out, the larger of both sides.
 */
double count_scope_select(const struct profile *before, const struct profile *after,
	struct profile *kept_before, struct profile *kept_after, struct buf *note);

#endif
