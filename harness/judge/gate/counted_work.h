/*
 * Counted instructions, which decide where time does not: which functions are judged by them, and
 * how much more work one does.
 */
#ifndef GATE_COUNTED_WORK_H
#define GATE_COUNTED_WORK_H

#include "base/buf.h"
#include "gate/judgement.h"
#include "gate/test.h"
#include "profile/profile.h"

/*
 * The work of what a test of growth is about. The instructions of the kernel are not counted: a
 * function of the kernel has the work of its nearest callers outside, where most of its cost came
 * by one of them. `code`: what is known of the machine code; NULL: nothing. Of the judgement's
 * arena; NULL where it was not counted.
 */
const struct counted_work *counted_work_of(
	struct judgement *judgement, const struct test *test, const struct code_states *code);

/*
 * Which functions are judged where counts are compared with those of another machine: functions of
 * the program, whose files are in the checkout, and of files that are the same on both sides. Those
 * of another build of a library cost what they cost, by no change of the program.
 *
 * Copies what is judged of two profiles by file (profile/files.h), with their files, into two
 * that are made here. Appends to `note` which files are left out, where their functions have a
 * thousandth of a side or more: "libc.so.6 is another build: its functions (4.0 % of the
 * instructions) are not judged"; nothing where all is judged. Returns the part of a side's
 * instructions that is left out, the larger of both sides.
 */
double count_scope_select(const struct profile *before, const struct profile *after,
	struct profile *kept_before, struct profile *kept_after, struct buf *note);

#endif
