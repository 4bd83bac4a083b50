/*
 * What a kernel leaves on the stack when it calls a signal's handler: the registers of the code
 * that was interrupted.
 *
 * The handler returns to a trampoline that hands them back. Where the trampoline has rows, these
 * find them; on AArch64 it lies in the vDSO, which has had no rows since Linux 5.9, and which is
 * not to be had at all for a recording of another machine. There the frame is known by its own
 * looks.
 */
#ifndef UNWIND_SIGNAL_FRAME_H
#define UNWIND_SIGNAL_FRAME_H

#include "unwind/stack_copy.h"
#include "unwind/unwind_machine.h"

#include <stdbool.h>

/*
 * Whether the trampoline is at `regs`, whose stack pointer is then that of a signal frame: for code
 * without rows. `exact` says that it was executing there rather than being returned to. If so,
 * `regs` become those of what was interrupted; otherwise they stay.
 */
bool signal_frame_leave(const struct unwind_machine *machine, struct stack_copy *copy, bool exact,
	struct unwind_regs *regs);

#endif
