/*
 * DWARF expressions, as far as unwind rows have them: stubs of the procedure linkage table, signal
 * frames, functions that realign their stack.
 *
 * Source: DWARF 5, section 2.5, without what section 6.4.2 forbids.
 */
#ifndef UNWIND_EXPRESSION_H
#define UNWIND_EXPRESSION_H

#include "unwind/stack_copy.h"
#include "unwind/unwind_machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct expression {
	const unsigned char *bytes; /* borrowed */
	size_t len;
};

/*
 * What `expression` leaves on top of its stack, which starts with *cfa (NULL: empty). False where
 * it asks for a register that is not known or for memory beyond the copy (see stack->missing), is
 * no expression, or takes too many steps.
 */
bool expression_run(const struct expression *expression, const struct unwind_regs *regs,
	struct stack_copy *stack, const uint64_t *cfa, uint64_t *result);

#endif
