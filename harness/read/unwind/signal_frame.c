/*
 * Steps out of the frame that the kernel leaves on the stack for a signal handler, by its layout.
 */
#include "unwind/unwind_internal.h"

/*
 * The trampoline is two instructions, either of which may be executing: the one that the handler
 * returns to, which sets the number of the system call, and the system call.
 */
static bool
is_trampoline(const struct unwind_machine *machine, const struct unwind_regs *regs)
{
	uint64_t back = regs->values[machine->return_column] & machine->address_mask;

	return (regs->known & REG_BIT(machine->return_column)) &&
	       (regs->pc == back || regs->pc == back + machine->signal_frame->call_at);
}

bool
signal_frame_leave(const struct unwind_machine *machine, struct stack_copy *copy, bool exact,
	struct unwind_regs *regs)
{
	const struct unwind_signal_frame *layout = machine->signal_frame;
	uint64_t sp = regs->values[machine->sp];
	struct unwind_regs before = {.known = REG_BIT(machine->sp)};
	uint64_t mark;

	if (!layout || !(regs->known & REG_BIT(machine->sp)) ||
		(exact && !is_trampoline(machine, regs)))
		return false;
	if (!stack_copy_word(copy, sp + layout->mark_at, &mark) || mark != layout->mark ||
		!stack_copy_word(copy, sp + layout->sp_at, &before.values[machine->sp]) ||
		!stack_copy_word(copy, sp + layout->pc_at, &before.pc))
		return false;
	for (unsigned reg = 0; reg < layout->nregs; reg++)
		if (stack_copy_word(copy, sp + layout->regs_at + reg * sizeof(uint64_t),
			    &before.values[reg]))
			before.known |= REG_BIT(reg);
	*regs = before;
	return true;
}
